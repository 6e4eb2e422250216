"""Training: items with feedback before the first one that counts, as often as a person likes, seen by the manager."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.qualification import Stage
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.export import to_jsonl
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.campaign_progress import CampaignProgress, compute_progress
from annotations.people.people import Member, Role
from annotations.results.results import first_blind_labels, latest_labels, load_labels, repeated_labels
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items

OTHER_ANSWER = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}


def open_training(store: Store) -> CampaignFixture:
    """Three items of work, and two of training of which the usual answer is right for the first."""
    opened = make_campaign(store)
    opened.add_tasks(
        [
            NewTask(save_items(store, number)[0], part="training", key={"verdict": verdict}, feedback="It was a boat.")
            for number, verdict in ((7, "consistent"), (8, "inconsistent"))
        ]
    )
    return opened


def rounds(annotator: AnnotatorActions, opened: CampaignFixture) -> list[tuple[int, int, int]]:
    found = annotator.progress(opened.campaign.id).training
    return [(one.number, one.right, one.answered) for one in found]


def campaign_progress(opened: CampaignFixture) -> CampaignProgress:
    with read_session(opened.store.engine) as session:
        return compute_progress(session, opened.campaign)


def test_the_end_of_training_says_how_many_were_right(store: Store) -> None:
    opened = open_training(store)
    annotator = opened.annotator("ben")
    opened.label(annotator, 1)
    assert rounds(annotator, opened) == []
    opened.label(annotator, 1)
    assert rounds(annotator, opened) == [(1, 1, 2)]
    assert opened.next_task(annotator).stage is Stage.WORK
    assert rounds(annotator, opened) == []  # the items have begun


def test_training_once_more_gives_every_item_again_and_marks_the_new_answer(store: Store) -> None:
    opened = open_training(store)
    annotator = opened.annotator("ben")
    first = opened.label(annotator, 2)
    annotator.train_again(opened.campaign.id)
    annotator.train_again(opened.campaign.id)  # as by a second window: one round is under way
    again = opened.label(annotator, 1)
    last = opened.next_task(annotator)
    assert [task.document for task in (*again, last)] == [task.document for task in first]
    opened.send(annotator, last, answers=OTHER_ANSWER)
    marked = annotator.feedback(last.reservation), annotator.feedback(first[1].reservation)
    assert [answer and answer.is_correct for answer in marked] == [True, False]
    assert rounds(annotator, opened) == [(1, 1, 2), (2, 2, 2)]
    assert opened.next_task(annotator).stage is Stage.WORK


def test_training_is_had_again_only_between_its_end_and_the_first_item(store: Store) -> None:
    opened = open_training(store)
    annotator = opened.annotator("ben")
    with pytest.raises(RecordError, match="is not finished"):
        annotator.train_again(opened.campaign.id)
    opened.label(annotator, 3)
    with pytest.raises(RecordError, match="you have begun with the items"):
        annotator.train_again(opened.campaign.id)


def test_training_is_no_label_no_repeat_and_no_time(store: Store) -> None:
    opened = open_training(store)
    annotator = opened.annotator("ben")
    opened.label(annotator, 2)
    annotator.train_again(opened.campaign.id)
    opened.label(annotator, 2)
    with read_session(store.engine) as session:
        given = load_labels(session, opened.campaign)
        assert [read(given) for read in (first_blind_labels, latest_labels, repeated_labels)] == [[], [], []]
    found = campaign_progress(opened)
    [person] = found.people
    assert (found.answered, found.remaining, found.active_s, person.consistency.total) == (0, 3, None, 0)


def test_the_manager_sees_every_round_and_so_does_the_data_statement_without_a_name(store: Store) -> None:
    opened = open_training(store)
    annotator = opened.annotator("Benedict")
    opened.label(annotator, 2)
    annotator.train_again(opened.campaign.id)
    opened.label(annotator, 3)
    [person] = campaign_progress(opened).people
    assert [(one.number, one.right, one.answered) for one in person.training] == [(1, 1, 2), (2, 1, 2)]
    assert person.training[1].last_at > person.training[0].last_at
    manager = ExportActions(store, Member("1", "Ada", Role.MANAGER))
    statement = manager.file(opened.campaign.id, "data-statement", ExportTerms()).decode()
    day = f"{person.training[1].last_at:%Y-%m-%d}"
    assert [line.split(" | ")[1:] for line in statement.splitlines() if line.startswith("| p-")] == [
        ["1", "1 of 2", f"{day} |"],
        ["2", "1 of 2", f"{day} |"],
    ]
    assert "Benedict" not in statement


def test_rounds_of_training_move_with_a_campaign(store: Store, tmp_path: Path) -> None:
    opened = open_training(store)
    annotator = opened.annotator("ben")
    opened.label(annotator, 2)
    annotator.train_again(opened.campaign.id)
    opened.label(annotator, 2)
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        moved = import_campaign(other, list(to_jsonl(campaign_rows(store, opened.campaign.id))))
        [person] = campaign_progress(CampaignFixture(other, moved)).people
    assert person.training == campaign_progress(opened).people[0].training
