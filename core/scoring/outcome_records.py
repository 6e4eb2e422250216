"""An outcome as a JSON-able record: the command line's output, and what a page or an export can repeat."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import fsum
from typing import Any

from core.text import claim_record, find_mark, name_contexts, units_without_claim
from core.types import ClaimScore, Example, Failure, Outcome, Part, Result, Span

JsonRecord = dict[str, Any]
"""JSON-able: values are texts, numbers, lists, records or None."""


def json_line(record: Mapping[str, object]) -> str:
    """A line of a JSONL file with its end, exact. Raises ValueError for NaN and infinity, which JSON does not have."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def outcome_record(example: Example, outcome: Outcome) -> JsonRecord:
    """One object per pair and metric: `score` is None and `error` a sentence where `status` is "failed".

    `unverified` is there where a text is in a language that the metric is not for, and `claims` where the summary was decomposed:
    one without a score says why in `error`. `no_claim` then lists the sentences that no claim is of."""
    common = {"id": example.id, "metric": outcome.metric}
    if isinstance(outcome, Failure):
        nothing: JsonRecord = {"signature": None, "status": "failed", "score": None, "sentences": [], "seen": None}
        return {**common, **nothing, "error": outcome.error, "error_kind": outcome.kind.value}
    seen = outcome.seen
    mark = find_mark(seen.notes)
    pieces = [[piece.start, piece.end] for piece in seen.pieces]
    return {
        **common,
        "signature": outcome.signature,
        "status": "ok",
        "score": outcome.score,
        "error": None,
        "sentences": [_sentence_record(example, part) for part in outcome.parts],
        "seen": {"pieces": pieces, "tokens": seen.tokens, "cut": seen.cut, "notes": list(seen.notes)},
        "seconds": round(outcome.seconds, 4),
        "device": outcome.device,
        "questions": asdict(outcome.counts),
        **({"unverified": mark} if mark else {}),
        **_claims_record(example, outcome.claims),
    }


def _claims_record(example: Example, claims: Sequence[ClaimScore]) -> JsonRecord:
    if not claims:
        return {}
    uncovered = units_without_claim(example.summary, (claim_score.claim for claim_score in claims))
    no_claim = [unit.of(example.summary) for unit in uncovered]
    return {
        "claims": [_claim_score_record(example, claim_score) for claim_score in claims],
        **({"no_claim": no_claim} if no_claim else {}),
    }


def _claim_score_record(example: Example, claim_score: ClaimScore) -> JsonRecord:
    evidence = _evidence_record(example, claim_score.evidence) if claim_score.evidence else None
    return {
        **claim_record(claim_score.claim),
        "score": claim_score.score,
        "error": claim_score.error or None,
        "evidence": evidence,
    }


def _sentence_record(example: Example, part: Part) -> JsonRecord:
    evidence = _evidence_record(example, part.evidence) if part.evidence else None
    record = {"text": part.span.of(example.summary), "score": part.score, "evidence": evidence}
    words = [{"text": word.span.of(example.summary), "score": word.score} for word in part.words]
    return {**record, "words": words} if words else record


def _evidence_record(example: Example, evidence: Span) -> JsonRecord:
    record: JsonRecord = {"text": evidence.of(example.document), "start": evidence.start, "end": evidence.end}
    return {**record, "context": name_contexts(example.contexts, evidence)} if example.contexts else record


SentenceScores = Mapping[tuple[str, str], Sequence[Part]]
"""The parts of a score by the id of the stored text and the signature; a score without parts is not there."""


def sentence_score(parts: Iterable[Part], sentence: Span) -> float | None:
    """The mean of the parts that begin in a sentence or list item, or of those it lies in; None where there are none."""
    all_parts = list(parts)
    inside = [part.score for part in all_parts if sentence.start <= part.span.start < sentence.end]
    inside = inside or [part.score for part in all_parts if part.span.start < sentence.start < part.span.end]
    return fsum(inside) / len(inside) if inside else None


def part_of_unit(parts: Iterable[Part], unit: Span) -> Part | None:
    """The part of a score that shares most with a unit of the summary; None where none does.

    A metric that reads sentences alone may have one for several list items.
    """
    shared = [(min(part.span.end, unit.end) - max(part.span.start, unit.start), part) for part in parts]
    most, part = max(shared, key=lambda pair: pair[0], default=(0, None))
    return part if most > 0 else None


def parts_of_texts(summary: str, scores: Iterable[tuple[str, float]]) -> list[Part]:
    """Parts by the texts of sentences of a summary, in order, each with its score; a text that does not follow is left out."""
    parts, end = [], 0
    for text, score in scores:
        start = summary.find(text, end)
        if start >= 0:
            end = start + len(text)
            parts.append(Part(Span(start, end), score))
    return parts


def scores_of_outcomes(outcomes: Iterable[Outcome], signatures: Mapping[str, str]) -> SentenceScores:
    """The parts of outcomes, under the signature that the column of each metric has."""
    results = [outcome for outcome in outcomes if isinstance(outcome, Result)]
    return {(result.example_id, signatures[result.metric]): result.parts for result in results if result.parts}
