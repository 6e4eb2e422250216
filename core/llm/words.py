"""What is told of endpoints, estimates and bills: lines for people, the same on pages and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from core.llm.endpoint import Endpoint
from core.llm.estimate import Estimate
from core.llm.ledger import Spent


def told(found: Estimate) -> str:
    """An estimate in one line; empty where no endpoint is asked."""
    if not found.questions and not found.unforeseen:
        return ""
    tokens = f"about {found.read:,} tokens read, at most {found.written:,} written"
    asked = f"{_count(found.questions, 'question')} to endpoints, {tokens}"
    money = f"at most {money_words(found.money)}" if found.money or not found.unpriced else ""
    unknown = f"the price of {', '.join(found.unpriced)} is not set" if found.unpriced else ""
    more = f"{_count(found.unforeseen, 'text')} will need more, which is not known before" if found.unforeseen else ""
    return "; ".join(filter(None, [asked, money, unknown, more]))


def told_spent(spent: Mapping[str, Spent]) -> str:
    """What endpoints were paid, in one line; empty where nothing was asked."""
    return "; ".join(f"{name or 'default'}: {bill(one)}" for name, one in spent.items())


def bill(spent: Spent) -> str:
    tokens = f"{spent.read:,} tokens read, {spent.written:,} written"
    return f"{_count(spent.questions, 'question')}, {tokens}, {money_words(spent.money)}"


def limits(endpoint: Endpoint) -> str:
    """How it is asked and what it costs."""
    sent = "streamed" if endpoint.stream else ""
    patience = f"{endpoint.patience_s:g} s for a try, {_count(endpoint.retries, 'repeat')}"
    budget = "" if endpoint.budget is None else f"budget {endpoint.budget:g}"
    thinks = f"{endpoint.thoughts} tokens of thoughts" if endpoint.thoughts else ""
    return " · ".join(
        filter(None, [f"{endpoint.at_once} at once", patience, sent, thinks, price_words(endpoint), budget])
    )


def price_words(endpoint: Endpoint) -> str:
    if endpoint.price is None:
        return "price not set"
    if not endpoint.price.read and not endpoint.price.written:
        return "free"
    return f"{endpoint.price.read:g} read and {endpoint.price.written:g} written per million tokens"


def money_words(money: float) -> str:
    """Four decimals, more where they would show nothing."""
    return f"{money:.4f}" if money >= 0.0001 or not money else f"{money:.2g}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
