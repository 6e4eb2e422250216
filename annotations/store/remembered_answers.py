"""Answers of people about the columns and labels of a table, kept in the record of its dataset, for the next table of the same form."""

from __future__ import annotations

from collections.abc import Iterable

from annotations.store.imported_datasets import DatasetRow

ANSWERS = ("summary", "document", "label_of_1", "vote_of_1", "consistent")
"""Settings of the importer of tables that only a person can give."""


def remembered_answer(datasets: Iterable[DatasetRow], shape: str) -> tuple[str, dict[str, str]] | None:
    """The dataset of the last table of this shape, and the settings that a person gave for it; None where none was imported."""
    files = sorted((file for row in datasets for file in row.files), key=lambda file: file.created_at, reverse=True)
    for file in files:
        reading = file.counts.get("reading", {})
        settings = {name: reading[name] for name in ANSWERS if name in reading}
        if settings and reading.get("shape") == shape:
            return file.dataset, settings
    return None
