"""Spend at endpoints by every process of a machine, and the budgets that limit it."""

from __future__ import annotations

import itertools
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from core.errors import TouchstoneError
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.spend import Spend, Usage
from core.settings import Settings

_FILE = "spending-1.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS spent (endpoint TEXT PRIMARY KEY, questions INTEGER, read INTEGER, written INTEGER, money REAL);
CREATE TABLE IF NOT EXISTS unpriced (endpoint TEXT PRIMARY KEY, questions INTEGER);
CREATE TABLE IF NOT EXISTS reserved (id TEXT PRIMARY KEY, owner TEXT, endpoint TEXT, money REAL);
CREATE TABLE IF NOT EXISTS alive (owner TEXT PRIMARY KEY, seen REAL);
CREATE TABLE IF NOT EXISTS person_spent (person TEXT PRIMARY KEY, questions INTEGER, read INTEGER, written INTEGER, money REAL, unpriced INTEGER);
CREATE TABLE IF NOT EXISTS reserved_by (id TEXT PRIMARY KEY, person TEXT);
"""
_POLL_S = 0.2  # how long a question waits before it looks what other processes have paid
_HEARTBEAT_S, _DEAD_AFTER_S = 5.0, 30.0  # a process that was not seen for that long has no question under way
_ROUNDING = 1e-9
_BATCH = "batch"
"""Owns what is reserved for batches, which go on without the process that submitted them."""


class SpendTracker:
    """Spend since the folder was made, by every process that keeps its answers there; safe among threads.

    A try that failed is not counted: an endpoint does not say what it charged for it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._free = threading.Condition()
        self._here: dict[str, Spend] = {}
        self._store: sqlite3.Connection | None = None
        self._owner = uuid4().hex
        self._closed = threading.Event()
        self._heartbeat: threading.Thread | None = None

    def total(self) -> dict[str, Spend]:
        """By the name of the endpoint, "" for the default one."""
        return self._read(
            "SELECT spent.endpoint, spent.questions, read, written, money, coalesce(unpriced.questions, 0) "
            "FROM spent LEFT JOIN unpriced ON unpriced.endpoint = spent.endpoint"
        )

    def by_person(self) -> dict[str, Spend]:
        """By the name of who asked on a shared server, at all endpoints together."""
        return self._read("SELECT person, questions, read, written, money, unpriced FROM person_spent")

    def this_process(self) -> dict[str, Spend]:
        """The part of it of this process."""
        with self._free:
            return dict(self._here)

    @contextmanager
    def reserve(
        self, endpoint: Endpoint, tokens: Usage, given_up: Callable[[], bool] = lambda: False, payer: str = ""
    ) -> Iterator[None]:
        """Keep what a question may cost at most free while it is asked.

        `payer` is a person of a shared server, "" for nobody. Waits while questions under way, of any process, may need what
        is left. Raises TouchstoneError where a budget forbids the question whatever these cost in the end, and where it is
        given up before its turn.
        """
        limits = _limits(endpoint, payer)
        money = _price(endpoint, tokens, bool(limits))
        if not money or not limits:
            yield
            return
        reservation = self._wait_for_money(endpoint, money, limits, given_up, payer)
        try:
            yield
        finally:
            with self._transaction() as store:
                store.execute("DELETE FROM reserved WHERE id = ?", (reservation,))
                self._free.notify()

    def record(self, endpoint: Endpoint, tokens: Usage, payer: str = "") -> None:
        """Count an answer, and for the person who pays it."""
        with self._transaction() as store:
            self._count(store, endpoint, tokens)
            if payer:
                paid = Spend.of(endpoint, tokens)
                store.execute(
                    "INSERT INTO person_spent VALUES (?, 1, ?, ?, ?, ?) ON CONFLICT (person) DO UPDATE SET "
                    "questions = questions + 1, read = read + excluded.read, written = written + excluded.written, "
                    "money = money + excluded.money, unpriced = unpriced + excluded.unpriced",
                    (payer, paid.read, paid.written, paid.money, paid.unpriced),
                )

    def reserve_batch(self, endpoint: Endpoint, tokens: Sequence[Usage]) -> tuple[str, int, float]:
        """Keep free what the first of these questions may cost at most together: as many as the budgets allow now.

        The id of the reservation, how many questions, which may be none while others are under way, and the money. It is
        of this process until `keep_for_batch`. Raises TouchstoneError where a budget forbids the first of them for good.
        """
        limits = _limits(endpoint, "")
        costs = [_price(endpoint, usage, bool(limits)) for usage in tokens]
        id = uuid4().hex
        self._show_alive()
        with self._transaction() as store:
            free = _free_money(store, endpoint, costs[0], limits) + _ROUNDING
            count = sum(money <= free for money in itertools.accumulate(costs))
            money = math.fsum(costs[:count])
            store.execute("INSERT INTO reserved VALUES (?, ?, ?, ?)", (id, self._owner, endpoint.name, money))
        if not count:
            self.release(id)
        return id, count, money

    def keep_for_batch(self, id: str, endpoint: Endpoint, money: float) -> None:
        """Let a reservation outlive this process, until `settle` or `release`."""
        with self._transaction() as store:
            store.execute("INSERT OR REPLACE INTO reserved VALUES (?, ?, ?, ?)", (id, _BATCH, endpoint.name, money))

    def settle(self, id: str, endpoint: Endpoint, tokens: Iterable[Usage]) -> bool:
        """Count the answers of a batch in place of its reservation; False where that was done already."""
        with self._transaction() as store:
            if not store.execute("DELETE FROM reserved WHERE id = ?", (id,)).rowcount:
                return False
            for usage in tokens:
                self._count(store, endpoint, usage)
            self._free.notify_all()
        return True

    def release(self, id: str) -> None:
        """Give back what was reserved for a batch that is not answered."""
        with self._transaction() as store:
            store.execute("DELETE FROM reserved WHERE id = ?", (id,))
            self._free.notify_all()

    def close(self) -> None:
        """Give back what this process has reserved, but for batches that go on."""
        self._closed.set()
        if self._heartbeat:
            self._heartbeat.join()
        with self._free:
            if self._store:
                with self._transaction() as store:
                    store.execute("DELETE FROM reserved WHERE owner = ?", (self._owner,))
                    store.execute("DELETE FROM alive WHERE owner = ?", (self._owner,))

    def _count(self, store: sqlite3.Connection, endpoint: Endpoint, tokens: Usage) -> None:
        paid = Spend.of(endpoint, tokens)
        self._here[endpoint.name] = self._here.get(endpoint.name, Spend()) + paid
        store.execute(
            "INSERT INTO spent VALUES (?, 1, ?, ?, ?) ON CONFLICT (endpoint) DO UPDATE SET questions = questions + 1, "
            "read = read + excluded.read, written = written + excluded.written, money = money + excluded.money",
            (endpoint.name, paid.read, paid.written, paid.money),
        )
        if paid.unpriced:
            store.execute(
                "INSERT INTO unpriced VALUES (?, 1) ON CONFLICT (endpoint) DO UPDATE SET questions = questions + 1",
                (endpoint.name,),
            )

    def _read(self, query: str) -> dict[str, Spend]:
        """Spend by the name in the first column; looking makes no file."""
        if not self._file.exists():
            return {}
        with _errors_named(self._file), closing(sqlite3.connect(self._file, timeout=30)) as store:
            store.executescript(_TABLES)
            return {name: Spend(*counted) for name, *counted in store.execute(query).fetchall()}

    def _wait_for_money(
        self, endpoint: Endpoint, money: float, limits: dict[str, float], given_up: Callable[[], bool], payer: str
    ) -> str:
        """The id of the reservation."""
        id = uuid4().hex
        with self._free:
            self._show_alive()
            while not self._reserve_now(id, endpoint, money, limits, payer):
                if given_up():
                    raise TouchstoneError("Nobody waits for this answer any more, and the budget was not free for it.")
                self._free.wait(_POLL_S)
            self._free.notify()  # there may be enough for the next one too
        return id

    def _reserve_now(self, id: str, endpoint: Endpoint, money: float, limits: dict[str, float], payer: str) -> bool:
        """Reserve the money if it is free now, and return True then; raises TouchstoneError where it can never be."""
        with self._transaction() as store:
            if money > _free_money(store, endpoint, money, limits, payer) + _ROUNDING:
                return False
            store.execute("INSERT INTO reserved VALUES (?, ?, ?, ?)", (id, self._owner, endpoint.name, money))
            store.execute("INSERT INTO reserved_by VALUES (?, ?)", (id, payer))
        return True

    def _show_alive(self) -> None:
        """Let other processes see from now on that what this one has reserved is under way."""
        if self._heartbeat is None:
            self._beat()
            self._heartbeat = threading.Thread(target=self._keep_beating, daemon=True)
            self._heartbeat.start()

    def _keep_beating(self) -> None:
        while not self._closed.wait(_HEARTBEAT_S):
            self._beat()

    def _beat(self) -> None:
        with self._transaction() as store:
            store.execute("INSERT OR REPLACE INTO alive VALUES (?, ?)", (self._owner, time.time()))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._free, _errors_named(self._file):
            if self._store is None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                store = sqlite3.connect(self._file, timeout=30, check_same_thread=False, isolation_level=None)
                store.execute("PRAGMA journal_mode=WAL")
                store.execute("PRAGMA synchronous=NORMAL")
                store.executescript(_TABLES)
                self._store = store
            try:
                with self._store:
                    self._store.execute("BEGIN IMMEDIATE")
                    yield self._store
            finally:
                if self._closed.is_set():  # an answer may arrive after the close, and is paid all the same
                    self._store.close()
                    self._store = None


_TOTAL_SETTING = "TOUCHSTONE_LLM_BUDGET"
_PERSON_SETTING = "TOUCHSTONE_PERSON_BUDGET"


def _free_money(
    store: sqlite3.Connection, endpoint: Endpoint, money: float, limits: Mapping[str, float], payer: str = ""
) -> float:
    """Money that may be spent now besides what is under way; TouchstoneError where it can never reach `money`."""
    store.execute("DELETE FROM alive WHERE seen < ?", (time.time() - _DEAD_AFTER_S,))
    store.execute("DELETE FROM reserved WHERE owner != ? AND owner NOT IN (SELECT owner FROM alive)", (_BATCH,))
    store.execute("DELETE FROM reserved_by WHERE id NOT IN (SELECT id FROM reserved)")
    spent = dict(store.execute("SELECT endpoint, money FROM spent"))
    reserved = dict(store.execute("SELECT endpoint, sum(money) FROM reserved GROUP BY endpoint"))
    by_person = dict(store.execute("SELECT person, money FROM person_spent WHERE person = ?", (payer,)))
    held = "SELECT person, sum(money) FROM reserved JOIN reserved_by USING (id) WHERE person = ? GROUP BY person"
    held_by_person = dict(store.execute(held, (payer,)))
    free = math.inf
    for setting, budget in limits.items():
        if setting == _PERSON_SETTING:
            gone, waiting = by_person.get(payer, 0.0), held_by_person.get(payer, 0.0)
        elif setting == _TOTAL_SETTING:
            gone, waiting = math.fsum(spent.values()), math.fsum(reserved.values())
        else:
            gone, waiting = spent.get(endpoint.name, 0.0), reserved.get(endpoint.name, 0.0)
        if gone + money > budget + _ROUNDING:
            raise TouchstoneError(_forbidden(setting, budget, gone, money, payer))
        free = min(free, budget - gone - waiting)
    return free


def _forbidden(setting: str, budget: float, gone: float, money: float, payer: str) -> str:
    """Sentence for a question that a budget does not allow."""
    if setting == _PERSON_SETTING:
        return (
            f"{payer} has spent {gone:.4f} at endpoints, a person of this server may spend {budget:g} ({setting}), and this "
            f"question may cost up to {money:.4f}. Ask the operator for more; all answers so far are kept."
        )
    return (
        f"The budget does not allow this question: {gone:.4f} of {budget:g} are spent, and it may cost up "
        f"to {money:.4f}. Raise {setting} and start again; all answers so far are kept."
    )


def _limits(endpoint: Endpoint, payer: str) -> dict[str, float]:
    """The budgets that a question to this endpoint must keep to, by what sets them."""
    settings = Settings.read()
    # the default endpoint has no budget but the one for all, under the same name
    limits = {endpoint.setting("budget"): endpoint.budget, _TOTAL_SETTING: settings.llm_budget}
    if payer:
        limits[_PERSON_SETTING] = settings.person_budget
    return {setting: budget for setting, budget in limits.items() if budget is not None}


def _price(endpoint: Endpoint, tokens: Usage, limited: bool) -> float:
    """Price of the tokens; raises TouchstoneError where there is a budget and no price."""
    if endpoint.price:
        return endpoint.price.of(tokens.read, tokens.written)
    if limited:
        raise TouchstoneError(
            f"There is a budget, and the endpoint {endpoint.title!r} has no prices to keep it by. "
            f"Set {endpoint.setting('price_read')} and its like for tokens written, 0 where it is free."
        )
    return 0.0


@contextmanager
def _errors_named(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise TouchstoneError(
            f"What is spent cannot be kept in {file}: {error}. Set TOUCHSTONE_CACHE_DIR to a folder that can be written."
        ) from error
