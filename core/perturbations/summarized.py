"""The summary without what it says in passing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.asides import asides
from core.english.tokens import tokenised
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class Summarized(Rewriting):
    """Leaves out parentheses, relative clauses between commas and appositions."""

    name: ClassVar[str] = "summarized"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Summarize: leave out asides",
        intent="preserving",
        does="Leaves out parentheses, non-restrictive relative clauses and appositions.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    lacking: ClassVar[str] = (
        "The summary has no parenthesis, relative clause between commas or apposition that can surely be left out."
    )

    most: int = 5

    def proposals(self, example: Example) -> list[Edit]:
        return [Edit(span, "", self.card.does) for sentence in tokenised(example.summary) for span in asides(sentence)]
