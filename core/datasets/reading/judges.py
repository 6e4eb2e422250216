"""Columns of one judge each: whether they vote in words or rate in numbers, and what their yes means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.datasets.reading.mapping import ColumnMap
from core.datasets.reading.row import Row


def filled(row: Row, column: str) -> bool:
    """Whether a cell holds something; NaN is nothing."""
    value = row.get(column)
    return value is not None and value == value and str(value).strip() != ""  # only NaN differs from itself


def word(row: Row, column: str) -> str:
    """A cell as a word of a label."""
    return str(row[column]).strip().lower()


def voters(rows: Sequence[Row], columns: ColumnMap) -> frozenset[str]:
    """The judges whose first words all are words of a label; the others rate, among them who once says 1 of 5."""
    votes = columns.votes
    return frozenset(
        judge for judge in columns.annotators if all(word(row, judge) in votes for row in rows if filled(row, judge))
    )


def opposed(rows: Sequence[Row], columns: ColumnMap) -> bool:
    """Whether the votes contradict the label more often than they agree: their yes then means its no."""
    if not columns.label:
        return False
    verdicts, votes = columns.verdicts, voters(rows, columns)
    agreed = Counter(
        verdicts.get(word(row, columns.label)) is verdicts.get(word(row, judge))
        for row in rows
        for judge in votes
        if filled(row, columns.label) and filled(row, judge)
    )
    return agreed[False] > agreed[True]
