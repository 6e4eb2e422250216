"""Metrics for tests: one that is as slow as a test wants, one whose model finds no memory, one that is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.model_reference import Checkpoint
from core.scoring.metric import METRICS, Card, Metric
from core.types import Answer, Example, Question, Score

_PAPER, _URL = "None", "https://example.org"


@METRICS.add
@dataclass(frozen=True)
class Slow(Metric):
    """The number of words of the summary, as a held model counts them."""

    name: ClassVar[str] = "slow"
    card: ClassVar[Card] = Card("Slow", "Test", "Words, when let go.", _PAPER, _URL, low=0, high=None, download_mb=1)

    checkpoint: str = "owner/slow"

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (Checkpoint(self.checkpoint, "held"),)

    def plan(self, example: Example) -> list[Question]:
        return [Question(self.checkpoints()[0], (example.summary,))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        return Score(answers[0].values[0])


@METRICS.add
@dataclass(frozen=True)
class Hungry(Slow):
    """The same of a model that never has the memory for it."""

    name: ClassVar[str] = "hungry"
    card: ClassVar[Card] = Card("Hungry", "Test", "Memory.", _PAPER, _URL, low=0, high=None, download_mb=1)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (Checkpoint(self.checkpoint, "hungry"),)


@METRICS.add
@dataclass(frozen=True)
class Broken(Metric):
    """Raises what no metric should raise."""

    name: ClassVar[str] = "broken"
    card: ClassVar[Card] = Card("Broken", "Test", "Nothing: it fails.", _PAPER, _URL, low=0, high=1)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        raise ZeroDivisionError("the test wants it so")
