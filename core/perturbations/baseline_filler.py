"""A sentence about nothing at all: what any added words do to a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.filler import GAMING_PAPER, Filler
from core.perturbation import PERTURBATIONS, PerturbationCard


@PERTURBATIONS.add
@dataclass(frozen=True)
class BaselineFiller(Filler):
    """Speaks neither of the document nor of the summary, so that other phrases can be compared with it."""

    name: ClassVar[str] = "baseline-filler"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Baseline filler",
        intent="gaming",
        does="Adds a sentence about nothing at all.",
        paper=GAMING_PAPER,
    )

    @property
    def text(self) -> str:
        return "That is how it is, and there is no more to it."
