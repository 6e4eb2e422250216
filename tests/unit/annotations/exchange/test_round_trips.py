"""Exports of Touchstone for other tools come back by its import: the same texts, labels and judgements."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotations.campaigns.answer_verdicts import verdicts_of_answers
from annotations.campaigns.campaign import NewTask
from annotations.exchange.dataset_export import dataset_files, push_error
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.exchange.labelled_items import load_items
from annotations.exchange.samples import load_samples
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.people.people import Member, Role
from annotations.results.resolution import resolve_tasks
from annotations.store.database import read_session
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import LOCAL_LABELS, PairRecord
from annotations.store.store import Store
from annotations.store.tables import ItemRow
from core.base import zip_files
from core.data import DATASETS, ImportCounts, recognise, strict_items
from core.text.edits import recover, to_records
from core.types import (
    Context,
    ErrorType,
    Example,
    GradedExplanation,
    Item,
    Judgement,
    Rating,
    Span,
    Split,
    StoredScore,
    Verdict,
)
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, EDITS, ORIGINAL, record

MANAGER = Member("", "Ada", Role.MANAGER)
SEED = Item(
    Example(
        "t1", DOCUMENT, ORIGINAL, (Context("Board", Span(0, 32)), Context("Tugs", Span(33, 52))), "What was bought?"
    ),
    intended=Verdict.CONSISTENT,
    domain="news",
    group="tug",
    title="Tugs",
    system="m1",
    source="part 1",
    split=Split.DEV,
    slices=("short", "harbour"),
    ratings=(Rating("a1", "factuality", 0.5, 0), Rating("all", "factuality", 0.5)),
    scores=(StoredScore("rouge", 0.25),),
    failed_scores=("bleurt",),
)
CHANGED = replace(
    SEED,
    example=replace(SEED.example, id="t1/edited", summary=EDITED),
    parent="t1",
    edits=EDITS,
    intended=Verdict.INCONSISTENT,
    error_type=ErrorType.INTRINSIC_PREDICATE,
    required_type=ErrorType.COREFERENCE,
    judgements=(
        Judgement("t1/edited", "a1", Verdict.INCONSISTENT),
        Judgement("t1/edited", "a2", Verdict.INCONSISTENT, Span(10, 14), "verb"),
    ),
    categories=("verb", "entity"),
    ratings=(),
    explanations=(GradedExplanation("It was bought.", "m2", "partially", "a1", Verdict.INCONSISTENT, "vague"),),
)
PLAIN = Item(Example("p", "", "Nobody has its document."), group="p")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    yield store
    store.close()


def import_tugs(store: Store, licence: str = "MIT", items: tuple[Item, ...] = (SEED, CHANGED, PLAIN)) -> None:
    store.import_dataset(DatasetSource("tugs", "bump", "tugs.json", "0", licence), items, dict)


def unpacked(content: bytes, folder: Path) -> Path:
    folder.mkdir()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def sources(content: bytes, folder: Path, *files: str) -> list[Path]:
    """An archive, the folder that it unpacks to, and files of it."""
    whole = unpacked(content, folder / "unpacked")
    return [put(folder / "export.zip", content), whole, *(whole / name for name in files)]


def imported(source: Path) -> list[Item]:
    """The items of a source that nobody said what it is."""
    recognition = recognise(source)
    assert recognition is not None
    return list(strict_items(DATASETS.get(recognition.importer)().read(source), ImportCounts()))


def test_a_dataset_comes_back_with_all_that_it_knew_of_each_summary(store: Store, other: Store, tmp_path: Path) -> None:
    import_tugs(store)
    for source in sources(zip_files(dataset_files(store, "tugs")), tmp_path, "items.parquet"):
        items = imported(source)
        assert items == load_items(store, "tugs")
        other.import_dataset(DatasetSource(source.name, "exported", source.name, "0"), items, dict)
        assert load_items(other, source.name) == load_items(store, "tugs")


def test_a_dataset_keeps_the_licence_under_which_it_came(store: Store, other: Store, tmp_path: Path) -> None:
    import_tugs(store, "CC-BY-ND-4.0 (for evaluation only)")
    source = put(tmp_path / "tugs.zip", zip_files(dataset_files(store, "tugs")))
    reader = DATASETS.get("exported")()
    assert reader.licence_of(source) == "CC-BY-ND-4.0 (for evaluation only)"
    origin = DatasetSource("tugs", "exported", "tugs.zip", "0", reader.licence_of(source))
    other.import_dataset(origin, imported(source), dict)
    assert "forbids to share it" in push_error(other, "tugs", "")


def test_what_was_kept_comes_back_with_its_labels(store: Store, tmp_path: Path) -> None:
    for saved in (record("a"), record("b", annotator="cem", verdict=Verdict.CONSISTENT)):
        store.save_label(saved)
    source = put(tmp_path / "ours.zip", zip_files(dataset_files(store, LOCAL_LABELS)))
    original, edited = imported(source)
    assert (original.example.summary, edited.example.summary) == (ORIGINAL, EDITED)
    assert (edited.parent, edited.edits[0].explanation) == (original.example.id, EDITS[0].explanation)
    assert [(vote.judge, vote.verdict.value) for vote in edited.judgements] == [
        ("person-1", "inconsistent"),
        ("person-2", "consistent"),
    ]
    assert b"cem" not in source.read_bytes()


def label(opened: CampaignFixture, name: str, answer: Any) -> None:
    annotator = opened.annotator(name)
    for _ in range(3):
        work = opened.next_task(annotator)
        opened.send(annotator, work, answers=answer(work))


def pairs_of_two(store: Store) -> CampaignFixture:
    """Three pairs with spans and error types; people agree on one, and one of the others is adjudicated."""
    opened = make_campaign(store, "label-pairs", items=0, overlap=2)
    for number in range(3):
        document, original = f"Boat {number} took {number} crates to the mill.", f"Boat {number} took crates."
        edited = f"Raft {number} took crates."
        pair = PairRecord(document, original, edited, tuple(recover(original, edited)), by="Ada Lovelace")
        opened.add_tasks([NewTask(pair=pair)])

    def wrong(work: Any) -> dict[str, Any]:
        side = "left" if work.left.startswith("Raft") else "right"
        spans = [[0, 4, side]]
        return {
            "unfaithful": side,
            "error_type": "Intrinsic Entity",
            "explanation": f"No raft: {work.document}",
            "wrong_words": spans,
        }

    label(opened, "Benedict", wrong)
    label(
        opened, "Cemile", lambda work: wrong(work) if work.document.startswith("Boat 1") else {"unfaithful": "neither"}
    )
    judge = AdjudicatorActions(store, opened.person("Diarmuid", Role.ADJUDICATOR))
    case = judge.queue(opened.campaign.id).open[0]
    shown = judge.task(opened.campaign.id, case.task)
    answers = {"unfaithful": "both", "error_type": "Coreference", "explanation": "Both."}
    decision = SentDecision(case.task, answers, DisagreementCause.SLIP, shown.responses, "d1")
    judge.save_decision(opened.campaign.id, decision)
    return opened


def graded(store: Store) -> CampaignFixture:
    opened = make_campaign(store, "judge-explanations", items=2, overlap=2)
    for name in ("Benedict", "Cemile"):
        annotator = opened.annotator(name)
        for _ in range(2):
            work = opened.next_task(annotator)
            opened.send(annotator, work, answers={"grade": "partially", "cause": "vague"})
    return opened


def summaries(store: Store) -> CampaignFixture:
    opened = make_campaign(store, items=3, overlap=2)
    for name, verdict in (("Benedict", "consistent"), ("Cemile", "inconsistent")):
        annotator = opened.annotator(name)
        for number in range(3):
            work = opened.next_task(annotator)
            said = "consistent" if number == 0 else verdict
            reason = {} if said == "consistent" else {"reason": "It sank."}
            opened.send(annotator, work, answers={"verdict": said, "confidence": 4, **reason})
    return opened


def essence(item: Item) -> tuple[object, ...]:
    """The facts of a text that a campaign's export for another tool carries, in words that do not depend on ids."""
    votes = {vote.judge: vote.verdict for vote in item.judgements if vote.span is None}
    explanations = [(entry.text, entry.grade, entry.cause, entry.judge) for entry in item.explanations]
    return item.example.document, item.example.summary, bool(item.parent), votes, explanations


MAKERS = {"pairs": pairs_of_two, "grades": graded, "summaries": summaries}


def labels_of_people(opened: CampaignFixture) -> dict[str, Verdict | None]:
    """The settled label of each summary; the intention of an author who wrote one is none."""
    with read_session(opened.store.engine) as session:
        labels = dict[str, Verdict | None]()
        for task in resolve_tasks(session, opened.campaign):
            row = session.get_one(ItemRow, task.item)
            parent = session.get(ItemRow, row.parent_id) if row.parent_id else None
            original, edited = verdicts_of_answers(opened.campaign.questions, task.answers)
            labels |= {row.text: edited} | ({parent.text: original} if parent else {})
    return labels


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("form", "files"), [("hf-dataset", ("tasks.parquet", "labels.parquet")), ("label-studio", ("tasks.json",))]
)
def test_a_campaign_for_another_tool_comes_back_with_its_labels(
    store: Store, tmp_path: Path, make: str, form: str, files: tuple[str, ...]
) -> None:
    opened = MAKERS[make](store)
    dataset = f"campaign: {opened.campaign.name}"
    expected = {sample.stored: sample.item for sample in load_samples(store, dataset)}
    texts = {item.example.id: item.example for item in load_items(store, dataset)}
    labels = labels_of_people(opened)
    wanted = [
        replace(item, example=replace(item.example, document=texts[item.example.id].document))
        for item in expected.values()
    ]
    if make == "summaries":  # people did not see from what they were edited
        wanted = [replace(item, parent=None) for item in wanted if item.judgements]
    content = ExportActions(store, MANAGER).file(opened.campaign.id, form, ExportTerms())
    for source in sources(content, tmp_path, *files):
        items = imported(source)
        assert sorted(item.example.summary for item in items) == sorted(item.example.summary for item in wanted)
        assert len({item.example.id for item in items}) == len(items)
        for item in items:
            [same] = [one for one in wanted if one.example.summary == item.example.summary]
            if source.name == "tasks.parquet":  # final answers alone
                assert not item.judgements
                item = replace(item, judgements=same.judgements)  # only what the file has is compared
            if source.name == "labels.parquet":
                item = replace(item, explanations=same.explanations, error_type=same.error_type)
            assert essence(item) == essence(same), source.name
            assert item.error_type == same.error_type, source.name
            if source.name != "labels.parquet":  # without decisions
                assert item.intended == labels[item.example.summary], source.name


def test_marked_words_and_explanations_of_people_come_back(store: Store, tmp_path: Path) -> None:
    opened = pairs_of_two(store)
    for form in ("hf-dataset", "label-studio"):
        content = ExportActions(store, MANAGER).file(opened.campaign.id, form, ExportTerms())
        items = imported(put(tmp_path / f"{form}.zip", content))
        [raft] = [item for item in items if item.example.summary == "Raft 1 took crates."]
        votes = [vote for vote in raft.judgements if vote.span is None]
        assert [vote.note.split(":")[0] for vote in votes] == ["No raft", "No raft"]
        marked = [vote.span for vote in raft.judgements if vote.span]
        assert marked == [Span(0, 4), Span(0, 4)]
        assert len({vote.judge for vote in raft.judgements}) == 2


@pytest.mark.parametrize("form", ["hf-dataset", "label-studio"])
def test_an_import_says_by_name_what_the_file_does_not_carry(store: Store, tmp_path: Path, form: str) -> None:
    opened = summaries(store)
    content = ExportActions(store, MANAGER).file(opened.campaign.id, form, ExportTerms())
    source = put(tmp_path / "export.zip", content)
    recognition = recognise(source)
    assert recognition is not None
    assert "that Touchstone exported" in recognition.sentence
    [sentence] = DATASETS.get("exported")().describe(source)
    assert "answers to confidence" in sentence
    assert "comments, flags, exclusions and times" in sentence


def test_a_campaigns_licence_goes_with_its_texts(store: Store, tmp_path: Path) -> None:
    opened = summaries(store)
    content = ExportActions(store, MANAGER).file(opened.campaign.id, "hf-dataset", ExportTerms("cc-by-4.0"))
    source = put(tmp_path / "export.zip", content)
    assert DATASETS.get("exported")().licence_of(source) == "cc-by-4.0"


@pytest.mark.parametrize("form", ["hf-dataset", "label-studio"])
def test_edits_that_people_wrote_come_back_as_pairs(store: Store, tmp_path: Path, form: str) -> None:
    opened = make_campaign(store, "write-typed", items=0)
    [id] = save_items(store, 1, by="Adalbert")
    opened.add_tasks([NewTask(id, asked={"error_type": "Intrinsic Entity"})])
    ben = opened.annotator("Benedict")
    work = opened.next_task(ben)
    written = to_records(work.left, recover(work.left, work.left.replace("took", "sold")))
    opened.send(ben, work, answers={"possible": "yes", "edit": written, "explanation": "It took them."})
    content = ExportActions(store, MANAGER).file(opened.campaign.id, form, ExportTerms())
    edited = imported(put(tmp_path / "export.zip", content))[-1]
    expected = load_samples(store, "campaign: Boats")[-1].item
    assert (edited.example.summary, edited.intended, edited.error_type) == (
        expected.example.summary,
        Verdict.INCONSISTENT,
        ErrorType.INTRINSIC_ENTITY,
    )
    assert edited.example.summary == "Raft 1 sold crates."


def test_minimal_pairs_come_back_as_such(store: Store, tmp_path: Path) -> None:
    opened = make_campaign(store, "label-pairs", items=2)
    annotator = opened.annotator("Benedict")
    for kind in ("Intrinsic Entity", "Coreference"):
        work = opened.next_task(annotator)
        side = "left" if work.left.startswith("Raft") else "right"
        opened.send(annotator, work, answers={"unfaithful": side, "error_type": kind, "explanation": "No raft."})
    source = put(tmp_path / "b.json", ExportActions(store, MANAGER).file(opened.campaign.id, "bump", ExportTerms()))
    items = imported(source)
    samples = [sample.item for sample in load_samples(store, "campaign: Boats")]
    by_summary = {item.example.summary: (item.intended, item.error_type) for item in items}
    assert by_summary == {item.example.summary: (item.intended, item.error_type) for item in samples}
    assert {item.domain for item in items} == {""}
    assert len({item.group for item in items}) == 2
    assert DATASETS.get("exported")().licence_of(source) == "your own"
