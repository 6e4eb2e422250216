"""Faults of a database that are real: what the operating system and PostgreSQL refuse while a server runs."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_DISK = "16m"
_BLOCK = b"\0" * 4096


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a few megabytes in memory; skips the test where none can be mounted."""
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", folder], check=False).returncode:
        pytest.skip("This user may mount no disk.")
    try:
        yield folder
    finally:
        # lazily: a server that is just ending may still have its file open
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Another file takes all that was free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(_BLOCK)
        except OSError:
            assert os.statvfs(disk).f_bavail == 0
    yield
    filler.unlink()


@contextmanager
def files_limited(pid: int) -> Iterator[None]:
    """A process may make no file longer, as under a quota."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def not_writable(database: Path) -> Iterator[None]:
    """The file of a database cannot be written, by root neither; skips the test where the file system or the user cannot do that."""
    files = [
        database,
        Path(f"{database}-wal"),
    ]  # a change of the -shm, which is mapped, would end the process by a signal
    if subprocess.run(["chattr", "+i", *files], check=False).returncode:
        pytest.skip("No file can be made immutable here.")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", *files], check=True)
