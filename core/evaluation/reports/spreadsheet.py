"""Tables of a report as CSV, in full precision: a statistic takes a column each for value, interval and n."""

from __future__ import annotations

from core.evaluation.report import Column, Table, estimate_of
from core.stats import MetricStatistic
from core.text import csv_lines

_BESIDE_ESTIMATE = ("low", "high", "n", "documents", "why")
_BESIDE_MEASUREMENT = ("mark", "p")


def table_csv(table: Table) -> str:
    """One line a row. A column of statistics is followed by `<name>_low`, `_high`, `_n`, `_documents` and `_why`."""
    head = [name for place, column in enumerate(table.columns) for name in _names(column, _kind(table, place))]
    return "".join(csv_lines([head, *(list(row.values()) for row in flat_rows(table))]))


def flat_rows(table: Table) -> list[dict[str, object]]:
    """The same as records, by the names of the columns of the CSV."""
    kinds = [_kind(table, place) for place in range(len(table.columns))]
    head = [name for column, kind in zip(table.columns, kinds, strict=True) for name in _names(column, kind)]
    rows = []
    for row in table.rows:
        texts: list[object] = []
        for cell, kind in zip(row, kinds, strict=True):
            estimate = estimate_of(cell)
            if estimate is None:
                texts += [cell, *(None for _ in kind)]
                continue
            record, source = estimate.record(), cell if isinstance(cell, MetricStatistic) else estimate
            columns = (record[name] if name in record else getattr(source, name, None) for name in kind)
            texts += [estimate.value, *columns]
        rows.append(dict(zip(head, texts, strict=True)))
    return rows


def _kind(table: Table, place: int) -> tuple[str, ...]:
    """The names of what stands beside the values of a column."""
    cells = [row[place] for row in table.rows]
    if any(isinstance(cell, MetricStatistic) for cell in cells):
        return (*_BESIDE_ESTIMATE, *_BESIDE_MEASUREMENT)
    return _BESIDE_ESTIMATE if any(estimate_of(cell) for cell in cells) else ()


def _names(column: Column, kind: tuple[str, ...]) -> list[str]:
    return [column.name, *(f"{column.name}_{name}" for name in kind)]
