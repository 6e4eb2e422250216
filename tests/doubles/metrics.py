"""Small metrics: one that counts letters, one that asks a model, some that break, and one that waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors import BadSettingError, MemoryFullError, UnscorableError
from core.model_reference import Checkpoint
from core.scoring.metric import Card, Metric
from core.text.segmentation import sentences
from core.types import Answer, Example, Part, Question, Score
from tests.doubles.models import PATIENCE_S

CARD = Card(
    title="Double", family="Test", measures="Nothing.", paper="None", url="https://example.org", low=0.0, high=1.0
)
_ERRORS: dict[str, Callable[[], Exception]] = {
    "value": lambda: ValueError("a bad value"),
    "silent": ZeroDivisionError,
    "memory": MemoryError,
    "full": lambda: MemoryFullError("The batch does not fit."),
    "input": lambda: UnscorableError("The summary rhymes."),
    "setting": lambda: BadSettingError("There is no layer 99."),
}


@dataclass(frozen=True)
class Letters(Metric):
    """The length of the summary; asks nothing."""

    name: ClassVar[str] = "letters"
    card: ClassVar[Card] = CARD

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        return Score(float(len(example.summary)))


@dataclass(frozen=True)
class Asking(Metric):
    """Asks a scripted model about every sentence of the summary; the mean of its answers."""

    name: ClassVar[str] = "asking"
    card: ClassVar[Card] = CARD
    checkpoint: str = ""
    prefix: str = ""

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "scripted")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        return [
            Question(self.weights, (self.prefix + span.of(example.summary),), claim=span)
            for span in sentences(example.summary)
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the spans are in the questions
        values = [answer.values[0] for answer in answers]
        parts = [Part(q.claim, value) for q, value in zip(questions, values, strict=True) if q.claim]
        return Score(sum(values) / len(values), tuple(parts))


@dataclass(frozen=True)
class Breaking(Metric):
    """Raises when it is to plan or to fold."""

    name: ClassVar[str] = "breaking"
    card: ClassVar[Card] = CARD
    error: Literal["value", "silent", "memory", "full", "input", "setting"] = "value"
    when: Literal["plan", "fold"] = "fold"

    def plan(self, example: Example) -> list[Question]:  # noqa: ARG002  # asks none
        if self.when == "plan":
            raise _ERRORS[self.error]()
        return []

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        raise _ERRORS[self.error]()


@dataclass(frozen=True)
class Endless(Metric):
    """Gives what is no number."""

    name: ClassVar[str] = "endless"
    card: ClassVar[Card] = CARD
    value: float = float("inf")
    part: float = 0.0

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        return Score(self.value, (Part(sentences(example.summary)[0], self.part),))


def held(gate: threading.Event) -> Metric:
    """A metric that folds only once the gate is open."""

    @dataclass(frozen=True)
    class Held(Letters):
        name: ClassVar[str] = "held"

        def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
            assert gate.wait(PATIENCE_S), "nobody opened the gate"
            return super().fold(example, questions, answers)

    return Held()
