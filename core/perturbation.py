"""The contract of a perturbation: a seeded generator of executable edits."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.registry import Registry, spell
from core.types import Checkpoint, Edit, ErrorType, Example, Rounds

Intent = Literal["preserving", "breaking", "gaming"]
Form = Literal["rule", "prompt"]


@dataclass(frozen=True, slots=True)
class PerturbationCard:
    """What a perturbation does to a summary, what it is meant to do to the truth, and where it comes from.

    `form` says whether a rule of ours makes the variant or a language model that is prompted for it.
    """

    title: str
    intent: Intent
    does: str
    paper: str
    error_type: ErrorType | None = None
    form: Form = "rule"


class Perturbation(ABC):
    """A frozen dataclass whose fields are its settings; the same seed gives the same edits.

    `edits` raises UnscorableError, with the reason, where the perturbation cannot apply: it never returns a summary
    unchanged. A perturbation that asks a model overrides `rounds` instead.
    """

    name: ClassVar[str]
    card: ClassVar[PerturbationCard]

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The weights or endpoint this perturbation needs; none for a rule."""
        return ()

    @abstractmethod
    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        """Edits of the summary, in order and not overlapping."""

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        yield []
        return self.edits(example, random.Random(f"{seed}\0{example.id}"))

    @property
    def spec(self) -> str:
        return spell(self)

    @property
    def signature(self) -> str:
        """What tells two variants apart, besides the seed; a perturbation that asks a model adds the model and what it is asked."""
        return self.spec


PERTURBATIONS: Registry[Perturbation] = Registry("perturbation", "core.perturbations")


def by_rule() -> list[Perturbation]:
    """Every perturbation that needs no language model, with its default settings."""
    return [plugin() for plugin in PERTURBATIONS if plugin.card.form == "rule"]
