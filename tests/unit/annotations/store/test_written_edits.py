"""Edits that annotators write: what becomes a minimal pair, and what is refused."""

from __future__ import annotations

import pytest
from sqlmodel import select

from annotations.campaigns.campaign import NewTask
from annotations.store.records import RecordError
from annotations.store.store import Store
from annotations.store.tables import Origin
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items


def edit(original: str, new: str) -> list[dict[str, str]]:
    return [{"original_text": original, "replace_text": new, "explanation": ""}]


def written(store: Store) -> CampaignFixture:
    opened = make_campaign(store, "write-typed", items=0)
    opened.add_tasks([NewTask(save_items(store, 1)[0], asked={"error_type": "Intrinsic Entity"})])
    return opened


def test_a_written_edit_becomes_a_minimal_pair_of_its_writer(store: Store) -> None:
    opened = written(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    assert (work.error_type, work.left) == ("Intrinsic Entity", "Raft 1 took crates.")
    answers = {"possible": "yes", "edit": edit("crates", "the mill"), "explanation": "It took crates."}
    opened.send(annotator, work, answers=answers)
    with store.writing() as session:
        origin = session.exec(select(Origin).where(Origin.by == "ben")).one()
    stored = store.pair(origin.item_id)
    assert stored is not None
    assert (stored.pair.edited, stored.pair.source) == ("Raft 1 took the mill.", "campaign Boats")
    assert stored.pair.error_type == "Intrinsic Entity"
    assert stored.pair.edits[0].explanation == "It took crates."


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        (edit("crates", "crates,"), "Only punctuation, case or blanks"),
        (edit("boats", "rafts"), "boats"),
        (edit("crates", "crates and barrels and sacks and ropes"), "Keep it about as long"),
        (edit("Raft 1 took", "Some men stole"), "Less than half"),
    ],
)
def test_an_edit_that_is_no_single_plain_change_is_refused(
    store: Store, records: list[dict[str, str]], sentence: str
) -> None:
    opened = written(store)
    annotator = opened.annotator("ben")
    with pytest.raises(RecordError, match=sentence):
        opened.send(
            annotator,
            opened.next_task(annotator),
            answers={"possible": "yes", "edit": records, "explanation": "It is wrong."},
        )


def test_that_no_such_error_can_be_made_is_an_answer_with_a_reason(store: Store) -> None:
    opened = written(store)
    annotator = opened.annotator("ben")
    opened.send(
        annotator,
        opened.next_task(annotator),
        answers={"possible": "not applicable", "why_not": "There is only one entity."},
    )
    assert opened.no_task_reason(annotator) == "over"
