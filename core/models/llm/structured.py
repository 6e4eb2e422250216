"""Answers of a given shape: read strictly from what a model says, with one attempt at repair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.base import wrong_fields
from core.errors import UnreadableAnswerError
from core.models.llm.chat import Sampling, answer_text, chat_question, first_question, unusable_answer
from core.models.llm.prompts import Messages
from core.types import Answer, Question, Rounds, T

_FENCED = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_MAX_REPAIRED_CHARACTERS = 20_000  # of an answer that are sent back: what is longer is no slip
_REPAIR_REQUEST = (
    "That answer cannot be used: {problem}\nGive the same answer again as one JSON object and nothing else. "
    "It follows this JSON schema:\n{schema}"
)


class StructuredAnswer(BaseModel):
    """The shape of an answer: a subclass names its fields; none may be missing or of another type.

    A field that was not asked for is passed over.
    """

    # the schema that is sent forbids further fields, as OpenAI's strict mode wants it
    model_config = ConfigDict(frozen=True, strict=True, json_schema_extra={"additionalProperties": False})


S = TypeVar("S", bound=StructuredAnswer)


@cache  # to make one takes as long as to send a question
def answer_schema(shape: type[StructuredAnswer]) -> str:
    """The JSON schema of a shape, by its name, as it travels in a question."""
    return json.dumps({"name": shape.__name__, "schema": shape.model_json_schema()})


def read_structured(text: str, shape: type[S]) -> S:
    """The one object of a shape that a text holds, in a fence or among prose; the same one may stand there again.

    Raises UnreadableAnswerError, with the text, where there is none, more than one, or one of another shape.
    """
    objects = list(dict.fromkeys(_json_objects(text)))
    if len(objects) != 1:
        content = "no complete JSON object" if not objects else f"{len(objects)} JSON objects"
        raise unusable_answer(f"The answer holds {content}; one is expected.", text)
    if (name := _repeated_name(objects[0])) is not None:
        raise unusable_answer(f"The answer gives {name!r} twice.", text)
    try:
        return shape.model_validate_json(objects[0])
    except ValidationError as error:
        raise unusable_answer(f"The answer is not as asked ({wrong_fields(error)}).", text) from None


def _repeated_name(text: str) -> str | None:
    """A field that a JSON object has twice, in itself or below, with two values."""
    repeated: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields: dict[str, object] = {}
        for name, value in pairs:
            if name in fields and fields[name] != value:
                repeated.append(name)
            fields[name] = value
        return fields

    json.loads(text, object_pairs_hook=note)
    return repeated[0] if repeated else None


def plain_words(text: str) -> str:
    """A short answer in small letters, without what models put around and between its words."""
    return " ".join(text.replace("_", " ").replace("-", " ").strip(" \t\r\n.!\"'`*()[]").lower().split())


def ask_structured(messages: Messages, sampling: Sampling, shape: type[S]) -> Rounds[S]:
    """Ask for an answer of a shape; one that cannot be read is asked for once more with what is wrong.

    Raises UnreadableAnswerError, with the raw answer, for one that was refused or cut off, and after the second attempt.
    """
    schema = answer_schema(shape)
    [first] = yield [first_question(messages, sampling, schema)]
    text = answer_text(first)
    try:
        return read_structured(text, shape)
    except UnreadableAnswerError as problem:
        repair = _REPAIR_REQUEST.format(problem=str(problem).partition(" The model said:")[0], schema=schema)
    shown = text if len(text) <= _MAX_REPAIRED_CHARACTERS else f"{text[:_MAX_REPAIRED_CHARACTERS]}…"
    [second] = yield [chat_question((messages.system, messages.user, shown, repair), sampling, schema)]
    try:
        return read_structured(answer_text(second), shape)
    except UnreadableAnswerError as problem:
        raise UnreadableAnswerError(str(problem), (first, second)) from None


def ask_side_by_side(conversations: Iterable[Rounds[T]]) -> Rounds[list[T | UnreadableAnswerError]]:
    """The outcomes of conversations whose questions of a round are asked together; that of one that cannot be read is why."""
    begun = list(conversations)
    outcomes: dict[int, T | UnreadableAnswerError] = {}
    pending = _advance(begun, outcomes, dict.fromkeys(range(len(begun))))
    while pending:
        answers = iter((yield [question for questions in pending.values() for question in questions]))
        replies = {place: [next(answers) for _ in questions] for place, questions in pending.items()}
        pending = _advance(begun, outcomes, replies)
    return [outcomes[place] for place in range(len(begun))]


def _advance(
    begun: Sequence[Rounds[T]],
    outcomes: dict[int, T | UnreadableAnswerError],
    replies: Mapping[int, list[Answer] | None],
) -> dict[int, Sequence[Question]]:
    """The next questions of those conversations that were given answers and go on; how the others ended is noted."""
    pending: dict[int, Sequence[Question]] = {}
    for place, answers in replies.items():
        try:
            pending[place] = next(begun[place]) if answers is None else begun[place].send(answers)
        except StopIteration as end:
            outcomes[place] = end.value
        except UnreadableAnswerError as problem:
            outcomes[place] = problem
    return pending


def _json_objects(text: str) -> list[str]:
    """The JSON objects of a text that stand in no other, as they are written."""
    fenced = _FENCED.findall(text)
    decoder, rest = json.JSONDecoder(), "\n".join(fenced) if fenced else text
    objects: list[str] = []
    while (start := rest.find("{")) >= 0:
        try:
            _, end = decoder.raw_decode(rest, start)
        except (json.JSONDecodeError, RecursionError):
            # what opens here never closes: an object inside of it is not the answer
            return objects
        objects.append(rest[start:end])
        rest = rest[end:]
    return objects
