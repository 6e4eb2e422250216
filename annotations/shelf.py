"""Stress runs where nothing is kept: the newest few stay in the memory of the process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

from annotations.errors import RecordError
from annotations.records import RunRow, require_text

_ROOM = 20  # runs; one of everything bundled is about two megabytes


class Shelf:
    """Takes runs as the store does, and forgets the oldest beyond its `room`; safe to share between threads."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._rows: dict[str, RunRow] = {}
        self._lines: dict[str, list[str]] = {}

    def begin_run(self, name: str, owner: str, plan: str) -> str:
        """Take what a run is to do; its id. Raises RecordError for an empty name."""
        require_text("name of the run", name)
        row = RunRow(uuid4().hex, name, owner, datetime.now(UTC), 0)
        with self._lock:
            self._rows[row.id], self._lines[row.id] = row, [plan]
            for old in list(self._rows)[: -self._room]:
                del self._rows[old], self._lines[old]
        return row.id

    def append_run(self, id: str, lines: Sequence[str]) -> None:
        """Put lines behind those of a run. Raises RecordError for one that is not here any more."""
        with self._lock:
            if id not in self._rows:
                raise RecordError("This run made room for newer ones: nothing is kept here. Run it again.")
            self._lines[id] += lines

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def run_lines(self, id: str) -> list[str]:
        """The plan of a run and then its lines in order; nothing for a run that is not here."""
        with self._lock:
            return self._lines.get(id, [])[:]

    def runs(self) -> list[RunRow]:
        """The runs that are here, newest first."""
        with self._lock:
            return [self._counted(row) for row in reversed(self._rows.values())]

    def _counted(self, row: RunRow) -> RunRow:
        return RunRow(row.id, row.name, row.owner, row.created_at, len(self._lines[row.id]) - 1)
