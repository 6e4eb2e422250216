"""The contents of a folder, so that two runs of a command can be compared: without times, ids and what is temporary."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

_VOLATILE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"
    r"|\b[0-9a-f]{16}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\"(cost|questions)\": \{[^}]*\}|\"(seconds|elapsed_s|elapsed_ms|duration_s)\": ?[\d.e-]+|\b\d+(\.\d+)?( ms\b| s\b|s\b)|\d{4}-\d\d-\d\d|\b\d{5,10}\b"  # the last are seeds and places in a random order
    r"|\d[\d.e-]*(?=, 'cpu')"  # seconds of a score
)
_MEASURED = re.compile(r"((?:time for|time of this process|memory)[^{}]*\{[^{}]*?value\W+)[\d.e+-]+")
_LONG_NUMBER = re.compile(r"\d+\.\d{7,}(e-?\d+)?")  # networks sum in the order of their batches
_IGNORED = re.compile(r"(^|/)cache/|\.part$|-wal$|-shm$|-journal$|(^|/)\.[^/]*$|\.pyc$|/unfinished/|\.damaged-")


def observe(folder: Path) -> dict[str, str]:
    """The content of every file under a folder by its path, as text that can be compared."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {name: _content(path) for path in files if not _IGNORED.search(name := path.relative_to(folder).as_posix())}


def without_times(text: str) -> str:
    """The text without times, ids, seeds and what was measured, and with rounded numbers."""
    rounded = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.3g}", text)
    return _VOLATILE.sub("…", _MEASURED.sub(r"\1…", rounded))


def _content(path: Path) -> str:
    if path.read_bytes()[:16] == b"SQLite format 3\0":
        return _rows(path)
    content = path.read_bytes()
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return json.dumps({name: _text(archive.read(name)) for name in sorted(archive.namelist())})
    if content[:4] == b"PAR1":
        from pyarrow.parquet import read_table

        return _text(json.dumps(read_table(io.BytesIO(content)).to_pylist(), default=str).encode())
    return _text(content)


def _text(content: bytes) -> str:
    return without_times(content.decode("utf-8", "backslashreplace"))


def _rows(database: Path) -> str:
    """Every row of every table, sorted; ids and times are left out. A log beside the file is read with it."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {
            table: sorted(without_times(repr(row)) for row in connection.execute(f'SELECT * FROM "{table}"'))
            for table in sorted(tables)
        }
    return json.dumps({table: content for table, content in rows.items() if content})
