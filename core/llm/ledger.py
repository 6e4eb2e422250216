"""What endpoints were paid, kept beside the cache, and the budgets that nothing is asked beyond."""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import TouchstoneError
from core.llm.bill import Tokens
from core.llm.endpoint import Endpoint
from core.settings import Settings

_FILE = "spending-1.sqlite"


@dataclass(frozen=True, slots=True)
class Spent:
    """Questions that were answered, tokens read and written, and money in the currency of the prices."""

    questions: int = 0
    read: int = 0
    written: int = 0
    money: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.questions + other.questions,
            self.read + other.read,
            self.written + other.written,
            self.money + other.money,
        )


class Ledger:
    """What was spent since the folder was made, by every process that keeps its answers there; safe among threads.

    A try that failed is not counted: an endpoint does not say what it charged for it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._lock = threading.Lock()
        self._reserved: defaultdict[str, float] = defaultdict(float)  # money for questions under way
        self._here: dict[str, Spent] = {}

    def spent(self) -> dict[str, Spent]:
        """By the name of the endpoint, "" for the default one."""
        if not self._file.exists():
            return {}
        with self._open() as store:
            rows = store.execute("SELECT endpoint, questions, read, written, money FROM spent").fetchall()
        return {name: Spent(*counted) for name, *counted in rows}

    def spent_here(self) -> dict[str, Spent]:
        """The part of it that went through this ledger."""
        with self._lock:
            return dict(self._here)

    @contextmanager
    def allowing(self, endpoint: Endpoint, tokens: Tokens) -> Iterator[None]:
        """Keep what a question may cost at most free while it is asked; raises TouchstoneError where a budget forbids it."""
        with self._lock:
            money = self._affordable(endpoint, tokens)
            self._reserved[endpoint.name] += money
        try:
            yield
        finally:
            with self._lock:
                self._reserved[endpoint.name] -= money

    def enter(self, endpoint: Endpoint, tokens: Tokens) -> None:
        """Count an answer."""
        money = endpoint.price.of(tokens.read, tokens.written) if endpoint.price else 0.0
        with self._lock, self._open() as store:
            paid = Spent(1, tokens.read, tokens.written, money)
            self._here[endpoint.name] = self._here.get(endpoint.name, Spent()) + paid
            store.execute(
                "INSERT INTO spent VALUES (?, 1, ?, ?, ?) ON CONFLICT (endpoint) DO UPDATE SET questions = questions + 1, "
                "read = read + excluded.read, written = written + excluded.written, money = money + excluded.money",
                (endpoint.name, tokens.read, tokens.written, money),
            )

    def _affordable(self, endpoint: Endpoint, tokens: Tokens) -> float:
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
            known = self.spent()
            gone = {name: self._reserved[name] + known.get(name, Spent()).money for name in {*known, *self._reserved}}
            _check("TOUCHSTONE_LLM_BUDGET", total, sum(gone.values()), money)
            _check(endpoint.setting("budget"), endpoint.budget, gone.get(endpoint.name, 0.0), money)
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


def _check(setting: str, budget: float | None, gone: float, money: float) -> None:
    if budget is not None and gone + money > budget:
        raise TouchstoneError(
            f"The budget does not allow this question: {gone:.4f} of {budget:g} are spent or under way, and it may cost up "
            f"to {money:.4f}. Raise {setting} and start again; all answers so far are kept."
        )
