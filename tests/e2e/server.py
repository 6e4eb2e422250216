"""A Touchstone server in a process of its own, with its own database, cache and models."""

from __future__ import annotations

import atexit
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from annotations.store.store import Store

ROOT = Path(__file__).parents[2]
STREAMLIT = ("-m", "streamlit")
POLL_S = 0.05  # between two looks, so that a server that starts has the processor
_PORTS = range(20_000, 30_000)  # below those that systems give to outgoing connections
_WORKERS = 100  # programs of tests side by side; none takes a port of another, whose server would answer in its place
NOWHERE = "http://127.0.0.1:9"
"""An address that refuses connections: there servers look for the hub."""


@dataclass(frozen=True)
class Server:
    """Where a running server is, and where it keeps what it keeps."""

    url: str
    database: Path
    pid: int

    def rows(self, query: str, *values: str) -> list[sqlite3.Row]:
        """What a query says of the database file, read beside the server."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(query, values).fetchall()

    def count(self, table: str) -> int:
        [[number]] = self.rows(f"SELECT count(*) FROM {table}")
        return int(number)

    def store(self) -> Store:
        return Store.open(f"sqlite:///{self.database}")


@contextmanager
def serve(
    folder: Path,
    app: Path = ROOT / "app.py",
    root: Path = ROOT,
    port: int = 0,
    plugins: Path | None = None,
    **environment: str,
) -> Iterator[Server]:
    """Run an app on the code of a checkout until the block ends; what it keeps and logs goes into `folder`.

    `plugins` has folders of metrics and adapters that are beside our own.
    """
    database, port = folder / "touchstone.db", port or free_port()
    settings = {
        "TOUCHSTONE_DATABASE_URL": f"sqlite:///{database}",
        "TOUCHSTONE_CACHE_DIR": str(folder / "cache"),
        "HF_HOME": str(folder / "hub"),
        "HF_ENDPOINT": NOWHERE,
        "PYTHONPATH": str(root),
    }
    words = ["run", str(app), f"--server.port={port}", "--server.headless=true"]
    variables, log = {**os.environ, **settings, **environment}, folder / "server.log"
    with ExitStack() as ends:
        if root == ROOT:
            process: Forked | subprocess.Popen[bytes] = fork(words, variables, log, plugins)
        else:
            file = ends.enter_context(log.open("w"))
            command = [sys.executable, *STREAMLIT, *words]
            process = ends.enter_context(subprocess.Popen(command, cwd=root, env=variables, stdout=file, stderr=file))
        server = Server(f"http://127.0.0.1:{port}", database, process.pid)
        try:
            _wait(server.url, process)
            yield server
        finally:
            process.kill()  # an app that Streamlit serves by itself takes seconds to end, and nothing that is kept waits for it
            process.wait()


@dataclass(frozen=True)
class Forked:
    """A server whose parent is the process that has imported everything."""

    pid: int

    def poll(self) -> int | None:
        return None if Path(f"/proc/{self.pid}").exists() else 0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        while self.poll() is None:
            time.sleep(POLL_S)


def fork(words: Sequence[str], environment: Mapping[str, str], log: Path, plugins: Path | None) -> Forked:
    """A server of this checkout; it needs none of the six seconds that the imports take."""
    orders, answers = _prepared()
    order = {"words": words, "environment": dict(environment), "log": str(log), "plugins": plugins and str(plugins)}
    orders.write(json.dumps(order) + "\n")
    orders.flush()
    return Forked(int(answers.readline()))


@cache
def _prepared() -> tuple[IO[str], IO[str]]:
    """Where `tests.e2e.prepared` reads orders and writes answers; it ends with this process."""
    command = [sys.executable, "-m", "tests.e2e.prepared"]
    no_hub = {**os.environ, "HF_HOME": f"{tempfile.gettempdir()}/no-hub-of-tests"}
    process = subprocess.Popen(command, cwd=ROOT, env=no_hub, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("A process that was started with pipes has none.")
    return process.stdin, process.stdout


def free_port() -> int:
    """A port on which nobody listens, and which neither an outgoing connection nor another worker of pytest will be given
    before the server has it."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
    ports = _PORTS[worker::_WORKERS]
    for port in random.sample(ports, len(ports)):
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("Every port of this machine that a test may use is taken.")


def _wait(url: str, process: Forked | subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5):
                return
        except OSError:  # not there yet, or too busy with its start to answer
            time.sleep(POLL_S)
    raise RuntimeError("The app of the test did not start; its log is in the test's folder.")
