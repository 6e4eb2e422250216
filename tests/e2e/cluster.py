"""A PostgreSQL of a test's own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
_RESTART_TRIES = 50


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL of the test's own, which may be killed."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://touchstone@127.0.0.1:{self.port}/postgres"

    def run(self, program: str, *words: str) -> int:
        # PostgreSQL refuses to run as root
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*user, str(PROGRAMS[-1] / program), "-D", str(self.folder / "db"), *words]
        with (self.folder.parent / f"{self.folder.name}.log").open("a") as log:
            return subprocess.run(command, stdout=log, stderr=log, check=False).returncode

    def create(self) -> None:
        """Make an empty one and start it."""
        self.folder.mkdir()
        if os.geteuid() == 0:
            self.folder.parent.chmod(0o755)
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "--auth=trust", "--username=touchstone")
        self.start()

    def start(self) -> None:
        """Start it; after a kill its children hold its memory for a moment."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        for _ in range(_RESTART_TRIES):
            if self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start") == 0:
                return
            time.sleep(0.2)
        raise RuntimeError(f"PostgreSQL did not start; see {self.folder}.")

    @contextmanager
    def standing_by(self) -> Iterator[None]:
        """It fails over to a standby, which can only be read until it is promoted."""
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")
        (self.folder / "db" / "standby.signal").touch()
        self.start()
        yield
        if self.run("pg_ctl", "-w", "promote"):
            raise RuntimeError(f"PostgreSQL was not promoted; see {self.folder}.")

    def kill(self) -> None:
        os.kill(int((self.folder / "db" / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)
