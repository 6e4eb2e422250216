"""Memory for pure functions of long texts, and the database files of caches."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Condition
from typing import ParamSpec, TypeVar

from cachetools import LRUCache, cached

from core.errors import TouchstoneError

P = ParamSpec("P")
R = TypeVar("R")


def memoize(size: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last `size` results of a function of hashable arguments.

    What several threads want at once is computed by one of them while the others wait: all metrics ask for the words
    of the same document at the same moment.
    """
    decorator: Callable[[Callable[P, R]], Callable[P, R]] = cached(LRUCache(size), condition=Condition())
    return decorator


def open_database(file: Path, what: str, table: str) -> sqlite3.Connection:
    """A file that threads and processes of this machine share, with its table; raises TouchstoneError where it cannot be used."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, timeout=30, check_same_thread=False)
        database.execute("PRAGMA auto_vacuum=INCREMENTAL")  # in a new file: one that must shrink gives pages back
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")  # losing the last rows to a power cut costs only computing again
        database.execute(table)
    except (OSError, sqlite3.Error) as error:
        raise TouchstoneError(
            f"The {what} {file} cannot be used: {error}. Set TOUCHSTONE_CACHE_DIR to a folder that can be "
            "written, or delete the file: it holds only what can be computed again."
        ) from error
    return database
