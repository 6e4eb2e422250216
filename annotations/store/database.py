"""Engines, transactions and the fair write lock: SQLite in WAL mode or PostgreSQL, through the same code."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, ExceptionContext, QueuePool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlmodel import Session

from annotations.store.records import NotSavedError, StoreError, UnavailableError


class FairSemaphore:
    """A semaphore that serves threads in the order of arrival; with Python's own lock some threads wait for seconds."""

    def __init__(self, permits: int = 1) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._free = permits

    @property
    def waiting(self) -> int:
        """Number of those in line."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


BUSY_SECONDS = 30.0
_LEAST_PATIENCE_S = 0.1

# SQLite has one writer, and serves waiting ones unfairly (a tail of seconds). PostgreSQL has many; more than a few threads of
# one process only take time from one another.
_WRITE_LOCKS = {"sqlite": FairSemaphore(), "postgresql": FairSemaphore(permits=4)}


def parse_url(text: str) -> URL:
    """A database URL with its driver named and an SQLite path made absolute. Raises StoreError."""
    try:
        url = make_url(text)
    except ArgumentError:
        raise StoreError(f"{text!r} is no database URL. Write sqlite:///folder/file.db or postgresql://…") from None
    if url.get_backend_name() == "postgres" or url.drivername == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise StoreError(
            f"Touchstone keeps its data in SQLite or PostgreSQL, not in {url.get_backend_name()!r}. "
            "Write sqlite:///folder/file.db or postgresql://…"
        )
    return url if is_in_memory(url) or url.get_backend_name() != "sqlite" else url.set(database=str(database_path(url)))


def is_in_memory(url: URL) -> bool:
    return url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}


def database_path(url: URL) -> Path:
    """Path of the file of an SQLite URL."""
    return Path(url.database or "").expanduser().absolute()


def connect(url: URL) -> Engine:
    """An engine that reads and writes; makes the folder of an SQLite file."""
    if url.get_backend_name() != "sqlite":
        return _postgres_engine(url)
    if not is_in_memory(url):
        file = database_path(url)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {file.parent} for the database cannot be made: {error.strerror}. "
                "Choose another place in TOUCHSTONE_DATABASE_URL."
            ) from error
        if file.is_dir():
            raise StoreError(f"{file} is a folder. Name a file in TOUCHSTONE_DATABASE_URL.")
        if not file.exists() and os.access(file.parent, os.W_OK):
            file.touch(mode=0o600)  # the file holds names of people; SQLite's other files get the same mode
    return _sqlite_engine(url, ("foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL"))


def connect_read_only(url: URL) -> Engine:
    """An engine that the database itself keeps from writing."""
    if url.get_backend_name() != "sqlite":
        options = f"{url.query.get('options', '')} -c default_transaction_read_only=on"
        return _postgres_engine(url.update_query_dict({"options": options}))
    file = database_path(url)
    query = {"mode": "ro", "uri": "true"}
    # SQLite creates two files next to a database in WAL mode even to read it; where it cannot, no process writes either.
    if not os.access(file.parent, os.W_OK) and not Path(f"{file}-wal").exists():
        query["immutable"] = "1"
    return _sqlite_engine(URL.create("sqlite", database=file.as_uri(), query=query), ("query_only=ON",))


@contextmanager
def write_session(engine: Engine, durable: bool = True, patience_s: float = BUSY_SECONDS) -> Iterator[Session]:
    """A transaction that writes: all of it or nothing, and what it reads is current.

    On SQLite one that is not `durable` does not wait for the disk: it outlives this program, but a power cut may take it
    together with whatever was written since; something later that was to last keeps it as well. The write lock is taken before the first read, so that read-then-decide is correct. Raises NotSavedError.
    Nothing of the page may be touched inside: a click elsewhere would abort it.

    `patience_s` is for another program that holds SQLite's lock. The time in the line of this program counts: many who wait
    behind one who waited without success give up soon after.
    """
    began = time.monotonic()
    try:
        with _WRITE_LOCKS[engine.dialect.name]:
            left_s = patience_s - (time.monotonic() - began)
            with (
                engine.connect().execution_options(write=True, durable=durable, patience_s=left_s) as connection,
                Session(bind=connection, expire_on_commit=False) as session,
                session.begin(),
            ):
                yield session
    except (DBAPIError, PoolTimeoutError) as error:
        raise NotSavedError(
            f"This was NOT saved: {explain_database_error(error)} Keep this page open and save again."
        ) from error


@contextmanager
def read_session(engine: Engine) -> Iterator[Session]:
    """A transaction that reads one state of the database from beginning to end. Raises UnavailableError."""
    snapshot: dict[str, object] = {}
    if engine.dialect.name == "postgresql":
        snapshot = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    try:
        with engine.connect().execution_options(**snapshot) as connection, Session(bind=connection) as session:
            yield session
    except (DBAPIError, PoolTimeoutError) as error:
        raise UnavailableError(f"The database could not be read: {explain_database_error(error)}") from error


def explain_database_error(error: Exception) -> str:
    """Error message of the database, with advice for the user."""
    message = (str(getattr(error, "orig", None) or error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    return f"{message}. {next((advice for sign, advice in _ADVICE if sign in message), _DEFAULT_ADVICE)}"


_BUSY = "Another program is writing to it; close that program or wait a moment."
_NO_SPACE = "The disk is full; free some space."
_STANDBY = "This server of the database can only be read now; make it the primary, or name the primary in TOUCHSTONE_DATABASE_URL."
DAMAGED = (
    "The file is damaged, as is a copy without its -wal of a database that was in use. Put a backup back with "
    "`cli.py restore FILE`, or copy the database again with `cli.py backup FILE`."
)
_ADVICE = (
    ("locked", _BUSY),
    ("lock timeout", _BUSY),
    ("full", _NO_SPACE),
    ("No space", _NO_SPACE),
    (
        "disk I/O error",
        "The file cannot be written; check that its disk has no fault and has space left, and that it may be written.",
    ),
    ("read-only transaction", _STANDBY),
    ("during recovery", _STANDBY),
    ("readonly", "The file may not be written; check the rights of the file and of its folder."),
    ("unable to open", "The file cannot be opened; check that its folder exists and may be written."),
    ("not a database", "Choose another file in TOUCHSTONE_DATABASE_URL."),
    ("malformed", DAMAGED),
)
_DEFAULT_ADVICE = "Check that the database can be reached and that TOUCHSTONE_DATABASE_URL is right."


def _sqlite_engine(url: URL, pragmas: tuple[str, ...]) -> Engine:
    # An in-memory database lives in its one connection, so all threads share that one in turn.
    pool = {"pool_size": 1, "max_overflow": 0} if is_in_memory(url) else {"pool_size": 10, "max_overflow": 30}
    timeout_s = float(str(url.query.get("timeout", BUSY_SECONDS)))
    arguments = {"check_same_thread": False, "timeout": timeout_s}
    engine = create_engine(url, connect_args=arguments, poolclass=QueuePool, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # SQLAlchemy sends BEGIN, see below; the driver would send it too late
        for pragma in pragmas:
            _set_pragma(connection, pragma)

    @event.listens_for(engine, "handle_error")
    def forget(context: ExceptionContext) -> None:
        # SQLite opens a write-protected file read-only, and the connection stays read-only when the protection ends
        if "readonly" in str(context.original_exception):
            context.is_disconnect = True

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get("write"):
            connection.exec_driver_sql("BEGIN")
            return
        patience_s = min(timeout_s, max(_LEAST_PATIENCE_S, options.get("patience_s", timeout_s)))
        connection.exec_driver_sql(f"PRAGMA busy_timeout={patience_s * 1000:.0f}")
        connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if options.get('durable', True) else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _set_pragma(connection: sqlite3.Connection, pragma: str) -> None:
    # While another process switches the same new file to WAL, SQLite fails at once instead of waiting for its timeout
    (timeout_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
    deadline = time.monotonic() + timeout_ms / 1000
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _postgres_engine(url: URL) -> Engine:
    # options of the URL come last and win; without a limit a page would wait for a lock forever
    options = f"-c lock_timeout={BUSY_SECONDS:.0f}s {url.query.get('options', '')}"
    url = url.update_query_dict({"options": options})
    try:
        return create_engine(url, pool_size=10, max_overflow=30, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError(f"PostgreSQL needs the package {error.name}. Run: pip install 'psycopg[binary]'") from None
