"""What a cross-encoder reads beside a claim, and what it learns from a row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.evaluation.training.claim_batches import batches, units_of
from core.evaluation.training.training_row import TrainingRow
from core.models.words.claims import Unit, premise
from core.types import Span

DOCUMENT = "The mayor spoke first. A ferry left Lindvale at noon. It rained all day. The ferry carried nine cars."


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def row(id: str, summary: str, wrong_words: tuple[Span, ...] | None, parent: str = "") -> TrainingRow:
    wrong = bool(parent) or wrong_words is None
    return TrainingRow(id, DOCUMENT, summary, wrong, wrong_words, "", "labelled", parent=parent)


def test_a_document_that_fits_is_read_as_it_is() -> None:
    found = premise(DOCUMENT, "The ferry carried cars.", 64, count)
    assert found is not None
    assert found.text == DOCUMENT
    assert found.closest.of(DOCUMENT) == "The ferry carried nine cars."


def test_of_a_longer_document_the_closest_sentences_are_read_in_their_order() -> None:
    found = premise(DOCUMENT, "The ferry left Lindvale with cars.", 25, count)
    assert found is not None
    assert found.text == "A ferry left Lindvale at noon. The ferry carried nine cars."


def test_a_document_without_a_sentence_has_no_premise() -> None:
    assert premise(" \n ", "A claim.", 64, count) is None


@pytest.mark.parametrize(
    ("wrong_words", "expected"),
    [
        ((Span(0, 4),), [Unit((5,), False), Unit((6,), True)]),
        ((Span(20, 23),), [Unit((5,), True), Unit((6,), False)]),
        ((Span(10, 10),), [Unit((5,), False), Unit((6,), True)]),  # words that are missing at the end of the first
        ((), [Unit((5, 6), False)]),
        (None, [Unit((5, 6), False)]),
    ],
)
def test_the_sentences_that_were_edited_are_wrong_or_else_the_summary(
    wrong_words: tuple[Span, ...] | None, expected: list[Unit]
) -> None:
    assert units_of(row("a", "It rained. A ferry, two cars.", wrong_words, "b"), (5, 6)) == expected


def test_a_batch_has_each_text_once_and_an_original_beside_its_edit() -> None:
    rows = [
        row("a", "It rained. A ferry left.", ()),
        row("a/1", "It rained. A ferry sank.", (Span(19, 23),), "a"),
        row("b", "The mayor spoke.", ()),
    ]
    texts = [(0, 1), (0, 2), (3,)]
    [batch] = batches(rows, texts, [0, 1, 2], "seed")
    assert sorted(batch.texts) == [0, 1, 2, 3]
    [(original, edit)] = batch.pairs
    assert [batch.texts[place] for place in original] == [0, 1]
    assert [batch.texts[place] for place in edit] == [0, 2]
    labels = {tuple(batch.texts[place] for place in unit.texts): unit.supported for unit in batch.units}
    assert labels == {(0,): True, (1,): True, (2,): False, (3,): True}
    assert list(batches(rows, texts, [0, 1, 2], "seed")) == [batch]
