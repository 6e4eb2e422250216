"""Usage of the paid answers behind a score."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from core.models import Usage, actual_usage, endpoint_of, has_cost, money_of
from core.types import Answer, Question, Rounds, Score


@dataclass(frozen=True, slots=True)
class VerdictUsage:
    """Usage of the answers behind one score; `money` is None where an endpoint has no price."""

    tokens: Usage
    money: float | None


MeteredScore = tuple[Score, VerdictUsage | None]
"""Score with the usage of its paid answers; None where no endpoint was asked."""


def metered(rounds: Rounds[Score]) -> Rounds[MeteredScore]:
    """The same conversation, which also returns the usage of its paid answers, as the server counted it when they were given."""
    answered: list[tuple[Question, Answer]] = []
    try:
        questions = next(rounds)
        while True:
            answers = yield questions
            answered += zip(questions, answers, strict=True)
            questions = rounds.send(answers)
    except StopIteration as end:
        return end.value, _usage(answered)


def _usage(answered: list[tuple[Question, Answer]]) -> VerdictUsage | None:
    paid = [(question, answer) for question, answer in answered if has_cost(question)]
    if not paid:
        return None
    tokens = [actual_usage(question, answer) for question, answer in paid]
    money = [
        money_of(endpoint_of(question.endpoint_model), used) for (question, _), used in zip(paid, tokens, strict=True)
    ]
    costs = [cost for cost in money if cost is not None]
    return VerdictUsage(sum(tokens, Usage()), fsum(costs) if len(costs) == len(money) else None)
