"""What a run would cost at endpoints, before it starts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.llm.bill import Tokens, most
from core.llm.endpoint import asked_by
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

    def times(self, factor: float) -> Estimate:
        """For so many times as much work of the same kind."""
        return replace(
            self,
            questions=round(self.questions * factor),
            read=round(self.read * factor),
            written=round(self.written * factor),
            money=self.money * factor,
            unforeseen=round(self.unforeseen * factor),
        )


def estimate(questions: Iterable[Question], unforeseen: int = 0) -> Estimate:
    """What different questions would cost at most; raises NoEndpointError for an endpoint that is not set."""
    distinct = dict.fromkeys(questions)
    tokens = Tokens()
    costs: list[float] = []
    unpriced: dict[str, None] = {}
    for question in distinct:
        endpoint = asked_by(question.checkpoint)
        need = most(question, endpoint.thoughts)
        tokens += need
        if endpoint.price is None:
            unpriced[endpoint.title] = None
        else:
            costs.append(endpoint.price.of(need.read, need.written))
    return Estimate(len(distinct), tokens.read, tokens.written, sum(costs), tuple(unpriced), unforeseen)
