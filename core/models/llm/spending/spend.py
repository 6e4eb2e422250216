"""Token usage and spend at endpoints: estimated before a run, counted afterwards, and formatted for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fsum

from core.model_reference import EndpointModel
from core.models.llm.endpoints.endpoint import Endpoint
from core.stats import format_count
from core.types import Answer, Question

_CHARACTERS_PER_TOKEN = 4  # of English, for the vocabularies of today's models
_TEMPLATE_TOKENS = 32  # around one message
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_LEAST_WINDOW_WORDS = 1500  # of 2,048 tokens, the shortest window that servers have
_LEAST_LIMIT = 16  # tokens that the Responses API may write, whatever lower limit is asked for
_SERVICE = "endpoint_score"
_NO_TOKENS = frozenset({"endpoint_token_count", _SERVICE})  # the kinds that write no text


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written by a language model, those of them read from a cache, and the cost where the server says it."""

    read: int = 0
    written: int = 0
    cached: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [usage.cost for usage in (self, other) if usage.cost is not None]
        return Usage(
            self.read + other.read,
            self.written + other.written,
            self.cached + other.cached,
            fsum(costs) if costs else None,
        )


def money_of(endpoint: Endpoint, tokens: Usage) -> float | None:
    """The money that tokens cost: what the server says, else by the endpoint's prices; None without either."""
    if tokens.cost is not None:
        return tokens.cost
    return endpoint.price.of(tokens.read, tokens.written, tokens.cached) if endpoint.price else None


def is_paid(question: Question) -> bool:
    """True if a language model of an endpoint is asked, and for more than the length of a text."""
    return isinstance(question.checkpoint, EndpointModel) and question.checkpoint.kind not in _NO_TOKENS


def asks_service(question: Question) -> bool:
    """True if a service is asked for a score."""
    return question.checkpoint.kind == _SERVICE


def max_usage(question: Question, reasoning_tokens: int = 0) -> Usage:
    """About what is read, as the vocabulary is unknown, and the most that may be written, reasoning included."""
    if question.checkpoint.kind in _NO_TOKENS:
        return Usage()
    limit = dict(question.options).get("max_tokens", 1)
    return Usage(
        sum(map(_approximate_tokens, question.inputs)), reasoning_tokens + (limit if isinstance(limit, int) else 1)
    )


def most_usage(question: Question, reasoning_tokens: int = 0) -> Usage:
    """The most that one question can cost, whatever the vocabulary: no token is shorter than a byte."""
    if question.checkpoint.kind in _NO_TOKENS:
        return Usage()
    schema = dict(question.options).get("schema", "")
    texts = [*question.inputs, schema if isinstance(schema, str) else ""]
    read = sum(len(text.encode("utf-8", "replace")) + _TEMPLATE_TOKENS for text in texts)
    return Usage(read, max(_LEAST_LIMIT, max_usage(question, reasoning_tokens).written))


def actual_usage(question: Question, answer: Answer) -> Usage:
    """Usage that the endpoint counted; an estimate where it counts nothing. Of a service only the cost, where it says that."""
    if question.checkpoint.kind in _NO_TOKENS:
        stated = answer.texts[len(answer.spans) + 1 :] if asks_service(question) else ()
        return Usage(cost=float(stated[0]) if stated else None)
    most, counted = max_usage(question), counted_usage(question.checkpoint.kind, answer)
    written = counted.written
    if question.checkpoint.kind != "endpoint_chat":
        written = written or most.written
    elif not answer.tokens:
        written = written or sum(map(_approximate_tokens, answer.texts[:1]))
    return replace(counted, read=counted.read or most.read, written=written)


def counted_usage(kind: str, answer: Answer) -> Usage:
    """Usage that the endpoint of a language model counted, by its answer to a question of this kind; 0 where it counted nothing."""
    # the probabilities of first tokens, one for each text, stand before what `usage_values` wrote
    values = answer.values if kind == "endpoint_chat" else answer.values[len(answer.texts) :]
    written, cached = (int(value) for value in (*values, 0.0, 0.0)[:2])
    return Usage(answer.tokens, written, cached, values[2] if len(values) > 2 else None)


def usage_values(written: int, cached: int, cost: float | None) -> tuple[float, ...]:
    """Numbers at the end of an answer's values that keep its usage: tokens written and, where the server names them, the others."""
    if cost is not None:
        return float(written), float(cached), cost
    return (float(written), float(cached)) if cached else (float(written),)


def unread_tokens(question: Question, read: int) -> int:
    """Least number of tokens of a question that were not read, by the number that the server reports; 0 if unknown.

    No usual vocabulary has a token for two words, or for more than four characters of a script without blanks.
    """
    characters = sum(map(len, question.inputs))
    if not read or 2 * read >= characters:
        return 0
    words = sum(len(text.split()) for text in question.inputs)
    least = max(words, sum(len(_UNSPACED.findall(text)) for text in question.inputs) // 4)
    return max(0, least - read) if least >= _LEAST_WINDOW_WORDS else 0


def _approximate_tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Questions to endpoints without an answer yet, and about what they cost if every answer is as long as it may be.

    Answers that cannot be read and are asked for once more are not in it, and tokens read follow from characters.
    `unpriced` names endpoints whose prices are not set. `open_ended` conversations may ask more than is known before.
    """

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0
    unpriced: tuple[str, ...] = ()
    open_ended: int = 0

    def times(self, factor: float) -> CostEstimate:
        """For a multiple of the work, of the same kind."""
        return replace(
            self,
            questions=round(self.questions * factor),
            read=round(self.read * factor),
            written=round(self.written * factor),
            money=self.money * factor,
            open_ended=round(self.open_ended * factor),
        )


@dataclass(frozen=True, slots=True)
class Spend:
    """Questions that were answered, tokens read and written, and money in the currency of the prices.

    `unpriced` of the questions have a cost that is unknown, which is not in the money.
    """

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0
    unpriced: int = 0

    @classmethod
    def of(cls, endpoint: Endpoint, tokens: Usage) -> Spend:
        """Spend on one answer."""
        money = money_of(endpoint, tokens)
        return cls(1, tokens.read, tokens.written, money or 0.0, int(money is None))

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.questions + other.questions,
            self.read + other.read,
            self.written + other.written,
            self.money + other.money,
            self.unpriced + other.unpriced,
        )


def format_estimate(estimate: CostEstimate) -> str:
    """An estimate in one line; empty where no endpoint is asked."""
    if not estimate.questions and not estimate.open_ended:
        return ""
    tokens = f", about {estimate.read:,} tokens read, about {estimate.written:,} written with answers of full length"
    questions = f"{format_count(estimate.questions, 'question')} to endpoints{tokens if estimate.read or not estimate.questions else ''}"
    money = f"about {format_money(estimate.money)}" if estimate.money or not estimate.unpriced else ""
    unknown = f"the price of {', '.join(estimate.unpriced)} is not set" if estimate.unpriced else ""
    more = (
        f"{format_count(estimate.open_ended, 'text')} will need more, which is not known before"
        if estimate.open_ended
        else ""
    )
    return "; ".join(filter(None, [questions, money, unknown, more]))


def format_spend_by_endpoint(spent: Mapping[str, Spend]) -> str:
    """Spend at endpoints, in one line; empty where nothing was asked."""
    return "; ".join(f"{name or 'default'}: {format_spend(spend)}" for name, spend in spent.items())


def format_spend(spent: Spend) -> str:
    tokens = f"{spent.read:,} tokens read, {spent.written:,} written"
    money = format_money(spent.money) if spent.unpriced < max(spent.questions, 1) else "at a price that is not set"
    rest = f" besides {format_count(spent.unpriced, 'question')} without a price" if spent.unpriced else ""
    priced = f"{money}{rest if spent.unpriced < spent.questions else ''}"
    return f"{format_count(spent.questions, 'question')}, {tokens}, {priced}"


def format_limits(endpoint: Endpoint) -> str:
    """Limits of an endpoint and its price, in one line."""
    sent = "streamed" if endpoint.stream else ""
    patience = f"{endpoint.patience_s:g} s for a try, {format_count(endpoint.retries, 'repeat')}"
    budget = "" if endpoint.budget is None else f"budget {endpoint.budget:g}"
    api = "" if endpoint.api == "chat" else f"api {endpoint.api}"
    reasoning = f"{endpoint.reasoning_tokens} reasoning tokens" if endpoint.reasoning_tokens else ""
    return " · ".join(
        filter(None, [api, f"{endpoint.at_once} at once", patience, sent, reasoning, format_price(endpoint), budget])
    )


def format_price(endpoint: Endpoint) -> str:
    if endpoint.price is None:
        return "price not set"
    price = endpoint.price
    tokens = f"{price.read:g} read and {price.written:g} written per million tokens"
    answer = f"{price.answer:g} for an answer" if price.answer else ""
    return ", ".join(filter(None, [tokens if price.read or price.written else "", answer])) or "free"


def format_money(money: float) -> str:
    """Four decimals, more where they would show nothing."""
    return f"{money:.4f}" if money >= 0.0001 or not money else f"{money:.2g}"
