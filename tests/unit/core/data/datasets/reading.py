"""What an importer makes of records that are written for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.data.dataset import DATASETS, Refusal
from core.types import Item
from tests.unit.core.data.datasets.writing import Record, Write


def items_of(name: str, source: Path) -> list[Item]:
    """The items of a source that is read without a refusal."""
    found = list(DATASETS.get(name)().read(source))
    assert [refusal for refusal in found if isinstance(refusal, Refusal)] == []
    return [item for item in found if isinstance(item, Item)]


def imported(name: str, folder: Path, write: Write, *records: Record) -> list[Item]:
    write(folder, records)
    return items_of(name, folder)


def refused(name: str, folder: Path, write: Write, *records: Record) -> Refusal:
    """The one refusal among what the records give."""
    write(folder, records)
    (refusal,) = [found for found in DATASETS.get(name)().read(folder) if isinstance(found, Refusal)]
    return refusal


def ids(items: Sequence[Item]) -> list[str]:
    return [item.example.id for item in items]
