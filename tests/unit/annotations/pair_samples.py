"""Pairs and records to keep; change what a test is about with `dataclasses.replace` or a keyword."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotations.store.records import EditAnswers, LabelRecord, PairRecord
from core.types import Edit, ErrorType, ExplanationFlaw, Failure, FailureKind, Grade, Part, Result, Seen, Span, Verdict

DOCUMENT = "The harbour board met on Monday. It bought two tugs."
ORIGINAL = "The board bought two tugs."
EDITED = "The board sold two tugs."
EDITS = (Edit(Span(10, 16), "sold", "The document says that it bought them.", "ada"),)

BEFORE = Result(
    "original",
    "rouge2",
    "rouge2|split:punkt|touchstone:0.1.0",
    0.75,
    (Part(Span(0, 26), 0.75, Span(33, 52)),),
    Seen((Span(0, 52),), tokens=11, cut=2, notes=("cut",)),
    0.01,
    "cpu",
)
AFTER = replace(BEFORE, example_id="edited", score=0.25, parts=(Part(Span(0, 24), 0.25),))
FAILED = Failure("edited", "minicheck-roberta", FailureKind.NEEDS_DOWNLOAD, "The weights are not here.")

PAIR = PairRecord(
    DOCUMENT,
    ORIGINAL,
    EDITED,
    EDITS,
    by="ada",
    intended=Verdict.INCONSISTENT,
    error_type=ErrorType.INTRINSIC_PREDICATE,
    title="Tugs",
    domain="news",
    source="pasted",
    outcomes=(BEFORE, AFTER, FAILED),
)


def record(event_id: str = "event-1", **changes: Any) -> LabelRecord:
    """A record that fills every table that a record can fill."""
    full = LabelRecord(
        DOCUMENT,
        ORIGINAL,
        EDITED,
        EDITS,
        annotator="ben",
        event_id=event_id,
        verdict=Verdict.INCONSISTENT,
        confidence=4,
        error_type=ErrorType.INTRINSIC_PREDICATE,
        note="sold, not bought",
        blind=True,
        answers=EditAnswers(inconsistent=True, interesting=True, controlled=True, explanation_good=False),
        explanation="The board sold them.",
        explanation_by="some model",
        grade=Grade.PARTIALLY,
        cause=ExplanationFlaw.VAGUE,
    )
    return replace(full, **changes)
