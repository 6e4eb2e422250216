"""Extractive fragments: how much of the summary is copied, and in how long pieces (Grusky et al. 2018, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.base import memoize
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.surface_metric import SurfaceMetric, words_or_error
from core.scoring.metric_parts.unit_metric import CanonicalMetric
from core.text import SPACED, words

_PAPER = "Grusky et al. 2018, Newsroom"
_URL = "https://aclanthology.org/N18-1065"
_DIFFERS = "Words are lower-cased runs of letters and digits; the paper tokenised with spaCy."


def fragments(document: Sequence[str], places: Mapping[str, Sequence[int]], summary: Sequence[str]) -> list[int]:
    """Lengths of the shared fragments, found greedily from left to right (the paper's figure 3)."""
    lengths, position = [], 0
    while position < len(summary):
        starts = places.get(summary[position], ())
        longest = max((_fragment_length(document, start, summary, position) for start in starts), default=0)
        if longest:
            lengths.append(longest)
        position += max(longest, 1)
    return lengths


@METRICS.add
@dataclass(frozen=True)
class Coverage(CanonicalMetric, SurfaceMetric):
    """Share of the summary's words that belong to a fragment of the document."""

    name: ClassVar[str] = "coverage"
    card: ClassVar[Card] = Card(
        title="Extractive coverage",
        family="Surface",
        languages=SPACED,
        measures="Share of the summary's words that are part of a piece copied from the document.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0.",
        differs=_DIFFERS,
    )

    def measure(self, document: str, text: str) -> float:
        summary_words = words_or_error(text, "summary")
        return sum(fragments(words(document), _word_places(document), summary_words)) / len(summary_words)


@METRICS.add
@dataclass(frozen=True)
class Density(CanonicalMetric, SurfaceMetric):
    """Mean length of the copied fragment that a word of the summary belongs to."""

    name: ClassVar[str] = "density"
    card: ClassVar[Card] = Card(
        title="Extractive density",
        family="Surface",
        languages=SPACED,
        measures="Average length, in words, of the copied piece that a word of the summary belongs to.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=None,
        licence="Touchstone's own code, Apache-2.0.",
        differs=_DIFFERS,
    )

    def measure(self, document: str, text: str) -> float:
        summary_words = words_or_error(text, "summary")
        return sum(length**2 for length in fragments(words(document), _word_places(document), summary_words)) / len(
            summary_words
        )


def _fragment_length(document: Sequence[str], start: int, summary: Sequence[str], position: int) -> int:
    room = min(len(document) - start, len(summary) - position)
    length = 0
    while length < room and document[start + length] == summary[position + length]:
        length += 1
    return length


@memoize(32)
def _word_places(document: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words(document)):
        places.setdefault(word, []).append(place)
    return places
