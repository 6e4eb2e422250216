"""Perturbations that put a phrase without content where a metric may fall for it."""

from __future__ import annotations

import random
from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

from core.errors import UnscorableError
from core.perturbation import Perturbation
from core.types import Edit, Example, Span

Place = Literal["suffix", "prefix", "alone"]
GAMING_PAPER = (
    "Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?, gaming; the words are ours"
)


@dataclass(frozen=True)
class Filler(Perturbation):
    """Appends or prepends a phrase, or lets it be the whole summary; a metric that rises has been gamed."""

    place: Place = "suffix"

    @property
    @abstractmethod
    def text(self) -> str:
        """The phrase, the same for every example."""

    def aims_at(self, metric: str) -> bool:  # noqa: ARG002  # most phrases are meant for every metric
        """Whether the phrase is meant for the metric of that spec."""
        return True

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        text, summary = self.text.strip(), example.summary.rstrip()
        if not text:
            raise UnscorableError("The phrase is empty: adding it would change nothing. Set phrase=….")
        if self.place == "prefix":
            return [Edit(Span(0, 0), f"{text} ", self.card.does, self.spec)]
        if self.place == "suffix":
            return [Edit(Span(len(summary), len(summary)), f" {text}", self.card.does, self.spec)]
        if summary == text:
            raise UnscorableError("The summary is this phrase already: nothing would change.")
        return [Edit(Span(0, len(summary)), text, "The phrase is all that is left of the summary.", self.spec)]
