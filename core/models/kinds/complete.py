"""Kind "complete": the likeliest first tokens of a language model's answer, asked of the configured endpoint; needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core.llm.endpoint import Endpoint, configured
from core.models.model import Row, int_option
from core.types import Answer, Checkpoint, Question

_AT_ONCE = 8
_LENGTH = 128  # as if a question were this long, so that batches hold as many on a processor as are asked at once


class Completer:
    """Inputs: a system and a user message. Options: "model", its name at the endpoint; "likeliest", how many tokens;
    "special_tokens", whether the tokenizer's own are put before the template.

    Values: the probabilities of the likeliest first tokens; texts: these tokens.
    """

    nbytes = 0

    def __init__(self) -> None:
        self._kept: dict[tuple[Endpoint, Question], Answer] = {}

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=_LENGTH, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        """Ask for all at once. Answers that came beside a failure are kept until they are asked for again."""
        endpoint = configured()
        places = [(endpoint, row.question) for row in rows]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            asked = {place: threads.submit(_ask, *place) for place in dict.fromkeys(places) if place not in self._kept}
        self._kept.update({place: future.result() for place, future in asked.items() if not future.exception()})
        for future in asked.values():
            future.result()  # raises what one of them met
        answers = [self._kept[place] for place in places]
        for place in places:
            self._kept.pop(place, None)  # a place may stand twice among them
        return answers


def _ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.llm.client import client

    system, user = question.inputs
    told = client(endpoint).first_token(
        model=str(dict(question.options)["model"]),
        system=system,
        user=user,
        likeliest=int_option(question, "likeliest", 5),
        special_tokens=bool(int_option(question, "special_tokens", 0)),
    )
    return Answer(values=told.shares, texts=told.tokens, tokens=told.read)


def load(path: Path, checkpoint: Checkpoint, device: str) -> Completer:  # noqa: ARG001  # the signature of every kind
    return Completer()
