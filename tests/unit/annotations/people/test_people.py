"""People and their rights."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from annotations.labelling.labelling import AnnotatorActions
from annotations.management.adjudication import AdjudicatorActions
from annotations.management.manage import ManagerActions
from annotations.people.people import RIGHTS, Member, Right, Role
from annotations.people.sign_in import member_by_code
from annotations.results.progress_counts import count_changed
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign


@pytest.fixture
def manager(store: Store) -> ManagerActions:
    return ManagerActions(store, Member("0", "ada", Role.MANAGER))


def test_a_name_is_taken_once(manager: ManagerActions) -> None:
    manager.add_person("ben", Role.ANNOTATOR)
    with pytest.raises(RecordError, match="somebody called 'ben' already"):
        manager.add_person("ben", Role.MANAGER)


@pytest.mark.parametrize(
    ("annotator", "right"), [(AnnotatorActions, "label"), (AdjudicatorActions, "settle"), (ManagerActions, "manage")]
)
def test_actions_are_refused_without_the_right(store: Store, annotator: type, right: str) -> None:
    needed = {"label": Right.LABEL, "settle": Right.ADJUDICATE, "manage": Right.MANAGE}[right]
    for role in Role:
        person = Member("1", "ben", role)
        if needed in RIGHTS[role]:
            annotator(store, person)
            continue
        with pytest.raises(RightsError, match=f"'ben' is here as {role.value} and may not"):
            annotator(store, person)


def test_progress_counts_labels_gold_and_repeats(store: Store) -> None:
    opened = make_campaign(store, items=4, overlap=2)
    opened.label(opened.annotator("ben"), 4)
    cem = opened.annotator("cem")
    opened.label(cem, 2)
    opened.send(cem, opened.next_task(cem), "flag")
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    found = manager.progress(opened.campaign.id)
    assert (found.tasks, found.required, found.answered, found.complete, found.flags) == (4, 8, 6, 2, 1)
    assert [(one.name, one.answered, one.flagged) for one in found.people] == [("ben", 4, 0), ("cem", 2, 1)]
    assert (found.in_progress, found.remaining) == (0, 2)
    assert found.people[0].gold.value is None
    assert found.people[0].last_at is not None
    assert found.revised.value == 0


@pytest.mark.slow
def test_progress_asks_the_database_no_more_often_for_more_labels(store: Store) -> None:
    opened = make_campaign(store, items=40)
    ben, manager = opened.annotator("ben"), ManagerActions(store, opened.person("ada", Role.MANAGER))
    asked: list[str] = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def listen(_: object, __: object, statement: str, *___: object) -> None:
        asked.append(statement)

    numbers = []
    for more in (2, 38):
        opened.label(ben, more)
        count_changed(store, opened.campaign.id)
        asked.clear()
        manager.progress(opened.campaign.id)
        numbers.append(len(asked))
    assert numbers[0] == numbers[1]


def test_a_person_is_added_with_an_invite_or_not_at_all(store: Store, manager: ManagerActions) -> None:
    ben, code = manager.add_and_invite("ben", Role.ADJUDICATOR, days=7)
    with read_session(store.engine) as session:
        assert member_by_code(session, code) == ben
    with pytest.raises(RecordError, match="somebody called 'ben' already"):
        manager.add_and_invite("ben", Role.ANNOTATOR)
    assert [(row.person, row.valid) for row in manager.invites()] == [("ben", True)]
    manager.revoke(manager.invites()[0].id)
    assert [row.valid for row in manager.invites()] == [False]
