"""Records become items one after the other; one that cannot is refused and the rest go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.dataset import Refusal
from core.datasets.reading.row import Line, Row
from core.datasets.reading.tables import rows
from core.errors import TouchstoneError
from core.types import Item


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: its file and its line or number, from 1."""

    path: Path
    number: int


Convert = Callable[[Row, Place], Iterable[Item]]
"""The items of one record; raises TouchstoneError with what is wrong, naming the field."""

Seen = dict[str, tuple[Place, int]]
"""The items that were read, by id: where, and the hash of their texts."""


def found(source: Path, *patterns: str) -> list[Path]:
    """The file itself, or the files of a folder and the folders in it that match a pattern, in order.

    Hidden ones are passed over, such as the copies of a notebook. Raises TouchstoneError where there is none.
    """
    if source.is_file():
        return [source]
    if not source.exists():
        raise TouchstoneError(f"There is no file or folder {source}. Check the path.")
    paths = {
        path for pattern in patterns for path in source.rglob(pattern) if path.is_file() and not _hidden(path, source)
    }
    if not paths:
        raise TouchstoneError(f"No file in {source} is called {' or '.join(patterns)}. Check the path.")
    return sorted(paths)


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def items(paths: Iterable[Path], convert: Convert) -> Iterator[Item | Refusal]:
    """The items of all records of some files; ids are unique over all of them."""
    seen: Seen = {}
    for path in paths:
        yield from from_lines(rows(path), path, convert, seen)


def from_lines(lines: Iterable[Line], path: Path, convert: Convert, seen: Seen) -> Iterator[Item | Refusal]:
    """The items of records of one file, and what could not be read with its place."""
    for number, record in lines:
        if isinstance(record, str):
            yield Refusal(number, record, path.name)
            continue
        place = Place(path, number)
        try:
            yield from _fresh(list(convert(record, place)), place, seen)
        except TouchstoneError as error:
            yield Refusal(number, str(error), path.name)


def _fresh(record: list[Item], place: Place, seen: Seen) -> list[Item]:
    """The items of a record that were not read before; an original may come again with each of its edits."""
    originals = {item.parent for item in record}
    fresh = []
    for item in record:
        name, content = item.example.id, hash((item.example.document, item.example.summary))
        where, known = seen.get(name, (place, content))
        if name not in seen:
            fresh.append(item)
        elif name not in originals or known != content:
            raise TouchstoneError(
                f"The id {name!r} stands on line {where.number} of {_told(where.path, place.path)} already. "
                f"Give line {place.number} another."
            )
    seen |= {item.example.id: (place, hash((item.example.document, item.example.summary))) for item in fresh}
    return fresh


def _told(path: Path, other: Path) -> str:
    """The name of a file, after its folder's where the other file bears the same name in another folder."""
    return f"{path.parent.name}/{path.name}" if path != other and path.name == other.name else path.name
