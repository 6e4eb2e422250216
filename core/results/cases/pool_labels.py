"""A file of labels of a pool: id and label of each summary, with the probability of its selection, its types of errors and its document."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from core.data import LABEL_WORDS, Row, table_rows
from core.data.datasets.formats import fields
from core.errors import TouchstoneError, attempt
from core.results.cases.summary_pool import PoolLabel
from core.stats import SELECTION_PROBABILITY

_ERRORS = ("error_type", "error_types", "errors")


def read_pool_labels(source: Path) -> list[PoolLabel]:
    """The labels of a JSONL, CSV, parquet or Excel file. Raises TouchstoneError, with the line, for what is no label."""
    labels = []
    for line, row in table_rows(source):
        label = row if isinstance(row, str) else attempt(partial(pool_label, row))
        if not isinstance(label, PoolLabel):
            error = label if isinstance(label, str) else label.error
            raise TouchstoneError(f"{source.name}, line {line}: {error}")
        labels.append(label)
    if not labels:
        raise TouchstoneError(f"{source.name} has no label. It takes a row for each, with id and label.")
    return labels


def pool_labels(records: Iterable[Row]) -> list[PoolLabel]:
    """The labels of records with the same fields."""
    return [pool_label(record) for record in records]


def pool_label(row: Row) -> PoolLabel:
    """The label of a record. Raises TouchstoneError for one without an id, or with a label that is no verdict."""
    errors = next((row[name] for name in _ERRORS if row.get(name)), ())
    kinds = [str(kind) for kind in errors] if isinstance(errors, list) else [str(errors)] if errors else []
    word = fields.optional(row, "label") if not isinstance(row.get("label"), bool) else str(row["label"])
    return PoolLabel(
        fields.text(row, "id"),
        fields.choice({"label": word}, "label", LABEL_WORDS) if word else None,
        tuple(kinds),
        fields.optional_number(row, SELECTION_PROBABILITY),
        fields.optional(row, "group") or fields.optional(row, "document") or "",
    )
