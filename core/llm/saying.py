"""Asking a language model for a text, and taking its answer only where it is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from core.errors import UnscorableError
from core.llm.addressee import at, name_in
from core.prompt import Messages
from core.types import Answer, Option, Question, Rounds, T

SAY = at("", "say")

_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_SHOWN = 2000  # characters of an answer that stand in a message

_ENDS = {
    "length": "The answer was cut at its limit of tokens. Set max_tokens= higher, or thoughts of an endpoint whose model thinks first.",
    "refusal": "The model refused.",
    "filter": "The endpoint's filter held the answer back.",
}


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn, and by which endpoint: one of TOUCHSTONE_ENDPOINTS by its name, "" for the default one.

    `sample` tells draws apart that are otherwise the same: each is asked for afresh. An answer ends before `stop`.
    """

    model: str
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 2048
    sample: int = 0
    endpoint: str = ""
    stop: str = ""


def question(messages: Sequence[str], sampling: Sampling, schema: str = "") -> Question:
    """A question of kind "say": a system and a user message, then answers and further requests in turn."""
    options: tuple[Option, ...] = (
        ("model", sampling.model),
        ("temperature", float(sampling.temperature)),  # 0 and 0.0 are the same question and must have the same key
        ("top_p", float(sampling.top_p)),
        ("max_tokens", sampling.max_tokens),
        ("sample", sampling.sample),
        ("schema", schema),
    )
    if sampling.stop:
        options += (("stop", sampling.stop),)
    return Question(at(sampling.endpoint, "say"), tuple(messages), options)


def sampling_of(question: Question) -> Sampling:
    """How the answer to a question of kind "say" is drawn."""
    options = dict(question.options)
    return Sampling(
        model=cast(str, options["model"]),
        temperature=cast(float, options["temperature"]),
        top_p=cast(float, options["top_p"]),
        max_tokens=cast(int, options["max_tokens"]),
        sample=cast(int, options["sample"]),
        endpoint=name_in(question.checkpoint),
        stop=cast(str, options.get("stop", "")),
    )


def schema_in(question: Question) -> str:
    """The schema of the answer to a question of kind "say"; empty for free text."""
    return cast(str, dict(question.options)["schema"])


def ask(messages: Messages, sampling: Sampling, schema: str = "") -> Question:
    """The first question of a conversation; see kind "say"."""
    return question((messages.system, messages.user), sampling, schema)


def said(answer: Answer) -> str:
    """The text of an answer, without thoughts in front of it.

    Raises UnscorableError, with the raw answer, for one that was refused, held back, cut off or empty.
    """
    text, ended = answer.texts
    if ended in _ENDS:
        raise flagged(_ENDS[ended], text)
    spoken = _THOUGHTS.sub("", text, count=1) if _THOUGHTS.match(text) else text
    if not spoken.strip():
        raise flagged("The answer is empty.", text)
    return spoken.strip()


def is_whole(question: Question, answer: Answer) -> bool:
    """Whether an answer is kept: one that was refused, cut off or left empty may come otherwise when it is asked for again."""
    if question.checkpoint.kind != "say":
        return True
    try:
        said(answer)
    except UnscorableError:
        return False
    return True


def overheard(talk: Rounds[T]) -> Rounds[tuple[T, list[Answer]]]:
    """The same conversation, which comes with all answers that it was given."""
    heard: list[Answer] = []
    questions = next(talk)
    while True:
        answers = yield questions
        heard += answers
        try:
            questions = talk.send(answers)
        except StopIteration as end:
            return end.value, heard


def flagged(problem: str, raw: str) -> UnscorableError:
    """Why an answer is not used, with what the model said."""
    shown = raw if len(raw) <= _SHOWN else f"{raw[:_SHOWN]}…"
    return UnscorableError(
        f"{problem} The model said: “{shown}”" if raw.strip() else f"{problem} The model said nothing."
    )
