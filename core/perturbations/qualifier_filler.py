"""A qualification that takes nothing back: what hedging does to a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.filler import GAMING_PAPER, Filler
from core.perturbation import PERTURBATIONS, PerturbationCard


@PERTURBATIONS.add
@dataclass(frozen=True)
class QualifierFiller(Filler):
    """Hedges without saying what; as many words as the baseline filler has, so that only their kind differs."""

    name: ClassVar[str] = "qualifier-filler"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Qualifier filler",
        intent="gaming",
        does="Adds a qualification that takes nothing back.",
        paper=GAMING_PAPER,
    )

    @property
    def text(self) -> str:
        return "In general, and as far as can be told, this may apply."
