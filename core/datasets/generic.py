"""Any table of summaries: JSONL, a JSON list, CSV, parquet or a workbook, read by a mapping of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import ClassVar

from core.dataset import DATASETS, Importer, Refusal
from core.datasets.formats import fields, item_stream
from core.datasets.formats.column_inference import infer_column_map
from core.datasets.formats.column_map import SPLIT_WORDS, ColumnMap, is_filled, load_column_map, voting_columns
from core.datasets.formats.item_stream import RecordPlace
from core.datasets.formats.table_files import file_rows
from core.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError
from core.types import Item, Judgement, Rating, ReleasedScore, Verdict

_COPIED_FIELDS = ("id", "edited", "edits", "group", "domain", "title")
_REQUIRED_FIELDS = ("document", "summary")
_PREVIEW_ROWS = 500  # rows


@DATASETS.add
@dataclass(frozen=True)
class Generic(Importer):
    """A file and the mapping of its columns: a saved one, or the guess from the first rows where `mapping` is ""."""

    name: ClassVar[str] = "generic"
    title: ClassVar[str] = "Any table (JSONL, JSON, CSV, parquet, xlsx)"
    licence: ClassVar[str] = "your own"
    mapping: str = ""

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        columns = load_column_map(Path(self.mapping)) if self.mapping else infer_column_map(preview_rows(source))
        return read_with_map(source, columns)


def preview_rows(source: Path, number: int = _PREVIEW_ROWS) -> list[Row]:
    """The first rows that can be read, with the fields of an object as columns of their own: `scores.ROUGE-2`.

    Raises TouchstoneError where there is none.
    """
    found: list[Row] = [_flat_row(row) for _, row in islice(file_rows(source), number) if not isinstance(row, str)]
    if not found:
        raise TouchstoneError(f"{source.name} has no row that can be read.")
    return found


def read_with_map(source: Path, columns: ColumnMap) -> Iterator[Item | Refusal]:
    """The items of a file by a mapping. Raises TouchstoneError where the file lacks one of the mapped columns."""
    first = preview_rows(source)
    known = dict.fromkeys(name for row in first for name in row)
    for field, column in columns.used():
        if column not in known:
            raise TouchstoneError(
                f"{source.name} has no column {column!r} for the {field}. The columns are {', '.join(known)}."
            )
    reading = _MappedReader(columns, columns.single(), columns.verdicts, columns.votes, voting_columns(first, columns))
    return item_stream.items_of_rows(_flat_lines(file_rows(source)), source, reading.items, {})


def _flat_lines(lines: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
    return ((number, row if isinstance(row, str) else _flat_row(row)) for number, row in lines)


def _flat_row(row: Row) -> Row:
    if not any(isinstance(value, dict) for value in row.values()):
        return row
    flat: dict[str, object] = {}
    for name, value in row.items():
        flat |= {f"{name}.{inner}": held for inner, held in value.items()} if isinstance(value, dict) else {name: value}
    return flat


@dataclass(frozen=True, slots=True)
class _MappedReader:
    """A mapping in use; what its columns hold and its words mean is worked out once for all rows."""

    columns: ColumnMap
    mapped: dict[str, str]
    verdicts: dict[str, Verdict]
    votes: dict[str, Verdict]
    voters: frozenset[str]

    def items(self, row: Row, place: RecordPlace) -> list[Item]:
        """The pair of a row and its edit; label, error type and annotators speak of the edit where there is one."""
        made = item_stream.items_of_fields(self._texts(row), f"{place.path.stem}-{place.number}")
        *plain, last = (self._described(item, row) for item in made)
        return [*plain, self._judged(last, row)]

    def _texts(self, row: Row) -> dict[str, object]:
        """The fields that a record has under any importer; those that must not be blank are checked by their column."""
        copied = {field: row.get(self.mapped[field]) for field in _COPIED_FIELDS if field in self.mapped}
        return copied | {
            field: fields.text(row, self.mapped[field]) for field in _REQUIRED_FIELDS if field in self.mapped
        }

    def _described(self, item: Item, row: Row) -> Item:
        """An item with what holds for both sides of a pair, and the scores of its own side."""
        columns = self.columns
        own = [score for score in columns.scores if score.edited == (item.parent is not None)]
        values = [(score.metric, fields.optional_number(row, score.column)) for score in own]
        return replace(
            item,
            system=fields.optional(row, columns.system) if columns.system else "",
            split=fields.choice(row, columns.split, SPLIT_WORDS) if columns.split else None,
            scores=tuple(ReleasedScore(metric, value) for metric, value in values if value is not None),
        )

    def _judged(self, item: Item, row: Row) -> Item:
        """An item with what was said of it: its label, its errors, the votes and the ratings."""
        columns, name = self.columns, item.example.id
        judges = [judge for judge in columns.annotators if is_filled(row, judge)]
        voting = [judge for judge in judges if judge in self.voters]
        rating = [judge for judge in judges if judge not in self.voters]
        errors = _error_categories(row, columns.error_type) if columns.error_type else ()
        kinds = [item_stream.parse_error_type(error) for error in errors]
        labelled = columns.label and is_filled(row, columns.label)
        return replace(
            item,
            intended=fields.choice(row, columns.label, self.verdicts) if labelled else None,
            error_type=kinds[0] if len(kinds) == 1 else None,
            categories=errors,
            judgements=tuple(Judgement(name, judge, fields.choice(row, judge, self.votes)) for judge in voting),
            ratings=tuple(Rating(judge, "rating", fields.number(row, judge)) for judge in rating),
        )


def _error_categories(row: Row, column: str) -> tuple[str, ...]:
    found = row.get(column)
    if isinstance(found, list):
        return tuple(fields.texts(row, column))
    text = fields.optional(row, column).strip()
    if text.startswith("["):
        return tuple(fields.literals(row, column))
    return (text,) if text.lower() not in {"", "n/a", "none"} else ()
