"""Answers of people about the columns and labels of a table, kept in the record of its dataset, for the next table of the same form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotations.store.imported_datasets import DatasetRow

ANSWERS = ("summary", "label_of_1", "vote_of_1", "consistent")
"""Settings of the importer of tables that only a person can give."""


@dataclass(frozen=True, slots=True)
class RememberedAnswer:
    """An answer about the labels of a table, and the dataset for which it was given."""

    dataset: str
    settings: dict[str, str]


def remembered_answer(datasets: Iterable[DatasetRow], shape: str) -> RememberedAnswer | None:
    """The last answer for a table of this shape; None where none was imported."""
    files = sorted((file for row in datasets for file in row.files), key=lambda file: file.created_at, reverse=True)
    for file in files:
        reading = file.counts.get("reading", {})
        settings = {name: reading[name] for name in ANSWERS if name in reading}
        if settings and reading.get("shape") == shape:
            return RememberedAnswer(file.dataset, settings)
    return None
