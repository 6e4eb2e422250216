"""Perturbations by rule: each proposes local edits, and as many as asked are drawn."""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from core.english.articles import article
from core.errors import UnscorableError
from core.perturbation import Perturbation
from core.types import Edit, Example, Span

MOST_PLACES = 100
"""How many names, dates or numbers of a text are looked at: more than a summary has, and a bound for a book."""

_ARTICLE = re.compile(r"\b([Aa]n?) $")


@dataclass(frozen=True)
class Rewriting(Perturbation):
    """Draws up to `most` of its proposals, no two on the same words; `lacking` says why there may be none."""

    lacking: ClassVar[str]

    most: int = 1

    @abstractmethod
    def proposals(self, example: Example) -> list[Edit]:
        """Everything that could be done, in any order; alternatives may overlap."""

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        if self.most < 1:
            raise UnscorableError(f"most={self.most} allows no edit. Set most=1 or more.")
        drawn = _drawn(self.proposals(example), self.most, rng)
        if not drawn:
            raise UnscorableError(self.lacking)
        return [replace(edit, by=self.spec) for edit in drawn]


def replacement(summary: str, span: Span, new: str, explanation: str = "") -> Edit:
    """Put other words in a place: a capital stays a capital, and an indefinite article before it follows the sound."""
    old = span.of(summary)
    word = new[:1].upper() + new[1:] if old[:1].isupper() else new
    before = _ARTICLE.search(summary, max(0, span.start - 4), span.start)
    if not before or article(old) == article(word):
        return Edit(span, word, explanation)
    written = article(word).capitalize() if before.group(1)[0].isupper() else article(word)
    return Edit(Span(before.start(), span.end), f"{written} {word}", explanation)


def _drawn(proposals: Sequence[Edit], most: int, rng: random.Random) -> list[Edit]:
    """A place first, then one of its alternatives, so that a place with many alternatives is not drawn more often."""
    by_place: dict[Span, list[Edit]] = {}
    for edit in proposals:
        by_place.setdefault(edit.span, []).append(edit)
    drawn: list[Edit] = []
    for span in rng.sample(sorted(by_place), len(by_place)):
        if len(drawn) < most and all(_apart(span, other.span) for other in drawn):
            drawn.append(rng.choice(by_place[span]))
    return sorted(drawn, key=lambda edit: edit.span)


def _apart(one: Span, other: Span) -> bool:
    return one.end < other.start or other.end < one.start
