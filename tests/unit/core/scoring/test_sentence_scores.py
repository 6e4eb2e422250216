"""Scores of sentences: which parts of a metric's score are of a sentence, and where they come from."""

from __future__ import annotations

from core.assessment.notebook.reports import study_data
from core.scoring.outcome_records import parts_of_texts, scores_of_outcomes, sentence_score
from core.types import Example, Failure, FailureKind, Item, Part, Result, Seen, Span, Verdict

SUMMARY = "It rained. It rained. Ships left."
PARTS = [Part(Span(0, 10), 0.5), Part(Span(11, 14), 0.2), Part(Span(15, 21), 0.4)]


def test_a_sentence_has_the_mean_of_the_parts_that_begin_in_it() -> None:
    assert sentence_score(PARTS, Span(0, 10)) == 0.5
    assert sentence_score(PARTS, Span(11, 21)) == (0.2 + 0.4) / 2
    assert sentence_score(PARTS, Span(22, 33)) is None


def test_repeated_sentences_are_found_one_after_the_other() -> None:
    found = parts_of_texts(
        SUMMARY, [("It rained.", 0.1), ("It rained.", 0.2), ("Not there.", 0.3), ("Ships left.", 0.4)]
    )
    assert [(part.span.start, part.score) for part in found] == [(0, 0.1), (11, 0.2), (22, 0.4)]


def test_outcomes_give_their_parts_under_the_signature_of_their_column() -> None:
    scored = Result("a", "rouge2", "rouge2|one", 0.3, tuple(PARTS), Seen(), 0.1, "cpu")
    failed = Failure("b", "rouge2", FailureKind.INPUT, "It is empty.")
    assert scores_of_outcomes([scored, failed], {"rouge2": "rouge2|two"}) == {("a", "rouge2|two"): tuple(PARTS)}


def test_the_records_of_a_notebook_bring_their_sentences() -> None:
    pair = Item(Example("a", "It rained.", SUMMARY), intended=Verdict.CONSISTENT)
    record = {
        "id": "a",
        "metric": "rouge2",
        "signature": "rouge2|one",
        "score": 0.3,
        "error": None,
        "sentences": [{"text": "It rained.", "score": 0.1, "evidence": None}],
    }
    found = study_data([pair], [record], [], None, None, lambda _: [])
    assert found.sentence_scores == {("a", "rouge2|one"): [Part(Span(0, 10), 0.1)]}
