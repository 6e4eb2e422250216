"""A phrase that stands in summaries which metrics like, or one of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.filler import GAMING_PAPER, Filler
from core.perturbation import PERTURBATIONS, PerturbationCard


@PERTURBATIONS.add
@dataclass(frozen=True)
class Phrase(Filler):
    """The phrase as it is given; what stands there by default speaks of the document and claims nothing of it."""

    name: ClassVar[str] = "phrase"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Top phrase, or your own",
        intent="gaming",
        does="Adds a phrase that carries no claim about the document.",
        paper=GAMING_PAPER,
    )
    phrase: str = "The document discusses this."

    @property
    def text(self) -> str:
        return self.phrase
