"""Costs by run and prompt: one row for each prompt, endpoint and model that a run of the program asked."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.base import open_database
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.spend import Spend, Usage

_FILE = "costs-1.sqlite"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS cost (run TEXT, prompt TEXT, endpoint TEXT, model TEXT, questions INTEGER, read INTEGER, "
    "written INTEGER, money REAL, PRIMARY KEY (run, prompt, endpoint, model))"
)
_REQUEST_TABLE = (
    "CREATE TABLE IF NOT EXISTS request (run TEXT, prompt TEXT, endpoint TEXT, model TEXT, outcome TEXT, requests INTEGER, "
    "PRIMARY KEY (run, prompt, endpoint, model, outcome))"
)
_WRITE_AFTER_S = 0.5  # a write for each answer would slow down whatever asks many
COST_COLUMNS = ("kind", "run", "prompt", "endpoint", "model", "questions", "read", "written", "money")
_COMMANDS = ("cli.py", "touchstone")  # in a checkout, and where pip installed it


@dataclass(frozen=True, slots=True)
class CostRow:
    """Cost of one prompt in one run."""

    run: str
    """Time when the process began, in UTC, and its command."""

    prompt: str
    """The name of the prompt that was sent."""

    endpoint: str
    """The name of the endpoint, `default` for that of the environment."""

    model: str
    """The model that answered."""

    questions: int
    """Number of answers."""

    read: int
    """Tokens that were read, those from a cache among them."""

    written: int
    """Tokens that were written, reasoning among them."""

    money: float | None
    """Cost, in the unit of the price; None if that of an answer is unknown."""


class CostLog:
    """The rows of this run; safe among threads. What was paid in the last half second before a process is killed is missing."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        program, *arguments = [*sys.argv, ""]
        name = Path(program).name
        command = f"{name} {arguments[0]}".strip() if name in _COMMANDS else name
        self._run = f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {command}"
        self._lock = threading.Lock()
        self._paid: dict[tuple[str, str, str], Spend] = {}
        self._sent: Counter[tuple[str, str, str, str]] = Counter()
        self._timer: threading.Timer | None = None

    def record(self, prompt: str, endpoint: Endpoint, model: str, tokens: Usage) -> None:
        """Count one answer."""
        key = (prompt, endpoint.title, model)
        with self._lock:
            self._paid[key] = self._paid.get(key, Spend()) + Spend.of(endpoint, tokens)
            self._write_soon()

    def record_requests(self, prompt: str, endpoint: Endpoint, model: str, outcomes: Iterable[str]) -> None:
        """Count the requests of one question, by what became of them: a request may cost money without an answer."""
        with self._lock:
            self._sent.update((prompt, endpoint.title, model, outcome) for outcome in outcomes)
            self._write_soon()

    def _write_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_WRITE_AFTER_S, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def flush(self) -> None:
        """Write what is not yet written."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
                self._timer = None
                self._write()

    def _write(self) -> None:
        rows = [
            (self._run, *key, paid.questions, paid.read, paid.written, None if paid.unpriced else paid.money)
            for key, paid in self._paid.items()
        ]
        with closing(open_database(self._file, "log of costs", _TABLE)) as database, database:
            database.executemany("INSERT OR REPLACE INTO cost VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            database.execute(_REQUEST_TABLE)
            sent = [(self._run, *key, requests) for key, requests in self._sent.items()]
            database.executemany("INSERT OR REPLACE INTO request VALUES (?, ?, ?, ?, ?, ?)", sent)


def read_costs(folder: Path) -> list[CostRow]:
    """All runs of every process that keeps its answers in this folder, the newest first."""
    file = folder / _FILE
    if not file.is_file():
        return []
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT * FROM cost ORDER BY run DESC, money DESC, prompt, endpoint, model")
        return [CostRow(*row) for row in rows]


def read_requests(folder: Path) -> dict[tuple[str, str], dict[str, int]]:
    """The number of requests by their outcome, of each endpoint and model, in all runs.

    Outcomes: answered, unreadable, unreachable, a kind of refusal, and ? where the server never said.
    """
    file = folder / _FILE
    if not file.is_file():
        return {}
    with closing(open_database(file, "log of costs", _REQUEST_TABLE)) as database:
        rows = database.execute(
            "SELECT endpoint, model, outcome, SUM(requests) FROM request GROUP BY endpoint, model, outcome"
        ).fetchall()
    requests: dict[tuple[str, str], dict[str, int]] = {}
    for endpoint, model, outcome, count in rows:
        requests.setdefault((endpoint, model), {})[outcome] = count
    return requests


def cost_records(costs: Sequence[CostRow]) -> Iterator[dict[str, object]]:
    """The rows as they stand in exports, oldest first; see COST_COLUMNS."""
    for row in reversed(costs):
        yield {"kind": "cost", **{name: getattr(row, name) for name in COST_COLUMNS[1:]}}
