"""Items that a manager withdraws, brings back, corrects and hands to somebody."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import update
from sqlmodel import select

from annotations.campaigns.campaign import CampaignRules, VersionContent
from annotations.campaigns.questions import bundled_question_sets
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.management.item_actions import ItemActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError
from annotations.store.response_tables import Reservation
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def managing(opened: CampaignFixture) -> tuple[ManagerActions, ItemActions]:
    ada = opened.person("ada", Role.MANAGER)
    return ManagerActions(opened.store, ada), ItemActions(opened.store, ada)


def test_a_withdrawn_item_is_handed_out_no_more_and_its_labels_stay_and_count_nowhere(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    id, (manager, items) = opened.campaign.id, managing(opened)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 3)
    bad = manager.labels(id)[0].task
    assert items.withdraw(id, [bad], "The text is cut off.") == 1
    assert items.withdraw(id, [bad], "The text is cut off.") == 0
    assert len(opened.label(cem, 2)) == 2
    assert opened.no_task_reason(cem) == "over"
    labels = manager.labels(id)
    assert len(labels) == 5
    assert [label.counts for label in labels if label.task == bad] == [False]
    assert bad not in {task.task for task in manager.resolved_tasks(id)}
    assert [task.withdrawn for task in manager.tasks(id) if task.task == bad] == ["The text is cut off."]
    progress = manager.progress(id)
    assert (progress.tasks, progress.answered, progress.required) == (2, 4, 4)

    assert items.bring_back(id, [bad], "It is whole.") == 1
    assert all(label.counts for label in manager.labels(id))
    assert len(opened.label(cem, 1)) == 1
    assert len(manager.resolved_tasks(id)) == 3


def test_what_somebody_has_open_is_taken_and_a_label_that_still_comes_is_kept(store: Store) -> None:
    opened = make_campaign(store, items=2, overlap=1)
    id, (manager, items) = opened.campaign.id, managing(opened)
    ben = opened.annotator("ben")
    shown = opened.next_task(ben)
    [task] = [row.task for row in manager.tasks(id) if row.summary == shown.left]
    items.withdraw(id, [task], "Twice the same.")
    other = opened.next_task(ben)
    assert other.left != shown.left
    opened.send(ben, shown)
    assert [(label.task, label.counts) for label in manager.labels(id)] == [(task, False)]


def test_a_corrected_text_is_a_new_item_and_labels_of_both_are_apart(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=1)
    id, (manager, items) = opened.campaign.id, managing(opened)
    ben = opened.annotator("ben")
    [shown] = opened.label(ben, 1)
    old = manager.tasks(id)[0]
    with pytest.raises(RecordError, match="as they were"):
        items.correct(id, old.task, (shown.document, "", shown.left), "A typing error.")
    new = items.correct(id, old.task, (shown.document, "", f"{shown.left} Twice."), "A typing error.")
    assert {row.task: row.withdrawn for row in manager.tasks(id)} == {old.task: "A typing error.", new: ""}
    again = opened.next_task(ben)
    assert again.left == f"{shown.left} Twice."
    opened.send(ben, again, answers=BAD)
    assert [(label.task, label.answers["verdict"], label.counts) for label in manager.labels(id)] == [
        (old.task, "consistent", False),
        (new, "inconsistent", True),
    ]
    assert [(task.task, task.answers["verdict"]) for task in manager.resolved_tasks(id)] == [(new, "inconsistent")]


def test_items_are_held_for_the_person_whom_they_are_handed_to(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=1)
    id, (manager, items) = opened.campaign.id, managing(opened)
    cem = opened.person("cem")
    ben, handed = opened.annotator("ben"), opened.annotator_of(cem)
    opened.label(ben, 1)
    shown = opened.next_task(ben)
    by_summary = {row.summary: row.task for row in manager.tasks(id)}
    assert items.reassign(id, list(by_summary.values()), cem) == 2
    assert opened.no_task_reason(ben) == "reserved"
    assert {task.left for task in opened.label(handed, 2)} >= {shown.left}
    late = opened.send(ben, shown)
    assert not late.counts
    assert len(manager.labels(id)) == 4
    assert items.reassign(id, list(by_summary.values()), cem) == 0
    stranger = Member("nobody", "nobody", Role.ANNOTATOR)
    with pytest.raises(RightsError):
        items.reassign(id, list(by_summary.values()), stranger)


def test_an_item_with_all_its_labels_is_handed_to_nobody_whoever_left_it_open(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=1)
    id, (manager, items) = opened.campaign.id, managing(opened)
    ben, cem, dan = opened.annotator("ben"), opened.annotator("cem"), opened.person("dan")
    opened.next_task(ben)
    with store.writing() as session:
        session.execute(update(Reservation).values(expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
    opened.label(cem, 1)
    assert items.reassign(id, [manager.tasks(id)[0].task], dan) == 0


def test_a_repeat_that_is_open_is_no_place_to_hand_over(store: Store) -> None:
    opened = make_campaign(store, items=40, overlap=1, repeat_every=2, apart=0)
    id, items = opened.campaign.id, managing(opened)[1]
    ben, dan = opened.annotator("ben"), opened.person("dan")
    repeated: list[str] = []
    while not repeated:
        shown = opened.next_task(ben)
        with read_session(store.engine) as session:
            repeated = list(session.exec(select(Reservation.task_id).where(Reservation.turn == 2)))
        if not repeated:
            opened.send(ben, shown)
    assert items.reassign(id, repeated, dan) == 0
    opened.send(ben, shown)


def test_a_closed_campaign_holds_no_item_for_anybody(store: Store) -> None:
    opened = make_campaign(store, items=1)
    id, (manager, items) = opened.campaign.id, managing(opened)
    content = VersionContent(bundled_question_sets()["label-summaries"], "", CampaignRules(), is_open=False)
    manager.revise(id, content)
    with pytest.raises(RecordError, match="closed"):
        items.reassign(id, [manager.tasks(id)[0].task], opened.person("dan"))


def test_the_data_statement_names_items_that_were_withdrawn_and_why(store: Store) -> None:
    opened = make_campaign(store, items=4)
    id, (manager, items) = opened.campaign.id, managing(opened)
    opened.label(opened.annotator("ben"), 4)
    first, second, third, _ = (row.task for row in manager.tasks(id))
    exports = ExportActions(store, opened.person("eva", Role.MANAGER))
    assert "Withdrawn" not in exports.file(id, "data-statement", ExportTerms()).decode()
    items.withdraw(id, [first, second], "Cut | off.")
    items.correct(id, third, ("Boat 9 took crates.", "", "Boat 9 took them."), "A typing error.")
    statement = exports.file(id, "data-statement", ExportTerms()).decode()
    assert "1 item with 1 label, given" in statement
    assert "| 2 | Cut \\| off. | nothing |" in statement
    assert "| 1 | A typing error. | another version of the texts |" in statement


def test_only_a_manager_may_and_only_with_a_reason(store: Store) -> None:
    opened = make_campaign(store, items=1)
    with pytest.raises(RightsError):
        ItemActions(store, opened.person("ben"))
    manager, items = managing(opened)
    task = manager.tasks(opened.campaign.id)[0].task
    with pytest.raises(RecordError, match="reason"):
        items.withdraw(opened.campaign.id, [task], " ")
    with pytest.raises(RecordError, match="1 of these items"):
        items.withdraw(opened.campaign.id, ["nothing"], "Gone.")
