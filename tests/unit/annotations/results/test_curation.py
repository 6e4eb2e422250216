"""Corrected error types of written edits, with the required ones."""

from __future__ import annotations

import pytest
from sqlalchemy import delete
from sqlmodel import select

from annotations.campaigns.campaign import NewTask
from annotations.exchange.samples import load_samples
from annotations.labelling.labelling import AnnotatorActions
from annotations.people.people import Role
from annotations.results.curation import CuratorActions
from annotations.store.database import read_session
from annotations.store.records import CAMPAIGN_PREFIX, LOCAL_LABELS, NotSavedError, RecordError, RightsError
from annotations.store.response_tables import Correction
from annotations.store.store import Store
from annotations.store.tables import ItemRow, Origin
from core.text.edits import recover, to_records
from core.types import ErrorType
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

REQUIRED = "Intrinsic Entity"


def write(opened: CampaignFixture, annotator: AnnotatorActions, verb: str = "sold") -> None:
    work = opened.next_task(annotator)
    records = to_records(work.left, recover(work.left, work.left.replace("took", verb)))
    opened.send(annotator, work, answers={"possible": "yes", "edit": records, "explanation": "It took them."})


@pytest.fixture
def written(store: Store) -> CampaignFixture:
    """One summary, of which ben and cem wrote an edit each."""
    opened = make_campaign(store, "write-typed", items=0, overlap=2)
    opened.add_tasks([NewTask(id, asked={"error_type": REQUIRED}) for id in save_items(store, 1)])
    write(opened, opened.annotator("ben"))
    write(opened, opened.annotator("cem"), "lost")
    return opened


def curator(opened: CampaignFixture, name: str = "dia") -> CuratorActions:
    return CuratorActions(opened.store, opened.person(name, Role.ADJUDICATOR))


def test_every_written_edit_waits_for_a_curator(written: CampaignFixture) -> None:
    annotator = curator(written)
    edits = annotator.edits(written.campaign.id)
    assert list(edits.values()) == [None] * 2
    shown = [annotator.task(written.campaign.id, response) for response in edits]
    assert [text.required for text in shown] == [REQUIRED] * 2
    assert {text.pair.edited for text in shown} == {"Raft 1 sold crates.", "Raft 1 lost crates."}
    assert {text.pair.original for text in shown} == {"Raft 1 took crates."}
    # who wrote it is not told
    assert {(edit.explanation, edit.by) for text in shown for edit in text.pair.edits} == {("It took them.", "")}
    assert {text.pair.by for text in shown} == {""}


def test_a_correction_keeps_the_required_error_type(written: CampaignFixture) -> None:
    annotator = curator(written)
    [first, other] = annotator.edits(written.campaign.id)
    assert (
        annotator.correct(written.campaign.id, first, ErrorType.EXTRINSIC_PREDICATE, "c1", "It is about the deed.") == 1
    )
    assert annotator.correct(written.campaign.id, first, ErrorType.EXTRINSIC_PREDICATE, "c1") == 1  # sent twice
    assert annotator.correct(written.campaign.id, first, ErrorType.OTHER, "c2") == 2
    assert list(annotator.edits(written.campaign.id)) == [other, first]
    shown = annotator.task(written.campaign.id, first)
    assert (shown.required, shown.corrected_type, shown.revision) == (REQUIRED, ErrorType.OTHER, 2)
    with read_session(written.store.engine) as session:
        rows = session.exec(select(Correction).order_by(Correction.revision)).all()  # type: ignore[arg-type]  # a column
        item = session.get_one(ItemRow, rows[0].item_id)
        [required] = session.exec(select(Origin.error_type).where(Origin.item_id == item.id)).all()
    assert [row.error_type for row in rows] == ["Extrinsic Predicate", "Other"]
    assert (item.text, required) == (shown.pair.edited, REQUIRED)


def test_corrections_only_grow(written: CampaignFixture) -> None:
    annotator = curator(written)
    annotator.correct(written.campaign.id, next(iter(annotator.edits(written.campaign.id))), ErrorType.OTHER, "c1")
    with pytest.raises(NotSavedError, match="only grows"), written.store.writing() as session:
        session.connection().execute(delete(Correction))


def test_nobody_curates_their_own_edit(store: Store) -> None:
    opened = make_campaign(store, "write-free", items=1)
    dia = opened.person("dia", Role.ADJUDICATOR)
    write(opened, AnnotatorActions(store, dia))
    assert CuratorActions(store, dia).edits(opened.campaign.id) == {}
    [response] = curator(opened, "eva").edits(opened.campaign.id)
    with pytest.raises(RecordError, match="is your own"):
        CuratorActions(store, dia).correct(opened.campaign.id, response, ErrorType.OTHER, "c1")


def test_an_edit_that_was_taken_back_is_not_curated(store: Store) -> None:
    opened = make_campaign(store, "write-free", items=1)
    ben = opened.annotator("ben")
    write(opened, ben)
    annotator = curator(opened)
    [response] = annotator.edits(opened.campaign.id)
    last = ben.previous(opened.campaign.id, 10**6)
    assert last is not None
    opened.send(ben, last, "undo")
    assert annotator.edits(opened.campaign.id) == {}
    with pytest.raises(RecordError, match="was undone"):
        annotator.task(opened.campaign.id, response)


def test_an_annotator_may_not_curate(written: CampaignFixture) -> None:
    with pytest.raises(RightsError, match="may not adjudicate"):
        CuratorActions(written.store, written.person("gil"))


def test_evaluation_takes_the_type_that_a_curator_found(written: CampaignFixture) -> None:
    annotator = curator(written)
    edit = next(iter(annotator.edits(written.campaign.id)))
    text = annotator.task(written.campaign.id, edit).pair.edited
    annotator.correct(written.campaign.id, edit, ErrorType.COREFERENCE, "c1")
    for dataset in (LOCAL_LABELS, CAMPAIGN_PREFIX + written.campaign.name):
        found = {sample.item.example.summary: sample.item.error_type for sample in load_samples(written.store, dataset)}
        assert found[text] is ErrorType.COREFERENCE, dataset
        assert ErrorType.INTRINSIC_ENTITY in found.values()
