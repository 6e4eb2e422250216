"""A model behind the configured endpoint: the questions of a batch are asked at once, and each is paid for once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from core.llm.endpoint import Endpoint, asked_by
from core.models.model import Row
from core.types import Answer, Question

_AT_ONCE = 8
_LENGTH = 128  # as if a question were this long, so that batches hold as many on a processor as are asked at once


class Remote:
    """Asks by a function that several threads may call; needs no torch."""

    nbytes = 0

    def __init__(self, ask: Callable[[Endpoint, Question], Answer]) -> None:
        self._ask = ask
        self._kept: dict[tuple[Endpoint, Question], Answer] = {}

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=_LENGTH, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        """Ask for all at once. Answers that came beside a failure are kept until they are asked for again."""
        places = [(asked_by(row.question.checkpoint), row.question) for row in rows]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            new = [place for place in dict.fromkeys(places) if place not in self._kept]
            asked = {place: threads.submit(self._ask, *place) for place in new}
        self._kept.update({place: future.result() for place, future in asked.items() if not future.exception()})
        for future in asked.values():
            future.result()  # raises what one of them met
        answers = [self._kept[place] for place in places]
        for place in places:
            self._kept.pop(place, None)  # a place may stand twice among them
        return answers
