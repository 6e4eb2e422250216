"""Calls to the system, counted by kind; the n-th of a kind fails, or the process dies there.

They are patched where Python makes them: files, folders, SQLite, sockets, processes, arrays and weights. Of a write that fails the
first half is written, as on a full disk.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

KILLED = 137


def _sqlite_error(message: str, code: int) -> sqlite3.OperationalError:
    """An error as SQLite's driver raises it."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


_ERRORS: dict[str, tuple[Callable[[], Exception], ...]] = {
    "open": (lambda: OSError(errno.EMFILE, os.strerror(errno.EMFILE)),),
    "read": (lambda: OSError(errno.EIO, os.strerror(errno.EIO)),),
    "write": (lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),),
    "fsync": (lambda: OSError(errno.EIO, os.strerror(errno.EIO)),),
    "rename": (lambda: OSError(errno.EROFS, os.strerror(errno.EROFS)),),
    "folder": (lambda: OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),),
    "statement": (
        lambda: _sqlite_error("disk I/O error", sqlite3.SQLITE_IOERR),
        lambda: _sqlite_error("database is locked", sqlite3.SQLITE_BUSY),
    ),
    "commit": (lambda: _sqlite_error("database or disk is full", sqlite3.SQLITE_FULL),),
    "database": (lambda: _sqlite_error("unable to open database file", sqlite3.SQLITE_CANTOPEN),),
    "connection": (lambda: ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)),),
    "byte": (lambda: ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)),),
    "process": (lambda: OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)),),
    "allocation": (MemoryError,),
    "weights": (lambda: OSError(errno.EIO, os.strerror(errno.EIO)), MemoryError),
}
"""The errors that a call of each kind raises."""

Way = Literal["error", "kill"]


@dataclass(frozen=True, slots=True)
class Fault:
    """The `number`-th call of a kind, from 1 on: it raises the kind's error of this `form`, or kills the process."""

    kind: str
    number: int
    way: Way = "error"
    form: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.number} {self.way}{f' {self.form}' if self.form else ''}"


@dataclass
class Calls:
    """Counts of calls by kind in this process, of which at most one fails."""

    fault: Fault | None = None
    counts: Counter[str] = field(default_factory=Counter)
    lock: Any = field(default_factory=threading.Lock)

    def pass_or_fail(self, kind: str, before: Callable[[], object] = lambda: None) -> None:
        """Count a call; where it is the one that fails, do what it does `before` it fails."""
        with self.lock:
            self.counts[kind] += 1
            number = self.counts[kind]
        if self.fault is None or (self.fault.kind, self.fault.number) != (kind, number):
            return
        before()
        if self.fault.way == "kill":
            os._exit(KILLED)
        raise _ERRORS[kind][self.fault.form]()

    def patch(self) -> None:
        """Have every call of this process counted from now on, until it ends."""
        _patch_files(self)
        _patch_sqlite(self)
        for method in ("recv", "recv_into", "send", "sendall"):
            _count(self, socket.socket, method, "byte", _is_of_a_network)
        _count(self, socket.socket, "connect", "connection")
        _count(self, subprocess.Popen, "__init__", "process")
        _patch_arrays(self)


def faults_of(counts: Counter[str]) -> list[Fault]:
    """Every fault that a run with these calls can have."""
    return [
        fault
        for kind, errors in _ERRORS.items()
        for number in range(1, counts[kind] + 1)
        for fault in (
            *(Fault(kind, number, "error", form) for form in range(len(errors))),
            *([Fault(kind, number, "kill")] if kind in ("write", "fsync", "rename", "statement", "commit") else []),
        )
    ]


def _is_of_a_network(of: socket.socket) -> bool:
    """False for the pair by which an event loop wakes itself, which no fault of a network reaches."""
    return of.family in (socket.AF_INET, socket.AF_INET6)


def _count(calls: Calls, owner: Any, name: str, kind: str, counts: Callable[[Any], bool] = lambda _: True) -> None:
    """Have the calls of a function or method counted, of a method those on what `counts`."""
    if not hasattr(owner, name):
        return
    real = getattr(owner, name)

    def counted(*arguments: Any, **named: Any) -> Any:
        if counts(arguments[0] if arguments else None):
            calls.pass_or_fail(kind)
        return real(*arguments, **named)

    setattr(owner, name, counted)


def _patch_files(calls: Calls) -> None:
    class CountedFile(io.FileIO):
        def write(self, content: Any, /) -> Any:
            calls.pass_or_fail(
                "write", lambda: super(CountedFile, self).write(memoryview(content)[: len(content) // 2])
            )
            return super().write(content)

        def readinto(self, buffer: Any, /) -> Any:
            calls.pass_or_fail("read")
            return super().readinto(buffer)

        def readall(self) -> bytes:
            calls.pass_or_fail("read")
            return super().readall()

    def open_counted(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        calls.pass_or_fail("open")
        is_text = "b" not in mode
        raw = CountedFile(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        size = io.DEFAULT_BUFFER_SIZE if buffering <= 1 else buffering
        buffered: Any
        if "+" in mode:
            buffered = io.BufferedRandom(raw, size)
        else:
            buffered = io.BufferedReader(raw, size) if "r" in mode else io.BufferedWriter(raw, size)
        if not is_text:
            return buffered
        text = io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)
        text.mode = mode
        return text

    builtins.open = open_counted
    io.open = open_counted
    _count(calls, os, "fsync", "fsync")
    for rename in ("rename", "replace"):
        _count(calls, os, rename, "rename")
    _count(calls, os, "mkdir", "folder")
    _count(calls, shutil, "copyfile", "read")


def _patch_sqlite(calls: Calls) -> None:
    class CountedCursor(sqlite3.Cursor):
        def execute(self, *arguments: Any) -> Any:
            calls.pass_or_fail(_kind_of(arguments[0]))
            return super().execute(*arguments)

        def executemany(self, *arguments: Any) -> Any:
            calls.pass_or_fail("statement")
            return super().executemany(*arguments)

    class CountedConnection(sqlite3.Connection):
        def cursor(self, factory: Any = CountedCursor) -> Any:
            return super().cursor(factory)

        def execute(self, *arguments: Any) -> Any:
            calls.pass_or_fail(_kind_of(arguments[0]))
            return super().execute(*arguments)

        def commit(self) -> None:
            calls.pass_or_fail("commit")
            super().commit()

    real = sqlite3.connect

    def connect(*arguments: Any, **named: Any) -> Any:
        calls.pass_or_fail("database")
        return real(*arguments, **{"factory": CountedConnection, **named})

    sqlite3.connect = connect
    sqlite3.dbapi2.connect = connect


def _kind_of(statement: str) -> str:
    return "commit" if statement.strip().upper().startswith("COMMIT") else "statement"


def _patch_arrays(calls: Calls) -> None:
    """Arrays, tensors and the files of weights; those of torch where it is there already: importing it takes seconds."""
    import numpy

    for name in ("empty", "zeros", "ones", "full", "concatenate", "stack"):
        _count(calls, numpy, name, "allocation")
    if torch := sys.modules.get("torch"):
        for name in ("tensor", "empty", "zeros", "full", "cat", "stack", "from_numpy"):
            _count(calls, torch, name, "allocation")
    for module in [module for name, module in sys.modules.items() if name.startswith(("core.models", "safetensors"))]:
        for name in ("load_file", "load_tensors", "safe_open"):
            _count(calls, module, name, "weights")
