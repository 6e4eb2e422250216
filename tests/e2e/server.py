"""A Touchstone server in a process of its own, with its own database, cache and models."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from annotations.store.store import Store

ROOT = Path(__file__).parents[2]
STREAMLIT = ("-m", "streamlit")
POLL_S = 0.05  # between two looks, so that a server that starts has the processor
_PORTS = range(20_000, 30_000)  # below those that systems give to outgoing connections
PLUGGED = ("-m", "tests.e2e.plugged")


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
    start: Sequence[str] = STREAMLIT,
    root: Path = ROOT,
    port: int = 0,
    **environment: str,
) -> Iterator[Server]:
    """Run an app on the code of a checkout until the block ends; what it keeps and logs goes into `folder`."""
    database, port = folder / "touchstone.db", port or free_port()
    settings = {
        "TOUCHSTONE_DATABASE_URL": f"sqlite:///{database}",
        "TOUCHSTONE_CACHE_DIR": str(folder / "cache"),
        "HF_HOME": str(folder / "hub"),
        "PYTHONPATH": str(root),
    }
    command = [sys.executable, *start, "run", str(app), f"--server.port={port}", "--server.headless=true"]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            command, cwd=root, env={**os.environ, **settings, **environment}, stdout=log, stderr=log
        ) as process,
    ):
        server = Server(f"http://127.0.0.1:{port}", database, process.pid)
        try:
            _wait(server.url, process)
            yield server
        finally:
            process.terminate()


def free_port() -> int:
    """A port on which nobody listens, and which no outgoing connection will be given before the server has it."""
    for port in random.sample(_PORTS, len(_PORTS)):
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("Every port of this machine that a test may use is taken.")


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5):
                return
        except OSError:  # not there yet, or too busy with its start to answer
            time.sleep(POLL_S)
    raise RuntimeError("The app of the test did not start; its log is in the test's folder.")
