"""A phrase that says nothing about the document, put where a metric may fall for it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors import UnscorableError
from core.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.types import Edit, Example, Span


@PERTURBATIONS.add
@dataclass(frozen=True)
class Phrase(Perturbation):
    """Appends or prepends a phrase; a metric that rises has been gamed."""

    name: ClassVar[str] = "phrase"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Append an empty phrase",
        intent="gaming",
        does="Adds a phrase that carries no claim about the document.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?, gaming phrases",
    )
    phrase: str = "The document discusses this."
    place: Literal["suffix", "prefix"] = "suffix"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        if not self.phrase.strip():
            raise UnscorableError("The phrase is empty: adding it would change nothing. Set phrase=….")
        if self.place == "prefix":
            return [Edit(Span(0, 0), f"{self.phrase.strip()} ", self.card.does, self.spec)]
        end = len(example.summary.rstrip())
        return [Edit(Span(end, end), f" {self.phrase.strip()}", self.card.does, self.spec)]
