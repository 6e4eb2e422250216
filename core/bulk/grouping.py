"""Rows of any number grouped by a key with little memory: spilled to files by their hash, then sorted file by file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path

KeyedRow = tuple[str, str]
"""A key of 16 hexadecimal digits, as `document_key` gives, and a row as one line of text without its end."""

KEY_DIGITS = 16
_DIGITS = 2  # of the key, by which one pass parts the rows: 256 files
_MEMORY_BYTES = 32 << 20  # of a file that is sorted in memory


def group_rows(rows: Iterable[KeyedRow], folder: Path, memory_bytes: int = _MEMORY_BYTES) -> Iterator[KeyedRow]:
    """The rows in the order of their keys, those of one key in the order in which they came; all are read at once.

    What they weigh on disk stands in `folder` meanwhile. Memory holds about `memory_bytes`, whatever comes.
    """
    return _sorted_parts(_spill(rows, folder, 0), folder, 0, memory_bytes)


def _sorted_parts(names: list[str], folder: Path, depth: int, memory_bytes: int) -> Iterator[KeyedRow]:
    for name in names:
        file = folder / name
        if file.stat().st_size <= memory_bytes:
            yield from sorted(read_rows(file), key=itemgetter(0))  # stable
        elif depth + _DIGITS >= KEY_DIGITS:
            yield from read_rows(file)  # all of one key
        else:
            inner, deeper = folder / f"{name}-parted", depth + _DIGITS
            yield from _sorted_parts(_spill(read_rows(file), inner, deeper), inner, deeper, memory_bytes)
        file.unlink()


def _spill(rows: Iterable[KeyedRow], folder: Path, depth: int) -> list[str]:
    """The names, in the order of the keys, of files with the rows whose keys agree up to here."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        open_files = {}
        for key, row in rows:
            part = key[depth : depth + _DIGITS]
            if part not in open_files:
                open_files[part] = stack.enter_context((folder / part).open("w", encoding="utf-8", newline=""))
            open_files[part].write(f"{key}{row}\n")
    return sorted(open_files)


def read_rows(file: Path) -> Iterator[KeyedRow]:
    """The rows of a file in which each is a line, after its key."""
    with file.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line[:KEY_DIGITS], line[KEY_DIGITS:-1]
