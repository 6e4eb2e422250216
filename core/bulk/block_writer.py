"""From a table of pairs to blocks: read in a stream, grouped by document on disk, cut and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from core.bulk.blocks import (
    BlockRow,
    Manifest,
    cut_blocks,
    has_manifest,
    row_of_item,
    write_block,
    write_manifest,
)
from core.bulk.folder import Folder, local_tables
from core.bulk.grouping import KeyedRow, group_rows, read_rows
from core.dataset import Refusal
from core.datasets.formats.fields import document_key
from core.datasets.formats.item_stream import RecordPlace, items_of_record, items_of_rows
from core.datasets.formats.table_files import file_rows
from core.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Item

_NAMED = 20  # refusals that are kept with their reason


@dataclass
class Refusals:
    """How many records could not be read, and the first of them."""

    number: int = 0
    first: list[Refusal] = field(default_factory=list)

    def add(self, refusal: Refusal) -> None:
        self.number += 1
        if len(self.first) < _NAMED:
            self.first.append(refusal)


@dataclass(frozen=True, slots=True)
class _Repeated:
    """What of the rows is left out since its id came before: whole records, and originals that came again with an edit."""

    records: set[int]
    items: set[int]


def write_blocks(source: str, out: Folder, refusals: Refusals, spill: Path | None = None) -> Manifest:
    """Write the pairs of a file or a folder of files as blocks; the same pairs in any order give the same documents together.

    `spill` is a folder with room for all the texts, by default the system's for temporary files. Memory does not grow with
    the number of pairs. Raises TouchstoneError where nothing can be read or the folder holds blocks already.
    """
    if has_manifest(out):
        raise TouchstoneError(f"{out.url} holds blocks already. Name another folder, or delete that one.")
    with TemporaryDirectory(prefix="touchstone-blocks-", dir=spill) as place:
        folder = Path(place)
        with (folder / "ids").open("w", encoding="utf-8", newline="") as ids:
            documents = group_rows(_document_rows(source, refusals, ids), folder / "documents")
        repeated = _find_repeated(group_rows(read_rows(folder / "ids"), folder / "parted-ids"), refusals)
        blocks = [write_block(out, *one) for one in enumerate(cut_blocks(_remaining_rows(documents, repeated)))]
    if not blocks:
        reason = f" The first: {refusals.first[0].reason}" if refusals.first else ""
        raise TouchstoneError(f"{source} has no pair that can be read.{reason}")
    return write_manifest(out, blocks, refusals.number, source)


def _document_rows(source: str, refusals: Refusals, ids: TextIO) -> Iterator[KeyedRow]:
    """Each item under the key of its document, with the numbers of its record and of itself; what its id is goes to `ids`."""
    numbers = count()
    for record, (path, line, found) in enumerate(_records(source)):
        for item in found:
            if isinstance(item, Refusal):
                refusals.add(item)
                continue
            number, example = next(numbers), item.example
            key = document_key(example.document)
            original = any(other.parent == example.id for other in found if isinstance(other, Item))
            fact = [record, number, example.id, f"{key}{document_key(example.summary)}", original, path.name, line]
            ids.write(f"{document_key(example.id)}{json.dumps(fact)}\n")
            yield key, json.dumps([record, number, *row_of_item(item)])


def _records(source: str) -> Iterator[tuple[Path, int, list[Item | Refusal]]]:
    """Each record of the files of pairs: its file, its line or row, and its items or why there is none."""
    for path in local_tables(source):
        for line, row in file_rows(path):
            yield path, line, list(items_of_rows([(line, row)], path, _items, {}))


def _items(row: Row, place: RecordPlace) -> list[Item]:
    return items_of_record(row, f"{place.path.stem}-{place.number}")


def _find_repeated(facts: Iterable[KeyedRow], refusals: Refusals) -> _Repeated:
    """What comes with an id that came before. An original may come again with each of its edits; else its record is refused."""
    repeated = _Repeated(set(), set())
    for _, rows in groupby(facts, key=itemgetter(0)):
        first: dict[str, tuple[int, str, str, int]] = {}
        for _, row in rows:
            record, number, id, content, original, file, line = json.loads(row)
            known_record, known, known_file, known_line = first.setdefault(id, (record, content, file, line))
            if known_record == record:
                continue
            if original and known == content:
                repeated.items.add(number)
                continue
            repeated.records.add(record)
            reason = f"The id {id!r} is on line {known_line} of {known_file} already. Give line {line} another."
            refusals.add(Refusal(line, reason, file))
    return repeated


def _remaining_rows(rows: Iterable[KeyedRow], repeated: _Repeated) -> Iterator[tuple[str, BlockRow]]:
    for key, line in rows:
        record, number, *row = json.loads(line)
        if record not in repeated.records and number not in repeated.items:
            yield key, tuple(row)
