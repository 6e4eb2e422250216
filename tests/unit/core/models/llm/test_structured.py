"""Answers of a given shape: what is read, what is asked for once more, and what is a failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import pytest
from pydantic import model_validator

from core.errors import UnscorableError
from core.models.llm.chat import Sampling
from core.models.llm.prompts import Messages
from core.models.llm.structured import StructuredAnswer, answer_schema, ask_structured, read_structured
from core.types import Answer, Question


class Verdict(StructuredAnswer):
    consistent: bool
    why: str


GOOD = '{"consistent": false, "why": "It {never} rained."}'
RIGHT = Verdict(consistent=False, why="It {never} rained.")


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here you are:\n```\n{GOOD}\n```\nI hope {{this}} helps.",
        f"{GOOD}\n\nThe claim {{in braces}} is wrong.",
        f"My verdict: {GOOD}",
        f"```json\n{GOOD}",
        f"{GOOD}\n\n{GOOD}",
        f'{GOOD[:-1]}, "sure": 1}}',
    ],
    ids=["plain", "fenced", "fenced in prose", "trailing prose", "leading prose", "open fence", "twice", "added"],
)
def test_one_object_is_read_wherever_it_stands(text: str) -> None:
    assert read_structured(text, Verdict) == RIGHT


class Span(StructuredAnswer):
    start: int
    end: int

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError("the span ends before it starts")
        return self


def test_what_a_shape_says_of_several_fields_together_is_told_in_its_words() -> None:
    with pytest.raises(UnscorableError, match=r"is not as asked \(the span ends before it starts\)"):
        read_structured('{"start": 2, "end": 1}', Span)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD[:-3], "no complete JSON object"),
        ('{"outer": {"consistent": true, "why": "x"}', "no complete JSON object"),
        ("Consistent.", "no complete JSON object"),
        (f"{GOOD} or {GOOD.replace('false', 'true')}", "2 JSON objects"),
        ('{"consistent": "yes", "why": "x"}', r"consistent: Input should be a valid boolean"),
        ('{"consistent": true}', r"why: Field required"),
        ('{"konsistent": true, "warum": "weil"}', r"consistent: Field required"),
        ("[" * 100_000 + "{" * 100_000, "no complete JSON object"),
    ],
    ids=["truncated", "truncated outside", "prose", "two", "wrong type", "missing", "wrong language", "deep"],
)
def test_what_is_not_of_the_shape_is_refused_with_what_was_said(text: str, problem: str) -> None:
    with pytest.raises(UnscorableError, match=problem) as raised:
        read_structured(text, Verdict)
    assert text[:40] in str(raised.value)


def converse(*texts: tuple[str, str]) -> tuple[Verdict | None, Sequence[Question]]:
    """What came of it when a model says these texts, and what it was asked."""
    rounds, asked, replies = ask_structured(Messages("Judge.", "It rained."), Sampling("m"), Verdict), [], iter(texts)
    try:
        questions = next(rounds)
        while True:
            asked += questions
            questions = rounds.send([Answer(texts=next(replies)) for _ in questions])
    except StopIteration as end:
        return end.value, asked


def test_a_good_answer_is_asked_for_once() -> None:
    found, [question] = converse((GOOD, "stop"))
    assert found == RIGHT
    assert dict(question.options)["schema"] == answer_schema(Verdict)


def test_a_broken_answer_is_asked_for_once_more_with_what_is_wrong() -> None:
    found, [_, again] = converse((GOOD[:-3], "stop"), (GOOD, "stop"))
    assert found == RIGHT
    system, user, broken, repair = again.inputs
    assert (system, user, broken) == ("Judge.", "It rained.", GOOD[:-3])
    assert "no complete JSON object" in repair
    assert answer_schema(Verdict) in repair
    assert GOOD[:-3] not in repair


def test_an_answer_that_stays_broken_is_a_failure_with_what_was_said_last() -> None:
    with pytest.raises(
        UnscorableError, match=r"no complete JSON object; one is expected\. The model said: “Still no.”"
    ):
        converse(("No.", "stop"), ("Still no.", "stop"))


@pytest.mark.parametrize("ended", ["length", "refusal", "filter"])
def test_what_was_refused_or_cut_off_is_not_repaired(ended: str) -> None:
    with pytest.raises(UnscorableError, match=r"The model said: “\{”"):
        converse(("{", ended))
