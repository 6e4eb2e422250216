"""Check of an SQLite file that was not closed properly."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from annotations.store.database import DAMAGED, database_path, is_in_memory, parse_url
from annotations.store.records import StoreError

_LOG = logging.getLogger(__name__)


def check_unclosed_file(url: str) -> None:
    """Check an SQLite database whose log of changes (`-wal`) is beside it; raises StoreError where it is damaged.

    Without a log there is nothing to check: SQLite has no sign by which a copy that lacks the newest rows differs from a
    database that was closed properly.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite" or is_in_memory(parsed):
        return
    file = database_path(parsed)
    log = Path(f"{file}-wal")
    if not file.is_file() or not log.is_file() or not log.stat().st_size:
        return

    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError:
        return  # opening it says so with advice
    except sqlite3.DatabaseError as error:
        verdict = str(error)
    if verdict != "ok":
        raise StoreError(f"{file} was not closed properly: {' '.join(verdict.split())}. {DAMAGED}")
    _LOG.warning("%s was not closed properly, or is in use. Checked: it is whole.", file)
