"""What a metric may learn from, and what the guards keep out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.assessment.papers.paper import PAPERS
from core.data.dataset import DATASETS
from core.data.datasets.bundled import bundled_items
from core.errors import TouchstoneError
from core.evaluation.training.cross_encoder_trainer import EncoderSetting
from core.evaluation.training.trainer import pairs_of
from core.evaluation.training.training_data import describe, training_data
from core.evaluation.training.training_plan import TrainingPlan, TrainingSource
from core.types import Example, Item, Span, Split, Verdict
from tests.sources import ROOT

SENTENCES = "The harbour closed at noon on day {0}. A ship of line {0} waited outside for the pilot. Nobody on pier {0} was hurt."


def item(number: int, verdict: Verdict, split: Split | None = None, document: str = "") -> Item:
    text = document or SENTENCES.format(number)
    summary = f"A ship of line {number} waited." if verdict is Verdict.CONSISTENT else f"A ship of line {number} sank."
    name = f"{number}-{verdict}-{split}"
    return Item(Example(name, text, summary), intended=verdict, split=split, group=f"doc-{number}")


def both_classes(documents: int) -> list[Item]:
    verdicts = (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    return [item(number, verdict) for number in range(documents) for verdict in verdicts]


def refused(items: Sequence[Item], importer: str = "") -> str:
    with pytest.raises(TouchstoneError) as error:
        TrainingPlan([TrainingSource("data", items, importer)], share=0).data()
    return str(error.value)


def few_bundled_items() -> list[Item]:
    """Those of 20 documents: to edit all of them by rule takes ten seconds, once for each seed."""
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:20]
    return [item for item in bundled_items() if item.group in groups]


def test_nineteen_documents_are_too_few_and_one_class_is_none() -> None:
    assert "19 documents" in refused(both_classes(19))
    assert "All 30 summaries to learn from are consistent" in refused([item(n, Verdict.CONSISTENT) for n in range(30)])


def test_texts_that_are_nearly_the_same_are_said_to_count_as_one() -> None:
    near = [
        item(number, verdict, document=f"{SENTENCES.format(7)} Ship {number}.")
        for number in range(25)
        for verdict in (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    ]
    assert "There is 1 document to learn from, as 25 texts of one group or nearly the same count as one" in refused(
        near
    )


BUMP_FILE = ROOT.parent / "shared/data/bump/task1_dataset.json"


@pytest.mark.skipif(not BUMP_FILE.is_file(), reason="needs ../shared/data")
def test_the_documents_of_a_benchmark_are_known_under_any_name() -> None:
    article = json.loads(BUMP_FILE.read_text("utf-8"))[0]["article"]
    own = [*both_classes(25), item(99, Verdict.CONSISTENT, document=f"{article.lower()}  Read more.")]
    data = TrainingPlan([TrainingSource("mine.jsonl", own)], share=0).data()
    assert data.left_out == {"marked test, or what a paper's tables rest on": 1}
    assert data.document_count() == 25
    asked = TrainingPlan([TrainingSource("mine.jsonl", own, include_test=True)], share=0)
    assert asked.data().document_count() == 26
    assert asked.sources[0].learned_test_items() == 1


def test_documents_in_another_language_are_refused_where_the_encoder_does_not_read_it() -> None:
    german = "Der Hafen wurde am Dienstag nach einem Sturm geschlossen, und niemand wurde dabei verletzt. Haus {0}."
    items = [*both_classes(25), *(item(n, Verdict.CONSISTENT, document=german.format(n)) for n in range(100, 103))]
    assert "3 of 28 documents are in another language than English (de)" in refused(items)
    other = EncoderSetting("owner/multilingual")
    plan = TrainingPlan([TrainingSource("data", items)], share=0, recipe="cross-encoder", encoder=other)
    assert plan.data().document_count() >= 26


def test_the_language_is_refused_before_any_text_is_compared_with_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "core.evaluation.training.training_plan.reserve_test_data", lambda *_: pytest.fail("the texts were read")
    )
    german = "Der Hafen wurde am Dienstag nach einem Sturm geschlossen, und niemand wurde dabei verletzt."
    assert "in another language" in refused([*both_classes(25), item(100, Verdict.CONSISTENT, document=german)])


def test_a_test_split_is_never_learned_from() -> None:
    assert "marked test" in refused([replace(one, split=Split.TEST) for one in both_classes(30)])


def test_a_document_of_the_test_split_is_left_out_where_it_is_not_marked() -> None:
    items = both_classes(25)
    leaked = [*items, replace(items[0], split=Split.TEST, example=replace(items[0].example, id="held-out"))]
    data = training_data(leaked, 0, 0)
    assert items[0].example.document not in {row.document for row in data.rows}
    assert data.left_out["of a document that is marked test elsewhere"] == 2


def test_a_near_duplicate_of_a_document_of_the_test_split_is_left_out() -> None:
    items = both_classes(25)
    text = items[0].example.document
    near = replace(
        items[0], split=Split.TEST, example=Example("held-out", f"{text} It was reported later.", "A ship waited.")
    )
    data = training_data([*items, near], 0, 0)
    assert text not in {row.document for row in data.rows}
    assert data.left_out["a near-duplicate of a document that is marked test"] == 2


def test_a_test_is_learned_from_on_request_alone_and_counted() -> None:
    marked = [replace(one, split=Split.TEST if number < 40 else None) for number, one in enumerate(both_classes(30))]
    source = TrainingSource("SummEdits", marked, "summedits", include_test=True)
    assert len(TrainingPlan([source], share=0).data().rows) == len(marked)
    assert source.learned_test_items() == len(marked)
    assert replace(source, include_test=False).learned_test_items() == 0


def test_data_of_a_papers_tables_counts_as_test_unless_its_authors_marked_it() -> None:
    assert "what a paper's tables rest on" in refused(both_classes(30), importer="bump")
    marked = [replace(one, split=Split.DEV) for one in both_classes(30)]
    assert TrainingPlan([TrainingSource("SummEdits", marked, "summedits")], share=0).data().document_count() == 30


def test_datasets_that_number_alike_stay_apart() -> None:
    """Both count their items and documents from 0, and an edit's parent is that of its own dataset."""
    first, second = numbered("harbour"), numbered("station")
    both = TrainingPlan([TrainingSource("one", first), TrainingSource("two", second)], share=0).data()
    assert both.document_count() == 48
    wrong = [row for row in both.rows if row.wrong]
    assert {span.of(row.summary) for row in wrong for span in row.wrong_words or ()} == {"sank"}
    assert len(pairs_of(both.rows)) == len(wrong) == 48


def numbered(place: str) -> list[Item]:
    """A summary and its edit for each of 24 documents, by numbers alone."""
    found = []
    for number in range(24):
        document = " ".join(f"{place}{number}x{word}" for word in range(20)) + f". A crew waited near the {place}."
        original = Item(
            Example(f"{number}", document, f"A crew waited near the {place}."),
            intended=Verdict.CONSISTENT,
            group=f"{number}",
        )
        summary = original.example.summary.replace("waited", "sank")
        edited = Example(f"{number}-edited", document, summary)
        found += [original, replace(original, example=edited, parent=f"{number}", intended=Verdict.INCONSISTENT)]
    return found


@pytest.mark.slow
def test_generated_rows_keep_to_their_share_and_to_the_document_of_their_source() -> None:
    labelled = few_bundled_items()
    data = training_data(labelled, 0.5, seed=1)
    generated = [row for row in data.rows if row.origin != "labelled"]
    assert len(generated) == len(data.labelled)
    number_of = {row.document: number for row, number in zip(data.rows, data.documents, strict=True)}
    assert all(number_of[row.document] == number for row, number in zip(data.rows, data.documents, strict=True))
    assert all(row.wrong_words for row in generated if row.origin == "corruption" and row.kind in {"number", "date"})
    assert describe(data)["origins"]["labelled"] == len(labelled)  # type: ignore[index]


@pytest.mark.slow
def test_the_bundled_texts_are_corrupted_too_and_stay_documents_of_their_own() -> None:
    data = training_data(both_classes(25), 0.8, seed=1)
    bundled = {item.example.document for item in bundled_items()}
    corrupted = {row.document for row in data.rows if row.origin == "corruption"}
    assert corrupted & bundled
    assert not {row.document for row in data.labelled} & bundled
    own = set(data.documents[: len(data.labelled)].tolist())
    assert not own & {n for n, row in zip(data.documents.tolist(), data.rows, strict=True) if row.document in bundled}


@pytest.mark.slow
def test_the_same_seed_draws_the_same_rows() -> None:
    labelled = both_classes(25)
    rows = training_data(labelled, 0.8, seed=1).rows
    assert rows == training_data(labelled, 0.8, seed=1).rows
    assert rows != training_data(labelled, 0.8, seed=2).rows


def test_the_words_of_an_edit_are_those_that_are_wrong() -> None:
    data = training_data(bundled_items(), 0, 0)
    row = next(row for row in data.rows if row.wrong)
    original = next(one for one in bundled_items() if one.example.id == row.parent).example.summary
    assert row.wrong_words
    for span in row.wrong_words:
        assert isinstance(span, Span)
        assert span.of(row.summary) not in original or len(span.of(row.summary)) < 5


def test_importers_are_for_evaluation_where_a_papers_tables_rest_on_their_data() -> None:
    files = [file for paper in PAPERS for file in paper().data if file.importer]
    of_papers = {file.importer.partition("[")[0] for file in files}
    assert {importer.name for importer in DATASETS if importer.for_evaluation} == of_papers
