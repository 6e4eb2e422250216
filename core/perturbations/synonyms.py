"""Words give way to others that say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.synonyms import synonyms
from core.english.tokens import tokenised
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting, replacement
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class Synonyms(Rewriting):
    """Replaces expressions by synonyms from our own small list, inflected as what they replace."""

    name: ClassVar[str] = "synonyms"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Replace by synonyms",
        intent="preserving",
        does="Replaces words by synonyms, from a bundled list of words that say the same wherever they stand.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    lacking: ClassVar[str] = "The summary has no word or phrase of our list of safe synonyms."

    most: int = 5

    def proposals(self, example: Example) -> list[Edit]:
        return [
            replacement(example.summary, span, new, self.card.does)
            for sentence in tokenised(example.summary)
            for span, new in synonyms(example.summary, sentence)
        ]
