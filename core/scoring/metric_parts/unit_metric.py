"""Metrics that read a summary unit by unit, by its sentences, lines or layout, and those of our own, which read equal texts alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.scoring.metric import Metric
from core.text import (
    CanonicalText,
    ReadExample,
    Units,
    layout_notes,
    read_again,
    read_contractions,
    read_example,
    read_layout,
    read_markup,
    read_quantities,
    summary_units,
)
from core.types import Answer, ClaimScore, Example, Part, Question, Rounds, Score, Span, WordScore


@dataclass(frozen=True)
class UnitMetric(Metric):
    """`units` are those that a summary is read by: its sentences as published, its lines, or sentences and list items.

    By layout the metric reads the summary without marks and headings, and the spans of its questions, parts and evidence are
    those of the texts as they were given.
    """

    units: Units = field(default="sentences", kw_only=True)

    def units_of(self, summary: str) -> tuple[Span, ...]:
        """The units of a summary, in order."""
        return summary_units(summary, self.units)

    def unit_notes(self, summary: str) -> tuple[str, ...]:
        """Notes on a summary whose layout has other units than those that the metric reads."""
        return layout_notes(summary) if self.units == "sentences" else ()

    def read(self, example: Example) -> ReadExample | None:
        """The example as the metric reads it; None for as it is."""
        return read_example(example, None, read_layout(example.summary) if self.units == "layout" else None)

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        """The conversation about an example that stands for the one it was read from."""
        return super().rounds(example)

    def rounds(self, example: Example) -> Rounds[Score]:
        reading = self.read(example)
        if reading is None:
            score = yield from self.rounds_as_read(example)
            notes = self.unit_notes(example.summary)
            return replace(score, seen=replace(score.seen, notes=(*score.seen.notes, *notes))) if notes else score
        conversation = self.rounds_as_read(reading.example)
        answers: list[Answer] | None = None
        while True:
            try:
                questions = next(conversation) if answers is None else conversation.send(answers)
            except StopIteration as ended:
                return _original_score(ended.value, reading)
            answers = yield [_original_question(question, reading) for question in questions]


@dataclass(frozen=True)
class CanonicalMetric(UnitMetric):
    """Scores the canonical reading of both texts, the document without markup: canonically equal pairs have equal scores.

    A published metric is none of these: its network reads the text as its authors had it.
    """

    units: Units = field(default="layout", kw_only=True)

    def read(self, example: Example) -> ReadExample | None:
        by_layout = self.units == "layout"
        document = read_again(example.document, read_markup if by_layout else _as_it_is)
        summary = read_again(example.summary, read_layout if by_layout else _as_it_is)
        text = document.text if document else example.document
        return read_example(example, document, _in_forms_of(example.summary, summary, text))


def _as_it_is(text: str) -> None:  # noqa: ARG001  # no reading of it
    return None


def _in_forms_of(summary: str, reading: CanonicalText | None, document: str) -> CanonicalText | None:
    """The reading of a summary with numbers, dates and contractions as its document writes them."""
    for read in (read_quantities, read_contractions):
        again = read(reading.text if reading else summary, document)
        reading = reading.read_by(again) if reading and again else again or reading
    return reading


def _original_question(question: Question, reading: ReadExample) -> Question:
    return replace(
        question,
        claim=_original(question.claim, reading.summary),
        evidence=_original(question.evidence, reading.document),
    )


def _original_score(score: Score, reading: ReadExample) -> Score:
    pieces = tuple(_located(piece, reading.document) for piece in score.seen.pieces)
    return replace(
        score,
        parts=tuple(_original_part(part, reading) for part in score.parts),
        claims=tuple(_original_claim(claim_score, reading) for claim_score in score.claims),
        seen=replace(score.seen, pieces=pieces),
    )


def _original_part(part: Part, reading: ReadExample) -> Part:
    return replace(
        part,
        span=_located(part.span, reading.summary),
        evidence=_original(part.evidence, reading.document),
        words=tuple(WordScore(_located(word.span, reading.summary), word.score) for word in part.words),
    )


def _original_claim(claim_score: ClaimScore, reading: ReadExample) -> ClaimScore:
    claim = replace(claim_score.claim, span=_original(claim_score.claim.span, reading.summary))
    return replace(claim_score, claim=claim, evidence=_original(claim_score.evidence, reading.document))


def _original(span: Span | None, text: CanonicalText | None) -> Span | None:
    return span and _located(span, text)


def _located(span: Span, text: CanonicalText | None) -> Span:
    return text.original_span(span) if text else span
