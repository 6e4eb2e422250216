"""Reference-based scores: the inner metric on the references of a table, the best of several, and what has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import LoadError, MissingWeightsError, UnscorableError
from core.models.adapters import references
from core.scoring.metric import METRICS
from core.types import Example
from tests import drive

DOCUMENT = "The ferry Alma left Kiel at noon.\nShe carried forty cars. Fog held her back for an hour."
SUMMARY = "The Alma left Kiel at noon."
FIRST, SECOND = "The Alma sailed with forty cars.", "The Alma left Kiel at noon in fog."


def spec(folder: Path, *rows: object, metric: str = "rouge2[measured=f1]") -> str:
    file = folder / "refs.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return f"against-reference[metric={metric},references={file}]"


@pytest.mark.parametrize("metric", ["rouge2[measured=f1]", "bleu", "bertscore-minilm"])
def test_the_score_is_that_of_the_inner_metric_on_the_best_reference(tmp_path: Path, metric: str) -> None:
    rows = [{"document": " ".join(DOCUMENT.split()), "reference": text} for text in (FIRST, SECOND)]
    score = drive.drive(METRICS.parse(spec(tmp_path, *rows, metric=metric)).rounds(Example("a", DOCUMENT, SUMMARY)))
    inner = METRICS.parse(metric)
    values = [drive.drive(inner.rounds(Example("a", text, SUMMARY))).value for text in (FIRST, SECOND)]
    assert score.value == max(values)
    assert values[0] != values[1]
    assert score.seen.notes[0] == f"The best of 2 references: {SECOND}"
    assert {part.evidence for part in score.parts} == {None}
    assert score.seen.pieces == ()


def test_a_list_of_references_counts_as_several_and_a_repeated_one_once(tmp_path: Path) -> None:
    rows = [{"document": DOCUMENT, "reference": [FIRST, SECOND]}, {"document": DOCUMENT, "reference": FIRST}]
    score = drive.drive(METRICS.parse(spec(tmp_path, *rows)).rounds(Example("a", DOCUMENT, SUMMARY)))
    assert score.seen.notes[0].startswith("The best of 2 references")


def test_a_document_without_a_reference_has_no_score(tmp_path: Path) -> None:
    metric = METRICS.parse(spec(tmp_path, {"document": DOCUMENT, "reference": FIRST}))
    with pytest.raises(UnscorableError, match="has none of this document"):
        drive.drive(metric.rounds(Example("a", "Another text.", SUMMARY)))


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"document": DOCUMENT}, "reference"),
        ({"document": DOCUMENT, "reference": []}, "reference"),
        ({"document": DOCUMENT, "reference": [FIRST, " "]}, "reference"),
        ({"article": DOCUMENT, "reference": FIRST}, "document"),
    ],
)
def test_a_row_without_both_texts_is_named(tmp_path: Path, row: object, column: str) -> None:
    metric = METRICS.parse(spec(tmp_path, {"document": "One.", "reference": "Two."}, row))
    [checkpoint] = metric.checkpoints()
    with pytest.raises(LoadError, match=rf"refs\.jsonl, line 2: the column '{column}' holds no text"):
        references.load(tmp_path / "refs.jsonl", checkpoint, "cpu")  # type: ignore[arg-type]  # its one checkpoint is of weights


def test_a_missing_table_and_none_at_all_are_said_with_what_to_do(tmp_path: Path) -> None:
    missing = METRICS.parse(f"against-reference[references={tmp_path / 'none.jsonl'}]")
    with pytest.raises(MissingWeightsError, match="columns document and reference"):
        drive.drive(missing.rounds(Example("a", DOCUMENT, SUMMARY)))
    with pytest.raises(MissingWeightsError, match=r"No file is named\. Set references="):
        drive.drive(METRICS.parse("against-reference").rounds(Example("a", DOCUMENT, SUMMARY)))


def test_the_card_says_whose_score_it_is_and_in_which_direction() -> None:
    card = METRICS.parse("against-reference[metric=word-novelty]").card
    assert (card.title, card.direction) == ("Word novelty, against references", "lower")
