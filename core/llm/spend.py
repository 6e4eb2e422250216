"""Token usage and spend at endpoints: estimated before a run, recorded afterwards, limited by budgets, and formatted for people."""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import TouchstoneError
from core.llm.endpoints import Endpoint, endpoint_of
from core.settings import Settings
from core.types import Answer, EndpointModel, Question

_CHARACTERS_PER_TOKEN = 4  # of English, for the vocabularies of today's models
_FREE_KINDS = frozenset({"endpoint_token_count"})  # counting tokens is no completion


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written by a language model."""

    read: int = 0
    written: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.read + other.read, self.written + other.written)


def is_paid(question: Question) -> bool:
    """Whether an endpoint is asked, and for more than the length of a text."""
    return isinstance(question.checkpoint, EndpointModel) and question.checkpoint.kind not in _FREE_KINDS


def max_usage(question: Question, reasoning_tokens: int = 0) -> Usage:
    """About what is read, as the vocabulary is unknown, and the most that may be written, reasoning included."""
    if question.checkpoint.kind in _FREE_KINDS:
        return Usage()
    limit = dict(question.options).get("max_tokens", 1)
    return Usage(
        sum(map(_approximate_tokens, question.inputs)), reasoning_tokens + (limit if isinstance(limit, int) else 1)
    )


def actual_usage(question: Question, answer: Answer) -> Usage:
    """What the endpoint counted; about as much where it counts nothing."""
    if question.checkpoint.kind in _FREE_KINDS:
        return Usage()
    written = int(answer.values[0]) if question.checkpoint.kind == "endpoint_chat" else 1
    if answer.tokens:
        return Usage(answer.tokens, written)
    return Usage(max_usage(question).read, written or sum(map(_approximate_tokens, answer.texts[:1])))


def _approximate_tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Questions to endpoints without an answer yet, about the tokens they read, the most that is written, and the most money.

    `unpriced` names endpoints whose prices are not set. `open_ended` conversations may ask more than is known before.
    """

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0
    unpriced: tuple[str, ...] = ()
    open_ended: int = 0

    def times(self, factor: float) -> CostEstimate:
        """For so many times as much work of the same kind."""
        return replace(
            self,
            questions=round(self.questions * factor),
            read=round(self.read * factor),
            written=round(self.written * factor),
            money=self.money * factor,
            open_ended=round(self.open_ended * factor),
        )


def estimate_cost(questions: Iterable[Question], open_ended: int = 0) -> CostEstimate:
    """What different questions would cost at most; raises MissingEndpointError for an endpoint that is not set."""
    distinct = dict.fromkeys(questions)
    tokens = Usage()
    costs: list[float] = []
    unpriced: dict[str, None] = {}
    for question in distinct:
        endpoint = endpoint_of(question.endpoint_model)
        need = max_usage(question, endpoint.reasoning_tokens)
        tokens += need
        if endpoint.price is None:
            unpriced[endpoint.title] = None
        else:
            costs.append(endpoint.price.of(need.read, need.written))
    return CostEstimate(len(distinct), tokens.read, tokens.written, sum(costs), tuple(unpriced), open_ended)


_SPEND_FILE = "spending-1.sqlite"


@dataclass(frozen=True, slots=True)
class Spend:
    """Questions that were answered, tokens read and written, and money in the currency of the prices."""

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.questions + other.questions,
            self.read + other.read,
            self.written + other.written,
            self.money + other.money,
        )


class SpendTracker:
    """What was spent since the folder was made, by every process that keeps its answers there; safe among threads.

    A try that failed is not counted: an endpoint does not say what it charged for it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _SPEND_FILE
        self._lock = threading.Lock()
        self._reserved: defaultdict[str, float] = defaultdict(float)  # money for questions under way
        self._here: dict[str, Spend] = {}

    def total(self) -> dict[str, Spend]:
        """By the name of the endpoint, "" for the default one."""
        if not self._file.exists():
            return {}
        with self._open() as store:
            rows = store.execute("SELECT endpoint, questions, read, written, money FROM spent").fetchall()
        return {name: Spend(*counted) for name, *counted in rows}

    def this_process(self) -> dict[str, Spend]:
        """The part of it of this process."""
        with self._lock:
            return dict(self._here)

    @contextmanager
    def reserve(self, endpoint: Endpoint, tokens: Usage) -> Iterator[None]:
        """Keep what a question may cost at most free while it is asked; raises TouchstoneError where a budget forbids it."""
        with self._lock:
            money = self._affordable(endpoint, tokens)
            self._reserved[endpoint.name] += money
        try:
            yield
        finally:
            with self._lock:
                self._reserved[endpoint.name] -= money

    def record(self, endpoint: Endpoint, tokens: Usage) -> None:
        """Count an answer."""
        money = endpoint.price.of(tokens.read, tokens.written) if endpoint.price else 0.0
        with self._lock, self._open() as store:
            paid = Spend(1, tokens.read, tokens.written, money)
            self._here[endpoint.name] = self._here.get(endpoint.name, Spend()) + paid
            store.execute(
                "INSERT INTO spent VALUES (?, 1, ?, ?, ?) ON CONFLICT (endpoint) DO UPDATE SET questions = questions + 1, "
                "read = read + excluded.read, written = written + excluded.written, money = money + excluded.money",
                (endpoint.name, tokens.read, tokens.written, money),
            )

    def _affordable(self, endpoint: Endpoint, tokens: Usage) -> float:
        """What the tokens cost."""
        total = Settings.read().llm_budget
        limited = total is not None or endpoint.budget is not None
        if endpoint.price is None and not limited:
            return 0.0
        if endpoint.price is None:
            raise TouchstoneError(
                f"There is a budget, and the endpoint {endpoint.title!r} has no prices to keep it by. "
                f"Set {endpoint.setting('price_read')} and its like for tokens written, 0 where it is free."
            )
        money = endpoint.price.of(tokens.read, tokens.written)
        if money and limited:
            known = self.total()
            gone = {name: self._reserved[name] + known.get(name, Spend()).money for name in {*known, *self._reserved}}
            _check_budget("TOUCHSTONE_LLM_BUDGET", total, sum(gone.values()), money)
            _check_budget(endpoint.setting("budget"), endpoint.budget, gone.get(endpoint.name, 0.0), money)
        return money

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=30)) as store, store:
                store.execute(
                    "CREATE TABLE IF NOT EXISTS spent "
                    "(endpoint TEXT PRIMARY KEY, questions INTEGER, read INTEGER, written INTEGER, money REAL)"
                )
                yield store
        except (OSError, sqlite3.Error) as error:
            raise TouchstoneError(
                f"What is spent cannot be kept in {self._file}: {error}. Set TOUCHSTONE_CACHE_DIR to a folder that can be "
                "written."
            ) from error


def _check_budget(setting: str, budget: float | None, gone: float, money: float) -> None:
    if budget is not None and gone + money > budget:
        raise TouchstoneError(
            f"The budget does not allow this question: {gone:.4f} of {budget:g} are spent or under way, and it may cost up "
            f"to {money:.4f}. Raise {setting} and start again; all answers so far are kept."
        )


def format_estimate(found: CostEstimate) -> str:
    """An estimate in one line; empty where no endpoint is asked."""
    if not found.questions and not found.open_ended:
        return ""
    tokens = f"about {found.read:,} tokens read, at most {found.written:,} written"
    asked = f"{_count_noun(found.questions, 'question')} to endpoints, {tokens}"
    money = f"at most {format_money(found.money)}" if found.money or not found.unpriced else ""
    unknown = f"the price of {', '.join(found.unpriced)} is not set" if found.unpriced else ""
    more = (
        f"{_count_noun(found.open_ended, 'text')} will need more, which is not known before" if found.open_ended else ""
    )
    return "; ".join(filter(None, [asked, money, unknown, more]))


def format_spend_by_endpoint(spent: Mapping[str, Spend]) -> str:
    """What endpoints were paid, in one line; empty where nothing was asked."""
    return "; ".join(f"{name or 'default'}: {format_spend(one)}" for name, one in spent.items())


def format_spend(spent: Spend) -> str:
    tokens = f"{spent.read:,} tokens read, {spent.written:,} written"
    return f"{_count_noun(spent.questions, 'question')}, {tokens}, {format_money(spent.money)}"


def format_limits(endpoint: Endpoint) -> str:
    """How it is asked and what it costs."""
    sent = "streamed" if endpoint.stream else ""
    patience = f"{endpoint.patience_s:g} s for a try, {_count_noun(endpoint.retries, 'repeat')}"
    budget = "" if endpoint.budget is None else f"budget {endpoint.budget:g}"
    reasoning = f"{endpoint.reasoning_tokens} reasoning tokens" if endpoint.reasoning_tokens else ""
    return " · ".join(
        filter(None, [f"{endpoint.at_once} at once", patience, sent, reasoning, format_price(endpoint), budget])
    )


def format_price(endpoint: Endpoint) -> str:
    if endpoint.price is None:
        return "price not set"
    if not endpoint.price.read and not endpoint.price.written:
        return "free"
    return f"{endpoint.price.read:g} read and {endpoint.price.written:g} written per million tokens"


def format_money(money: float) -> str:
    """Four decimals, more where they would show nothing."""
    return f"{money:.4f}" if money >= 0.0001 or not money else f"{money:.2g}"


def _count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
