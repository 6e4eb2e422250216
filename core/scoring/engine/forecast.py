"""Facts about a run before it starts: how long its metrics took the last time, and the memory that it will need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from threading import Lock
from typing import Literal

from core.base.files.cache_database import open_database

SMALL_MODEL_BYTES = 150_000_000
"""Models up to this size, as those that ship inside packages, load and answer while a person types."""

SLOW_EDIT_S = 1.0
"""A metric whose last edit took longer is not asked at every pause in typing."""

_FILE = "durations-1.sqlite"  # the number changes with the layout; an old file is simply not read
_TABLE = (
    "CREATE TABLE IF NOT EXISTS duration "
    "(metric TEXT, device TEXT, text TEXT, seconds REAL, PRIMARY KEY (metric, device, text))"
)

ScoredText = Literal["original", "edited"]
"""Summary of a pair that was scored: of the original everything is asked, of an edited one what is new in it."""


class Durations:
    """Seconds that each metric took the last time on each device, without loading and waiting; safe among threads.

    Kept in a file of the cache folder, so that it is known after a restart too.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = Lock()
        self._disk = open_database(folder / _FILE, "file of durations", _TABLE)
        rows = self._disk.execute("SELECT metric, device, text, seconds FROM duration")
        self._seconds = {(metric, device, text): seconds for metric, device, text, seconds in rows}

    def remember(self, metric: str, device: str, text: ScoredText, seconds: float) -> None:
        """Remember what a metric (a spec) took."""
        with self._lock, self._disk:
            self._seconds[metric, device, text] = seconds
            self._disk.execute("INSERT OR REPLACE INTO duration VALUES (?, ?, ?, ?)", (metric, device, text, seconds))

    def last(self, metric: str, device: str, text: ScoredText) -> float | None:
        """Seconds; None where nothing was timed."""
        return self._seconds.get((metric, device, text))

    def close(self) -> None:
        with self._lock:
            self._disk.close()


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory in bytes: what models take now, of which `idle` ones can leave, and what they may take at most."""

    used: int
    budget: int
    idle: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Seconds that the metrics took the last time, the titles of those not timed yet, and what becomes of memory.

    `seconds` is None where no metric was timed. `leaving` names what makes room, `any_of` when only some of them have to.
    `too_large` names what does not fit alone; `in_turns` is set where the models to load fit one by one but not together.
    """

    seconds: float | None = None
    not_timed: tuple[str, ...] = ()
    load_bytes: int = 0
    leaving: tuple[str, ...] = ()
    any_of: bool = False
    too_large: tuple[str, ...] = ()
    in_turns: bool = False


def has_to_wait(nbytes: int, loaded: bool, edit_s: float | None) -> bool:
    """True if a metric waits for the key: its last edit was slow, or its model is large and not loaded or not yet timed."""
    slow = edit_s is not None and edit_s > SLOW_EDIT_S
    return slow or (nbytes > SMALL_MODEL_BYTES and (not loaded or edit_s is None))


def forecast_run(
    durations: Iterable[tuple[str, float | None]], to_load: Mapping[str, int], room: MemoryUse
) -> Forecast:
    """Forecast of a run: the last durations of its metrics, by title, and the memory for models that are not loaded."""
    titles = list(durations)
    timed = [seconds for _, seconds in titles if seconds is not None]
    need = sum(nbytes for nbytes in to_load.values() if nbytes <= room.budget)
    excess = room.used + need - room.budget
    idle = room.idle.values()
    return Forecast(
        seconds=fsum(timed) if timed else None,
        not_timed=tuple(title for title, seconds in titles if seconds is None),
        load_bytes=need,
        leaving=tuple(room.idle) if need and excess > 0 else (),
        any_of=len(idle) > 1 and 0 < excess <= sum(idle) - min(idle),
        too_large=tuple(name for name, nbytes in to_load.items() if nbytes > room.budget),
        in_turns=need > 0 and excess > sum(room.idle.values()),
    )
