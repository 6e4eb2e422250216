"""Scores of the sentences of summaries by several metrics, as the database or a run has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from core.types import Outcome, Part, Result, Span

SentenceScores = Mapping[tuple[str, str], Sequence[Part]]
"""The parts of a score by the id of the stored text and the signature; a score without parts is not there."""


def sentence_score(parts: Iterable[Part], sentence: Span) -> float | None:
    """The mean of the parts that begin in a sentence; None where none does."""
    inside = [part.score for part in parts if sentence.start <= part.span.start < sentence.end]
    return fsum(inside) / len(inside) if inside else None


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
    results = [one for one in outcomes if isinstance(one, Result)]
    return {(one.example_id, signatures[one.metric]): one.parts for one in results if one.parts}
