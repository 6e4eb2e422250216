"""Metrics of our own read texts in their canonical reading; what they locate stands in the texts as they were given."""

from __future__ import annotations

from dataclasses import replace

from core.scoring.metric import Metric
from core.text import CanonicalExample, CanonicalText, canonical_example
from core.types import Answer, ClaimScore, Example, Part, Question, Rounds, Score, Span, WordScore


class CanonicalMetric(Metric):
    """Scores the canonical reading of both texts: canonically equal pairs have equal scores.

    The spans of its questions, sentences, words and evidence are those of the texts as they were given. A published metric is
    none of these: its network reads the text as its authors had it.
    """

    def rounds(self, example: Example) -> Rounds[Score]:
        reading = canonical_example(example)
        if reading is None:
            return (yield from super().rounds(example))
        conversation = super().rounds(reading.example)
        answers: list[Answer] | None = None
        while True:
            try:
                questions = next(conversation) if answers is None else conversation.send(answers)
            except StopIteration as ended:
                score: Score = ended.value
                return _original_score(score, reading)
            answers = yield [_original_question(question, reading) for question in questions]


def _original_question(question: Question, reading: CanonicalExample) -> Question:
    return replace(
        question,
        claim=_original(question.claim, reading.summary),
        evidence=_original(question.evidence, reading.document),
    )


def _original_score(score: Score, reading: CanonicalExample) -> Score:
    return replace(
        score,
        parts=tuple(_original_part(part, reading) for part in score.parts),
        claims=tuple(_original_claim(claim_score, reading) for claim_score in score.claims),
        seen=replace(score.seen, pieces=tuple(reading.document.original_span(piece) for piece in score.seen.pieces)),
    )


def _original_part(part: Part, reading: CanonicalExample) -> Part:
    words = tuple(WordScore(reading.summary.original_span(word.span), word.score) for word in part.words)
    return replace(
        part,
        span=reading.summary.original_span(part.span),
        evidence=_original(part.evidence, reading.document),
        words=words,
    )


def _original_claim(claim_score: ClaimScore, reading: CanonicalExample) -> ClaimScore:
    claim = replace(claim_score.claim, span=_original(claim_score.claim.span, reading.summary))
    return replace(claim_score, claim=claim, evidence=_original(claim_score.evidence, reading.document))


def _original(span: Span | None, text: CanonicalText) -> Span | None:
    return span and text.original_span(span)
