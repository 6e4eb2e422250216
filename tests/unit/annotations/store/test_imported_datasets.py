"""Imported datasets: kept once, whole or not at all, and put together from several files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from annotations.exchange.export import all_rows
from annotations.exchange.samples import count_texts, load_samples, load_texts
from annotations.store.database import write_session
from annotations.store.dataset_import import DatasetSource, ImportResult
from annotations.store.records import NotSavedError, ReadOnlyError, RecordError
from annotations.store.store import Store
from core.errors import TouchstoneError
from core.text.contexts import NamedText, join_contexts
from core.types import (
    Context,
    Edit,
    ErrorType,
    Example,
    Failure,
    FailureKind,
    GradedExplanation,
    Item,
    Judgement,
    Rating,
    Result,
    Seen,
    Span,
    Split,
    StoredScore,
    Verdict,
)

FILE = DatasetSource("harbour", "pairs", "harbour.jsonl", "ab" * 32, "your own", "1.0", "local")
DOCUMENT = "The harbour of Lindvale was closed on Tuesday."
SEED = Item(
    Example("h1", DOCUMENT, "The harbour was closed."),
    intended=Verdict.CONSISTENT,
    domain="news",
    group="harbour",
    scores=(StoredScore("BLEU", 0.5), StoredScore("ROUGE-2", 1.0)),
)
EDITED = Item(
    Example("h1/edited", DOCUMENT, "The harbour was opened."),
    parent="h1",
    edits=(Edit(Span(16, 22), "opened", "It was closed.", "a person"),),
    intended=Verdict.INCONSISTENT,
    error_type=ErrorType.INTRINSIC_PREDICATE,
    required_type=ErrorType.COREFERENCE,
    domain="news",
    group="harbour",
    judgements=(Judgement("h1/edited", "a1", Verdict.INCONSISTENT),),
    categories=("PredE",),
    system="bart",
    split=Split.DEV,
    ratings=(Rating("a1", "factuality", 0.5, 0),),
    scores=(StoredScore("BLEU", 0.25),),
    explanations=(GradedExplanation("It was closed.", "a model", "correct", "a1"),),
)


def put(store: Store, items: Iterable[Item], file: DatasetSource = FILE) -> ImportResult:
    return store.import_dataset(file, items, dict)


def other_file(sha256: str) -> DatasetSource:
    return replace(FILE, file=f"{sha256[:2]}.jsonl", sha256=sha256)


def bare(item: Item) -> Item:
    """The item without its document, as samples hold it."""
    return replace(item, example=replace(item.example, document=""))


def test_everything_that_an_item_says_comes_back(store: Store) -> None:
    assert put(store, [SEED, EDITED]) == ImportResult("harbour", added=2, joined=0, missing=0)
    seed, edited = load_samples(store, "harbour")
    assert [seed.item, edited.item] == [bare(SEED), bare(EDITED)]
    assert seed.document == edited.document != ""


def test_an_edited_summary_opens_with_its_original_and_its_edits(store: Store) -> None:
    put(store, [SEED, EDITED])
    pair = store.pair(load_samples(store, "harbour")[1].stored)
    assert pair is not None
    assert (pair.pair.document, pair.pair.original, pair.pair.edits) == (DOCUMENT, SEED.example.summary, EDITED.edits)


def test_the_same_file_twice_adds_nothing(store: Store) -> None:
    put(store, [SEED, EDITED])
    before = store.counts()
    assert put(store, [SEED, EDITED]) == ImportResult("harbour", added=0, joined=0, missing=0)
    assert store.counts() == before


def test_a_file_that_breaks_in_the_middle_changes_nothing(store: Store) -> None:
    def broken() -> Iterator[Item]:
        yield from [replace(SEED, example=replace(SEED.example, id=f"h{n}")) for n in range(2500)]
        raise TouchstoneError("Row 2501 has no summary.")

    before = store.counts()
    with pytest.raises(TouchstoneError, match="Row 2501"):
        put(store, broken())
    assert store.counts() == before


def test_a_database_that_fails_in_the_middle_keeps_nothing_of_the_file(store: Store) -> None:
    if store.engine.dialect.name != "sqlite":
        pytest.skip("The trigger of this test is SQLite's.")
    with write_session(store.engine) as session:
        session.connection().execute(
            text("CREATE TRIGGER full BEFORE INSERT ON sample BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
        )
    before = store.counts()
    with pytest.raises(NotSavedError, match="full"):
        put(store, [SEED, EDITED])
    assert store.counts() == before


def test_several_files_of_a_dataset_add_up(store: Store) -> None:
    put(store, [SEED, EDITED])
    more = Item(
        Example("h1", "", ""),
        scores=(StoredScore("DAE", 0.75),),
        ratings=(Rating("a2", "fluency", 3),),
        group="harbour",
    )
    put(store, [more], other_file("cd" * 32))
    sample = load_samples(store, "harbour")[0]
    assert sample.item.scores == (*SEED.scores, *more.scores)
    assert (sample.item.ratings, sample.item.intended) == (more.ratings, Verdict.CONSISTENT)
    assert sample.item.example.summary == SEED.example.summary


def test_what_a_newer_file_says_of_the_same_field_counts(store: Store) -> None:
    put(store, [SEED])
    put(store, [replace(SEED, intended=Verdict.BORDERLINE)], replace(other_file("cd" * 32), replaces=""))
    [sample] = load_samples(store, "harbour")
    assert sample.item.intended is Verdict.BORDERLINE


def test_a_document_that_comes_later_is_joined_by_its_group(store: Store) -> None:
    lacking = replace(SEED, example=Example("h1", "", SEED.example.summary))
    assert put(store, [lacking]) == ImportResult("harbour", added=1, joined=0, missing=1)
    assert load_samples(store, "harbour")[0].stored == ""
    document = Item(Example("document of harbour", DOCUMENT, ""), group="harbour")
    assert put(store, [document], other_file("cd" * 32)) == ImportResult("harbour", 1, joined=1, missing=0, version=2)
    [sample] = load_samples(store, "harbour")
    assert sample.item == bare(SEED)
    assert [example.document for example in load_texts(store, "harbour")] == [DOCUMENT]
    assert count_texts(store, "harbour") == 1
    assert put(store, [document], other_file("cd" * 32)).joined == 0


def test_a_summary_keeps_its_question_when_the_document_comes_later(store: Store) -> None:
    asked = [
        replace(SEED, example=Example(f"h{number}", "", SEED.example.summary, question=question))
        for number, question in enumerate(("Who closed it?", "When?", ""))
    ]
    contexts = (Context("notice", Span(0, 10)),)
    put(store, asked)
    document = Item(Example("document of harbour", DOCUMENT, "", contexts), group="harbour")
    assert put(store, [document], other_file("cd" * 32)).joined == 3
    found = [example for example in load_texts(store, "harbour") if example.summary]
    assert sorted(one.question for one in found) == ["", "When?", "Who closed it?"]
    assert {(one.document, one.contexts) for one in found} == {(DOCUMENT, contexts)}


def test_two_datasets_may_say_different_things_of_the_same_texts(store: Store) -> None:
    put(store, [SEED])
    put(store, [replace(SEED, scores=(StoredScore("BLEU", 50.0),))], replace(FILE, dataset="other"))
    [ours], [theirs] = load_samples(store, "harbour"), load_samples(store, "other")
    assert ours.stored == theirs.stored
    assert (ours.item.scores[0].value, theirs.item.scores[0].value) == (0.5, 50.0)


def test_our_scores_are_loaded_with_the_released_ones(store: Store) -> None:
    put(store, [SEED])
    [example] = load_texts(store, "harbour")
    failed = Failure(example.id, "rouge2", FailureKind.ERROR, "It broke.")
    store.save_outcomes([failed])
    assert [score.value for score in load_samples(store, "harbour")[0].kept] == [None]
    store.save_outcomes([Result(example.id, "rouge2", "rouge2|v1", 0.75, (), Seen(), 0.1, "cpu")])
    assert load_samples(store, "harbour")[0].kept == (StoredScore("rouge2", 0.75, "rouge2|v1"),)


def test_a_file_is_kept_with_its_origin_and_counts(store: Store) -> None:
    store.import_dataset(FILE, [SEED, EDITED], lambda: {"samples": 2})
    [dataset] = store.datasets()
    [file] = dataset.files
    assert (dataset.name, dataset.samples) == ("harbour", 2)
    assert store.dataset_names() == ["harbour"]
    [imported] = store.import_times().items()
    assert (imported[0], imported[1].tzinfo) == ("harbour", UTC)
    assert (file.file, file.sha256, file.licence, file.counts) == (
        "harbour.jsonl",
        "ab" * 32,
        "your own",
        {"samples": 2},
    )


def test_an_unknown_dataset_names_those_that_exist(store: Store) -> None:
    put(store, [SEED])
    with pytest.raises(RecordError, match="Imported: harbour"):
        load_samples(store, "harbor")


def test_a_text_that_no_database_keeps_is_refused_with_its_record(store: Store) -> None:
    with pytest.raises(RecordError, match=r"the record 'h1' is U\+0000"):
        put(store, [replace(SEED, example=Example("h1", DOCUMENT, "a\0b"))])


@pytest.mark.parametrize("change", ["UPDATE sample SET facts = '{}'", "DELETE FROM sample"])
def test_samples_are_never_changed(store: Store, change: str) -> None:
    put(store, [SEED])
    with store.engine.connect() as connection, pytest.raises(DatabaseError, match="only grows"):
        connection.execute(text(change))


def test_imported_texts_are_exported_only_if_labelled_or_saved(store: Store) -> None:
    put(store, [SEED, EDITED])
    ids = [sample.stored for sample in load_samples(store, "harbour")]
    store.save_outcomes([Result(id, "rouge2", "rouge2|v1", 0.75, (), Seen(), 0.1, "cpu") for id in ids])
    assert list(all_rows(store)) == []
    pair = store.pair(ids[1])
    assert pair is not None
    store.save_pair(replace(pair.pair, by="ada", outcomes=()))
    assert sorted(row["kind"] for row in all_rows(store)) == ["pair", "score", "score", "summary"]


def test_a_demonstration_imports_nothing(tmp_path: Path) -> None:
    with (
        closing(Store.open(f"sqlite:///{tmp_path / 'none.db'}", read_only=True)) as store,
        pytest.raises(ReadOnlyError),
    ):
        put(store, [SEED])


def test_contexts_and_question_come_back_and_make_another_document(store: Store) -> None:
    document, contexts = join_contexts([NamedText("Port", DOCUMENT), NamedText("Weather", "Winds were strong.")])
    plain = Example("p", document, "It was closed.")
    asked = replace(plain, id="q", contexts=contexts, question="Why?")
    put(store, [Item(plain, group="one"), Item(asked, group="two")])
    stored = {text.id: replace(text, id="") for text in load_texts(store, "harbour")}
    samples = {sample.item.example.id: sample for sample in load_samples(store, "harbour")}
    assert stored[samples["q"].stored] == replace(asked, id="")
    assert stored[samples["p"].stored] == replace(plain, id="")
    assert samples["p"].document != samples["q"].document
