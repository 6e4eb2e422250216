"""Labels that are left out: figures, exports and the queue go on without them, and they can be let in again."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.exclusions import WhatIsExcluded
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.data_statement import data_statement
from annotations.exchange.export_format import ExportTerms, open_export
from annotations.exchange.samples import load_samples
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.label_agreement import compute_agreement
from annotations.results.resolution import Resolution, resolve_tasks
from annotations.results.results import first_blind_labels, load_labels
from annotations.store.database import read_session
from annotations.store.records import NotSavedError, RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items

ADA = Member("0", "ada", Role.MANAGER)
WRONG = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def labelled(store: Store) -> tuple[CampaignFixture, ManagerActions, Member]:
    """Three items by two people each, of whom one is always wrong."""
    opened = make_campaign(store, items=3, overlap=2, apart=0)
    bad = opened.person("bad")
    opened.label(opened.annotator("good"), 3)
    for _ in range(3):
        annotator = opened.annotator_of(bad)
        opened.send(annotator, opened.next_task(annotator), answers=WRONG)
    return opened, ManagerActions(store, ADA), bad


def test_places_are_free_and_figures_go_on_without_what_is_left_out(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    before = manager.progress(id)
    assert (before.complete, before.answered, before.remaining, before.disputed) == (3, 6, 0, 3)
    assert opened.no_task_reason(opened.annotator("early")) == "over"
    assert manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.") == 3

    after = manager.progress(id)
    assert (after.complete, after.answered, after.remaining, after.disputed) == (0, 3, 3, 0)
    assert {one.name: one.excluded for one in after.people} == {"bad": 3, "good": 0}
    with read_session(store.engine) as session:
        assert {task.resolution for task in resolve_tasks(session, opened.campaign)} == {Resolution.SINGLE}
        labels = first_blind_labels(load_labels(session, opened.campaign))
    question = opened.campaign.questions.by_id["verdict"]
    found = compute_agreement(question, "Overall", labels)
    assert found is not None
    assert found.people == 1
    opened.label(opened.annotator("late"), 3)
    assert manager.progress(id).complete == 3
    assert opened.no_task_reason(opened.annotator_of(bad)) == "over"


def test_labels_are_let_in_again_beyond_the_overlap_and_the_record_stays(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.")
    opened.label(opened.annotator("late"), 3)
    [row] = manager.exclusions(id)
    manager.reinstate(id, row.id, "They were right.")
    assert sum(label.counts for label in manager.labels(id)) == 9
    assert manager.progress(id).answered == 6  # what the items need: more labels of one are no progress of the others
    [row] = manager.exclusions(id)
    assert (row.reason, row.reinstated, row.valid, row.labels) == ("Guessed.", "They were right.", False, 3)
    with pytest.raises(RecordError, match="not left out"):
        manager.reinstate(id, row.id, "Twice.")


def test_a_day_and_a_question_are_left_out_alone(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    with read_session(store.engine) as session:
        today = first_blind_labels(load_labels(session, opened.campaign))[0].created_at.date()
    with pytest.raises(RecordError, match="no such label"):
        manager.exclude(id, WhatIsExcluded(bad.id, today - timedelta(days=1)), "Ill.")
    assert manager.exclude(id, WhatIsExcluded(bad.id, today), "Ill.") == 3
    manager.reinstate(id, manager.exclusions(id)[0].id, "It was another day.")
    manager.exclude(id, WhatIsExcluded(bad.id, question="confidence"), "Took the scale the wrong way round.")
    with read_session(store.engine) as session:
        own = [
            label.answers
            for label in first_blind_labels(load_labels(session, opened.campaign))
            if label.person == "bad"
        ]
    assert own == [{"verdict": "inconsistent", "reason": "It was a boat."}] * 3
    assert manager.progress(id).complete == 3
    manager.exclude(id, WhatIsExcluded(bad.id, question="verdict"), "Guessed.")
    assert manager.progress(id).complete == 0
    for what, reason in ((WhatIsExcluded(bad.id, question="colour"), "x"), (WhatIsExcluded(bad.id), " ")):
        with pytest.raises(RecordError):
            manager.exclude(id, what, reason)


def test_estimates_exports_and_the_data_statement_follow_and_an_import_has_the_same(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    assert [sample.item.intended for sample in load_samples(store, "campaign: Boats") if sample.item.judgements]
    manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.")
    assert {len(sample.item.judgements) for sample in load_samples(store, "campaign: Boats")} <= {0, 1}
    rows = campaign_rows(store, id)
    assert [row["excluded"] for row in rows if row["kind"] == "label"] == [False] * 3 + [True] * 3
    [row] = [row for row in rows if row["kind"] == "exclusion"]
    assert (row["reason"], row["day"], row["reinstated"]) == ("Guessed.", None, None)
    with open_export(store, id, ExportTerms()) as export:
        statement = data_statement(export, export.tasks())
    assert "3 items with 3 labels" in statement
    assert "| 3 labels | Guessed. |" in " ".join(statement.split())
    assert " bad " not in statement


@pytest.mark.slow
def test_an_import_leaves_the_same_labels_out(store: Store, tmp_path_factory: pytest.TempPathFactory) -> None:
    opened, manager, bad = labelled(store)
    manager.exclude(opened.campaign.id, WhatIsExcluded(bad.id), "Guessed.")
    manager.reinstate(opened.campaign.id, manager.exclusions(opened.campaign.id)[0].id, "They were right.")
    manager.exclude(opened.campaign.id, WhatIsExcluded(bad.id, question="verdict"), "Guessed.")
    lines = [json.dumps(row) for row in campaign_rows(store, opened.campaign.id)]
    other = Store.open(f"sqlite:///{tmp_path_factory.mktemp('other') / 'other.db'}")
    imported = import_campaign(other, lines)
    assert [json.dumps(row) for row in campaign_rows(other, imported.id)] == lines
    other.close()


def test_an_exclusion_is_never_changed(store: Store) -> None:
    opened, manager, bad = labelled(store)
    manager.exclude(opened.campaign.id, WhatIsExcluded(bad.id), "Guessed.")
    with pytest.raises(NotSavedError, match="exclusion only grows"), store.writing() as session:
        session.connection().exec_driver_sql("DELETE FROM exclusion")


def test_an_exclusion_that_is_pressed_twice_is_taken_once(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    assert [manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.") for _ in range(2)] == [3, 3]
    assert len(manager.exclusions(id)) == 1
    with pytest.raises(RecordError, match="left out already: Guessed"):
        manager.exclude(id, WhatIsExcluded(bad.id), "Too quick.")
    assert manager.count_left_out(id) == 3


def test_a_label_that_two_exclusions_cover_counts_once(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    manager.exclude(id, WhatIsExcluded(bad.id, question="confidence"), "No idea of it.")
    manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.")
    assert len(manager.exclusions(id)) == 2
    assert manager.count_left_out(id) == 3


def test_labels_since_an_exclusion_can_be_left_out_by_another(store: Store) -> None:
    opened, manager, bad = labelled(store)
    id = opened.campaign.id
    manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.")
    opened.add_tasks([NewTask(item) for item in save_items(store, 9)])
    annotator = opened.annotator_of(bad)
    opened.send(annotator, opened.next_task(annotator), answers=WRONG)
    assert manager.exclude(id, WhatIsExcluded(bad.id), "Guessed.") == 4
    assert manager.count_left_out(id) == 4
