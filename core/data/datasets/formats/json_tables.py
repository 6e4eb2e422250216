"""Tables that one JSON object holds by its columns, as pandas and datasets write them, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.data.datasets.formats.header_rows import distinct_columns
from core.data.datasets.formats.text_files import Row

_TEXT_NAMES = ("document", "doc", "article", "source", "text", "context", "premise", "dialogue")
_OTHER_NAMES = ("summary", "claim", "hypothesis", "response", "output", "label", "verdict")
_COLUMN_NAMES = frozenset((*_TEXT_NAMES, *_OTHER_NAMES))


def rows_of_columns(parsed: Row) -> list[Row] | None:
    """The rows of an object with a list of cells for each column, or an object of cells by index, or `columns` and `data`.

    These are orient columns, split and tight of `DataFrame.to_json` and `to_dict`; None for any other object.
    """
    columns, data = parsed.get("columns"), parsed.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(isinstance(cells, list) for cells in data):
        names = distinct_columns(str(name) for name in columns)
        return [dict(zip(names, cells, strict=False)) for cells in data]
    lists = [value for value in parsed.values() if isinstance(value, list)]
    if len(lists) == len(parsed) > 1 and not any(isinstance(cell, dict) for cells in lists for cell in cells):
        sizes = {len(cells) for cells in lists}
        return (
            [dict(zip(parsed, cells, strict=True)) for cells in zip(*lists, strict=True)] if len(sizes) == 1 else None
        )
    objects = [value for value in parsed.values() if isinstance(value, dict)]
    return _rows_by_index(parsed, objects) if len(objects) == len(parsed) > 1 else None


def _rows_by_index(parsed: Row, columns: Sequence[Row]) -> list[Row] | None:
    """The rows of columns with the same index; None where the names inside are those of columns."""
    index, names = {*map(str, columns[0])}, {*map(str, parsed)}
    if any({*map(str, column)} != index for column in columns):
        return None
    is_by_column = all(name.isdigit() for name in index) or _number_of_columns(names) > _number_of_columns(index)
    if not is_by_column or all(name.isdigit() for name in names):
        return None
    return [{name: column[key] for name, column in zip(parsed, columns, strict=True)} for key in columns[0]]


def _number_of_columns(names: Iterable[str]) -> int:
    return sum(name.lower() in _COLUMN_NAMES for name in names)
