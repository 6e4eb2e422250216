"""Cost of questions at the endpoints that answer them, estimated before any is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum

from core.model_reference import EndpointModel
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints import endpoint_of
from core.models.llm.spending.spend import CostEstimate, Usage, asks_service, is_paid, max_usage
from core.types import Question


def has_cost(question: Question) -> bool:
    """True if the answer takes tokens of a language model, or is of a service that has a price."""
    if not asks_service(question):
        return is_paid(question)
    price = endpoint_of(question.endpoint_model).price
    return price is not None and price.answer > 0


def estimate_cost(
    questions: Iterable[Question], open_ended: int = 0, find: Callable[[EndpointModel], Endpoint] = endpoint_of
) -> CostEstimate:
    """About what different questions would cost at the endpoints that `find` gives; raises MissingEndpointError."""
    distinct = dict.fromkeys(questions)
    tokens = Usage()
    costs: list[float] = []
    unpriced: dict[str, None] = {}
    for question in distinct:
        endpoint = find(question.endpoint_model)
        need = max_usage(question, endpoint.reasoning_tokens)
        tokens += need
        if endpoint.price is None:
            unpriced[endpoint.title] = None
        else:
            costs.append(endpoint.price.of(need.read, need.written))
    return CostEstimate(len(distinct), tokens.read, tokens.written, fsum(costs), tuple(unpriced), open_ended)
