"""One word is kept to where the summary alternates between two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from core.english.syntax import Token, tokenize
from core.english.word_lists import list_lines
from core.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class LessDiverse(RulePerturbation):
    """Repeats the word that the summary used first for a thing instead of a synonym of it."""

    name: ClassVar[str] = "less-diverse"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Repeat the same word",
        intent="preserving",
        does="Repeats the word that was used first where the summary alternates between two words for one thing.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    no_proposals_message: ClassVar[str] = "The summary nowhere alternates between two words of our list for one thing."

    most: int = 5

    def proposals(self, example: Example) -> list[Edit]:
        tokens = [token for sentence in tokenize(example.summary) for token in sentence]
        used = {token.low: token for token in reversed(tokens)}
        pairs = [pair for group in list_lines("alternating") for pair in combinations(group.split(", "), 2)]
        return [
            replacement(example.summary, later.span, first, self.card.does)
            for one, other in pairs
            if one in used and other in used
            for first, later in [_in_order(used[one], used[other])]
        ]


def _in_order(one: Token, other: Token) -> tuple[str, Token]:
    """The word that came first, and the place of the other."""
    return (one.low, other) if one.span < other.span else (other.low, one)
