"""What a run would cost at endpoints, before it starts, and what it did cost, in a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.llm.bill import Tokens, most
from core.llm.endpoint import asked_by
from core.llm.ledger import Spent
from core.types import Question


@dataclass(frozen=True, slots=True)
class Estimate:
    """Questions to endpoints that nobody answered yet, about the tokens they read, the most that is written, and the most money.

    `unpriced` names endpoints whose prices are not set. `unforeseen` conversations may ask more than is known before.
    """

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0
    unpriced: tuple[str, ...] = ()
    unforeseen: int = 0


def estimate(questions: Iterable[Question], unforeseen: int = 0) -> Estimate:
    """What different questions would cost at most; raises NoEndpointError for an endpoint that is not set."""
    distinct = dict.fromkeys(questions)
    tokens = sum(map(most, distinct), Tokens())
    costs: list[float] = []
    unpriced: dict[str, None] = {}
    for question in distinct:
        endpoint = asked_by(question.checkpoint)
        if endpoint.price is None:
            unpriced[endpoint.title] = None
        else:
            need = most(question)
            costs.append(endpoint.price.of(need.read, need.written))
    return Estimate(len(distinct), tokens.read, tokens.written, sum(costs), tuple(unpriced), unforeseen)


def told(found: Estimate) -> str:
    """The estimate in one line; empty where no endpoint is asked."""
    if not found.questions and not found.unforeseen:
        return ""
    asked = f"{_count(found.questions, 'question')} to endpoints: about {found.read:,} tokens read, at most {found.written:,} written"
    unknown = f"the price of {', '.join(found.unpriced)} is not set" if found.unpriced else ""
    money = f"at most {found.money:.4f}" if found.money or not found.unpriced else ""
    more = f"{_count(found.unforeseen, 'text')} will need more, which is not known before" if found.unforeseen else ""
    return "; ".join(filter(None, [asked, money, unknown, more]))


def told_spent(spent: Mapping[str, Spent]) -> str:
    """What was paid, in one line; empty where nothing was."""
    return "; ".join(
        f"{name or 'default'}: {_count(one.questions, 'question')}, {one.read:,} tokens read, {one.written:,} written, {one.money:.4f}"
        for name, one in spent.items()
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
