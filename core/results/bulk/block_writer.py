"""From a table of pairs to blocks: read in a stream, grouped by document on disk, cut and written."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from core.data import RecordPlace, Refusal, Row, document_key, file_rows, items_of_record, items_of_rows
from core.errors import TouchstoneError
from core.results.bulk.blocks import (
    BlockRow,
    Manifest,
    cut_blocks,
    has_manifest,
    row_of_item,
    write_block,
    write_manifest,
)
from core.results.bulk.folder import Folder, local_tables
from core.types import Item

_NAMED = 20  # refusals that are kept with their reason

KeyedRow = tuple[str, str]
"""A key of 16 hexadecimal digits, as `document_key` gives, and a row as one line of text without its end."""

KEY_DIGITS = 16
_DIGITS = 2  # of the key, by which one pass parts the rows: 256 files
_MEMORY_BYTES = 32 << 20  # of a file that is sorted in memory


@dataclass
class Refusals:
    """Number of records that could not be read, and the first of them."""

    number: int = 0
    first: list[Refusal] = field(default_factory=list)

    def add(self, refusal: Refusal) -> None:
        self.number += 1
        if len(self.first) < _NAMED:
            self.first.append(refusal)


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

        facts = group_rows(read_rows(folder / "ids"), folder / "parted-ids")
        # left out since their id came before: whole records, and originals that came again with an edit
        repeated_records, repeated_items = set[int](), set[int]()
        for _, rows in groupby(facts, key=itemgetter(0)):
            first: dict[str, tuple[int, str, str, int]] = {}
            for _, row in rows:
                record, number, id, content, original, file, line = json.loads(row)
                known_record, known_content, known_file, known_line = first.setdefault(
                    id, (record, content, file, line)
                )
                if known_record == record:
                    continue
                if original and known_content == content:
                    repeated_items.add(number)
                    continue
                repeated_records.add(record)
                reason = f"The id {id!r} is on line {known_line} of {known_file} already. Give line {line} another."
                refusals.add(Refusal(line, reason, file))

        blocks = [
            write_block(out, *numbered_block)
            for numbered_block in enumerate(cut_blocks(_remaining_rows(documents, repeated_records, repeated_items)))
        ]
    if not blocks:
        reason = f" The first: {refusals.first[0].error}" if refusals.first else ""
        raise TouchstoneError(f"{source} has no pair that can be read.{reason}")
    return write_manifest(out, blocks, refusals.number, source)


def _document_rows(source: str, refusals: Refusals, ids: TextIO) -> Iterator[KeyedRow]:
    """Each item under the key of its document, with the numbers of its record and of itself; what its id is goes to `ids`."""
    numbers = count()
    for record, (path, line, entries) in enumerate(_records(source)):
        for item in entries:
            if isinstance(item, Refusal):
                refusals.add(item)
                continue
            number, example = next(numbers), item.example
            key = document_key(example.document)
            original = any(other.parent == example.id for other in entries if isinstance(other, Item))
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


def _remaining_rows(
    rows: Iterable[KeyedRow], without_records: Container[int], without_items: Container[int]
) -> Iterator[tuple[str, BlockRow]]:
    for key, line in rows:
        record, number, *row = json.loads(line)
        if record not in without_records and number not in without_items:
            yield key, tuple(row)


def group_rows(rows: Iterable[KeyedRow], folder: Path, memory_bytes: int = _MEMORY_BYTES) -> Iterator[KeyedRow]:
    """The rows in the order of their keys, those of one key in the order in which they came; all are read at once.

    What they weigh on disk stands in `folder` meanwhile. Memory stays at about `memory_bytes` for input of any size.
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
