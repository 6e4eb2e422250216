"""The contract of an NLI check: does a rewritten summary contradict the original?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from core.model_reference import ModelRef
from core.registry import Registry, format_spec, profile_field
from core.types import Rounds

SentenceLabel = Literal["entailment", "neutral", "contradiction"]
SENTENCE_LABELS: tuple[SentenceLabel, ...] = get_args(SentenceLabel)


@dataclass(frozen=True, slots=True)
class NliResult:
    """Result of an NLI check: if a variant contradicts its original, and who says so.

    `probability` is that of the most contradicting sentence, in 0..1, where a model gives one; `said` is a language model's
    reason; `notes` say what was not read. `labels` has the label of each sentence of the variant, where the check gives one.
    """

    contradicts: bool
    by: str
    probability: float | None = None
    said: str = ""
    notes: tuple[str, ...] = ()
    labels: tuple[SentenceLabel, ...] = ()


@dataclass(frozen=True)
class NliCheck(ABC):
    """A frozen dataclass whose fields are its settings.

    `rounds` raises UnscorableError, with the reason, where the question cannot be answered: what was not read is never
    taken for harmless.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    profile: str = profile_field()

    @abstractmethod
    def checkpoints(self) -> tuple[ModelRef, ...]:
        """The weights or endpoint that it asks."""

    @abstractmethod
    def rounds(self, original: str, variant: str) -> Rounds[NliResult]:
        """The conversation that ends in a result."""

    @property
    def spec(self) -> str:
        return format_spec(self)


NLI_CHECKS: Registry[NliCheck] = Registry("NLI check", f"{__package__}.nli_checks")
