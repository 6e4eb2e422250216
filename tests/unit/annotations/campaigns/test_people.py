"""People, their rights, and the codes that let them in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, text

from annotations.campaigns.adjudication import AdjudicatorActions
from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.manage import ManagerActions
from annotations.campaigns.people import RIGHTS, Member, Right, Role, WrongCodeLimiter, member_by_code
from annotations.database import read_session
from annotations.records import RecordError, RightsError
from annotations.store import Store
from tests.unit.annotations.campaigns.desks import hall


@pytest.fixture
def boss(store: Store) -> ManagerActions:
    return ManagerActions(store, Member("0", "ada", Role.MANAGER))


def let_in(store: Store, code: str) -> Member:
    with read_session(store.engine) as session:
        return member_by_code(session, code)


def test_a_code_lets_its_person_in_and_is_nowhere_in_the_database(store: Store, boss: ManagerActions) -> None:
    ben = boss.add_person("ben", Role.ANNOTATOR)
    code = boss.invite(ben.id)
    assert let_in(store, f" {code} ") == ben
    with read_session(store.engine) as session:
        row = session.connection().execute(text("SELECT * FROM invite")).one()
    assert code not in " ".join(map(str, row))


def test_a_revoked_code_lets_nobody_in(store: Store, boss: ManagerActions) -> None:
    code = boss.invite(boss.add_person("ben", Role.ANNOTATOR).id)
    [row] = boss.invites()
    boss.revoke(row.id)
    boss.revoke(row.id)
    assert [invite.revoked for invite in boss.invites()] == [True]
    with pytest.raises(RightsError, match="lets nobody in"):
        let_in(store, code)


def test_a_code_is_over_after_its_days(store: Store, boss: ManagerActions) -> None:
    code = boss.invite(boss.add_person("ben", Role.ANNOTATOR).id, days=1)
    assert let_in(store, code).name == "ben"
    with read_session(store.engine) as session, pytest.raises(RightsError, match="lets nobody in"):
        member_by_code(session, code, datetime.now(UTC) + timedelta(days=2))


@pytest.mark.parametrize("code", ["", "wrong", "' OR 1=1 --"])
def test_a_wrong_code_lets_nobody_in(store: Store, boss: ManagerActions, code: str) -> None:
    boss.invite(boss.add_person("ben", Role.ANNOTATOR).id)
    with pytest.raises(RightsError, match="lets nobody in"):
        let_in(store, code)


def test_many_wrong_codes_are_braked_and_then_forgotten() -> None:
    brake = WrongCodeLimiter(most=3, seconds=1000)
    for _ in range(3):
        brake.check("here")
        brake.was_wrong("here")
    with pytest.raises(RightsError, match="Wait a minute"):
        brake.check("here")
    patient = WrongCodeLimiter(most=1, seconds=-1)
    patient.was_wrong("here")
    patient.check("here")


def test_whoever_guesses_codes_keeps_nobody_else_out() -> None:
    brake = WrongCodeLimiter(most=1)
    brake.was_wrong("there")
    brake.check("here")
    with pytest.raises(RightsError, match="Too many wrong codes"):
        brake.check("there")


def test_a_name_is_taken_once(boss: ManagerActions) -> None:
    boss.add_person("ben", Role.ANNOTATOR)
    with pytest.raises(RecordError, match="somebody called 'ben' already"):
        boss.add_person("ben", Role.MANAGER)


@pytest.mark.parametrize(
    ("desk", "right"), [(AnnotatorActions, "label"), (AdjudicatorActions, "settle"), (ManagerActions, "manage")]
)
def test_the_store_refuses_a_desk_to_whom_it_is_not_due(store: Store, desk: type, right: str) -> None:
    needed = {"label": Right.LABEL, "settle": Right.SETTLE, "manage": Right.MANAGE}[right]
    for role in Role:
        person = Member("1", "ben", role)
        if needed in RIGHTS[role]:
            desk(store, person)
            continue
        with pytest.raises(RightsError, match=f"'ben' is here as {role.value} and may not"):
            desk(store, person)


def test_progress_counts_labels_gold_and_second_turns(store: Store) -> None:
    opened = hall(store, items=4, overlap=2)
    opened.label(opened.desk("ben"), 4)
    cem = opened.desk("cem")
    opened.label(cem, 2)
    opened.send(cem, opened.work(cem), "flag")
    boss = ManagerActions(store, opened.person("ada", Role.MANAGER))
    found = boss.progress(opened.campaign.id)
    assert (found.tasks, found.wanted, found.answered, found.complete, found.flags) == (4, 8, 6, 2, 1)
    assert [(one.name, one.answered, one.flagged) for one in found.people] == [("ben", 4, 0), ("cem", 2, 1)]
    assert (found.held, found.left) == (0, 2)
    assert found.people[0].gold.value is None
    assert found.people[0].last_at is not None
    assert found.revised.value == 0


def test_progress_asks_the_database_no_more_often_for_more_labels(store: Store) -> None:
    opened = hall(store, items=40)
    ben, boss = opened.desk("ben"), ManagerActions(store, opened.person("ada", Role.MANAGER))
    asked: list[str] = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def listen(_: object, __: object, statement: str, *___: object) -> None:
        asked.append(statement)

    numbers = []
    for more in (2, 38):
        opened.label(ben, more)
        asked.clear()
        boss.progress(opened.campaign.id)
        numbers.append(len(asked))
    assert numbers[0] == numbers[1]


def test_somebody_new_comes_with_a_code_or_not_at_all(store: Store, boss: ManagerActions) -> None:
    ben, code = boss.welcome("ben", Role.ADJUDICATOR, days=7)
    assert let_in(store, code) == ben
    with pytest.raises(RecordError, match="somebody called 'ben' already"):
        boss.welcome("ben", Role.ANNOTATOR)
    assert [(row.person, row.valid) for row in boss.invites()] == [("ben", True)]
    boss.revoke(boss.invites()[0].id)
    assert [row.valid for row in boss.invites()] == [False]
