"""Random tables against the rows that were written: read right, after a question where 1 or yes may mean both, or refused, and never silently wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.data.dataset import Refusal
from core.data.datasets.formats.text_files import encoding_of
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item
from tests.unit.core.data.datasets.random_tables import RandomTable, random_table


def outcome(table: RandomTable, encoding: str = "utf-8") -> str:
    """Right, refused or wrong; wrong also where a question is missing, or has no reason."""
    reader = Generic(encoding=encoding)
    try:
        asked = bool(reader.question(table.path))
        records = list((replace(reader, label_of_1="consistent") if asked else reader).read(table.path))
    except TouchstoneError:
        return "refused"
    if asked is not table.asks:
        return "wrong"
    if any(isinstance(record, Refusal) for record in records):
        return "refused"
    read = [
        (item.example.document, item.example.summary, item.intended, item.scores[0].value if item.scores else None)
        for item in records
        if isinstance(item, Item)
    ]
    return "right" if read == table.rows else "wrong"


@pytest.mark.parametrize("first", range(0, 500, 100))
def test_no_random_table_is_silently_wrong_and_most_are_read_at_first_try(first: int, tmp_path: Path) -> None:
    tables = [random_table(seed, tmp_path) for seed in range(first, first + 100)]
    outcomes = [outcome(table) for table in tables]
    wrong = [table.form for table, result in zip(tables, outcomes, strict=True) if result == "wrong"]
    assert wrong == []
    assert Counter(outcomes)["right"] >= 90
    # what is refused for its encoding is right in the one that the refusal offers
    asked = [
        table
        for table, result in zip(tables, outcomes, strict=True)
        if table.encoding != "utf-8" and result == "refused"
    ]
    assert [table.form for table in asked if outcome(table, encoding_of(table.path)) != "right"] == []
