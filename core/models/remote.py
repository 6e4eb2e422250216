"""A model behind a configured endpoint: each question goes to the endpoint that its checkpoint names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.llm.endpoint import Endpoint, asked_by
from core.models.model import Row
from core.types import Answer, Question


class Remote:
    """Asks by a function that several threads may call; needs no torch."""

    nbytes = 0

    def __init__(self, ask: Callable[[Endpoint, Question], Answer]) -> None:
        self._ask = ask

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        """Ask one after the other: `core.endpoint_serving` has several threads for that."""
        return [self._ask(asked_by(row.question.checkpoint), row.question) for row in rows]
