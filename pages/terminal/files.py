"""Files that commands read and write: what cannot be read or would be lost is told before any work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from core.dataset import Refusal
from core.datasets.pairs import Pairs
from core.errors import TouchstoneError
from core.types import Example, Item, T
from pages.terminal.saying import say


def keep_apart(source: Path, output: Path) -> None:
    if output.exists() and source.exists() and output.samefile(source):
        raise TouchstoneError(f"{output} is the file of pairs itself, which would be lost. Name another with -o.")


def begun(found: Iterator[T]) -> Iterator[T]:
    """The same, the first of them read: a file that cannot be read is refused before anything is overwritten."""
    return chain(list(islice(found, 1)), found)


def opened(output: Path) -> TextIO:
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise TouchstoneError(f"{output} cannot be written: {error.strerror}. Name another file with -o.") from error


def lines_of(source: Path) -> list[str]:
    try:
        return source.read_text(encoding="utf-8").split("\n")  # U+2028 and the like end no row
    except (OSError, UnicodeDecodeError) as error:
        raise TouchstoneError(f"{source} cannot be read: {error}. Name another file.") from error


def examples_of(source: Path, refusals: list[Refusal]) -> Iterator[Example]:
    return (item.example for item in items_of(source, refusals))


def items_of(source: Path, refusals: list[Refusal]) -> Iterator[Item]:
    return readable_of(Pairs().read(source), source, refusals)


def readable_of(found: Iterable[T | Refusal], source: Path, refusals: list[Refusal]) -> Iterator[T]:
    """What could be read of a file; what could not is named and kept in mind."""
    for one in found:
        if isinstance(one, Refusal):
            refusals.append(one)
            say(f"{source}, line {one.line}: {one.reason}")
        else:
            yield one
