"""Blocks: parquet files of pairs in which the pairs of a document stand together, and the manifest that lists them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

from core.errors import BadSettingError, TouchstoneError
from core.results.bulk.folder import Folder
from core.text import contexts_from_json, contexts_to_json
from core.types import Edit, ErrorType, Example, Item, Span, T, Verdict

MAX_PAIRS = 2_000  # pairs of a block
MAX_BYTES = 64 << 20  # bytes of its texts, each document counted once
FORMAT = 2
_MANIFEST, _LIST, _BLOCKS = "manifest.json", "blocks.parquet", "blocks"

BlockRow = tuple[str, str, str, str, str, str, str, str, str, str, str, str]
COLUMNS = (
    *("id", "document", "summary", "group", "parent", "edits", "label", "error_type", "domain", "title"),
    *("contexts", "question"),
)
"""The columns of a block, all text, "" for what is not known; `edits` is JSON: a list of [start, end, new, explanation], and so
are `contexts`: a list of [name, start, end]."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block without its pairs. `name` begins with its number and ends with its content's hash."""

    name: str
    pairs: int
    documents: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Content of a folder of blocks. `sha256` is the hash of the names of all blocks, which name their contents."""

    pairs: int
    documents: int
    blocks: int
    refused: int
    sha256: str
    source: str
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number`, counted from 0, of `count` parts."""

    number: int = 0
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Raises BadSettingError for anything but K/N with 0 ≤ K < N."""
        number, _, count = text.partition("/")
        if not (number.isdecimal() and count.isdecimal() and int(number) < int(count)):
            raise BadSettingError(f"The shard is {text!r}. Write K/N, as 0/4, 1/4, 2/4 and 3/4 for all of four parts.")
        return cls(int(number), int(count))

    def of(self, whole: Sequence[T]) -> list[T]:
        """Its part of blocks or cases; together the shards are all of them, each once."""
        return list(whole[self.number :: self.count])


WHOLE = Shard()


def row_of_item(item: Item) -> BlockRow:
    """An item as a block keeps it."""
    edits = [[edit.span.start, edit.span.end, edit.new, edit.explanation] for edit in item.edits]
    return (
        item.example.id,
        item.example.document,
        item.example.summary,
        item.group,
        item.parent or "",
        json.dumps(edits, ensure_ascii=False) if edits else "",
        item.intended.value if item.intended else "",
        item.error_type.value if item.error_type else "",
        item.domain,
        item.title,
        json.dumps(contexts_to_json(item.example.contexts), ensure_ascii=False) if item.example.contexts else "",
        item.example.question,
    )


def item_of_row(row: Sequence[str]) -> Item:
    """The item that a block keeps in a row."""
    id, document, summary, group, parent, edits, label, error, domain, title, contexts, question = row
    return Item(
        Example(id, document, summary, contexts_from_json(json.loads(contexts or "[]")), question),
        parent=parent or None,
        edits=tuple(Edit(Span(start, end), new, why) for start, end, new, why in json.loads(edits or "[]")),
        intended=Verdict(label) if label else None,
        error_type=ErrorType(error) if error else None,
        domain=domain,
        group=group,
        title=title,
    )


def cut_blocks(
    rows: Iterable[tuple[str, BlockRow]], max_pairs: int = MAX_PAIRS, max_bytes: int = MAX_BYTES
) -> Iterator[list[BlockRow]]:
    """Blocks of rows that come with the key of their document, those of one document one after the other.

    A block ends before the document that would make it too large. Only a document that is larger than a block by itself
    is cut, into blocks of its own.
    """
    block: list[BlockRow] = []
    size = 0
    for _, document_rows in groupby(rows, key=itemgetter(0)):
        for part in _cut_document((row for _, row in document_rows), max_pairs, max_bytes):
            weight = sum(len(text.encode()) for text in {row[1] for row in part}) + sum(
                len(row[2].encode()) for row in part
            )
            if block and (len(block) + len(part) > max_pairs or size + weight > max_bytes):
                yield block
                block, size = [], 0
            block.extend(part)
            size += weight
    if block:
        yield block


def _cut_document(rows: Iterable[BlockRow], max_pairs: int, max_bytes: int) -> Iterator[list[BlockRow]]:
    """The rows of one document as one part, or as several where a block cannot hold them."""
    part: list[BlockRow] = []
    size = 0
    for row in rows:
        weight = len(row[2].encode())
        if part and (len(part) >= max_pairs or size + weight > max_bytes):
            yield part
            part, size = [], 0
        size += weight if part else weight + len(row[1].encode())
        part.append(row)
    yield part


def write_block(folder: Folder, number: int, rows: Sequence[BlockRow]) -> Block:
    """Write one block of a folder of blocks."""
    content = hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()
    name = f"{number:07}-{content[:12]}"
    file = _parquet_bytes(
        {column: list(values) for column, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
    )
    folder.inner(_BLOCKS).write(f"{name}.parquet", file)
    documents = len({row[1] for row in rows})
    return Block(name, len(rows), documents, len(file), hashlib.sha256(file).hexdigest())


def read_block(folder: Folder, name: str) -> list[Item]:
    """The items of a block in order, those of one document sharing its text. Raises TouchstoneError where it is broken."""
    columns = read_parquet(folder.inner(_BLOCKS), f"{name}.parquet", COLUMNS, shared=("document", "group"))
    return [item_of_row(row) for row in zip(*columns, strict=True)]


def block_table(folder: Folder, name: str, columns: Sequence[str], shared: Sequence[str] = ()) -> Any:
    """The same as a table of pyarrow; see `read_table`."""
    return read_table(folder.inner(_BLOCKS), f"{name}.parquet", columns, shared)


def block_columns(folder: Folder, name: str, columns: Sequence[str]) -> list[list[str]]:
    """The values of some columns of a block, in order; no other column is read."""
    return read_parquet(folder.inner(_BLOCKS), f"{name}.parquet", columns)


def write_manifest(folder: Folder, blocks: Sequence[Block], refused: int, source: str) -> Manifest:
    """Write the list of blocks, then the manifest: a folder without one is not complete."""
    listed = hashlib.sha256("\n".join(block.name for block in blocks).encode()).hexdigest()
    documents, pairs = sum(block.documents for block in blocks), sum(block.pairs for block in blocks)
    manifest = Manifest(pairs, documents, len(blocks), refused, listed, source)
    columns = {name: [getattr(block, name) for block in blocks] for name in Block.__slots__}
    folder.write(_LIST, _parquet_bytes(columns))
    folder.write(_MANIFEST, json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode())
    return manifest


def has_manifest(folder: Folder) -> bool:
    return folder.has(_MANIFEST)


def read_manifest(folder: Folder) -> Manifest:
    """Raises TouchstoneError where the folder is none of blocks, or one of a later version."""
    if not has_manifest(folder):
        raise TouchstoneError(
            f"{folder.url} has no {_MANIFEST}: it is no folder of blocks, or is not complete. Make one: cli.py blocks PAIRS {folder.url}"
        )
    record = json.loads(folder.read(_MANIFEST))
    if record.get("format") != FORMAT:
        raise TouchstoneError(
            f"The blocks in {folder.url} have format {record.get('format')}; this version reads {FORMAT}. Make them again from "
            "their pairs, in another folder: cli.py blocks PAIRS FOLDER"
        )
    return Manifest(**record)


def block_names(folder: Folder) -> list[str]:
    """The names of all blocks of a folder, in order."""
    [names] = read_parquet(folder, _LIST, ("name",))
    return names


def block_pairs(folder: Folder) -> dict[str, int]:
    """The number of pairs of every block of a folder, in order."""
    names, pairs = read_parquet(folder, _LIST, ("name", "pairs"))
    return dict(zip(names, pairs, strict=True))


def read_blocks(folder: Folder, shard: Shard) -> Iterator[Item]:
    """The items of the blocks of a shard. Raises TouchstoneError where the folder is none of blocks."""
    read_manifest(folder)
    return (item for name in shard.of(block_names(folder)) for item in read_block(folder, name))


def _parquet_bytes(columns: dict[str, list[Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    buffer = BytesIO()
    write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def read_parquet(folder: Folder, name: str, columns: Sequence[str], shared: Sequence[str] = ()) -> list[list[Any]]:
    """The values of some columns of a file; equal values of `shared` columns are one object."""
    table = read_table(folder, name, columns, shared)
    return [_values(table.column(column)) for column in columns]


def read_table(folder: Folder, name: str, columns: Sequence[str], shared: Sequence[str] = ()) -> Any:
    """Some columns of a file as a table of pyarrow, those that are `shared` as dictionaries of their distinct values."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile  # its read_table would import pandas

    try:
        file = ParquetFile(pa.BufferReader(folder.read(name)), read_dictionary=list(shared))
        return file.read(columns=list(columns)).select(columns)
    except (pa.ArrowInvalid, KeyError, OSError) as error:
        raise TouchstoneError(f"{folder.url}/{name} is broken: {error}. Delete it, and make it again.") from error


def _values(column: Any) -> list[Any]:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    combined = column.combine_chunks()
    combined = combined.chunk(0) if isinstance(combined, pa.ChunkedArray) else combined
    dictionary = combined.dictionary.to_pylist()
    return [dictionary[place] for place in combined.indices.to_pylist()]
