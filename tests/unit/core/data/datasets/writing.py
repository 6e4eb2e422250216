"""Ways to write own-made records in the formats of released datasets."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from openpyxl import Workbook

Record = dict[str, Any]
Write = Callable[[Path, Sequence[Record]], None]
"""Puts records into a folder, as files of the names and the form that an importer expects."""


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def listed(name: str) -> Write:
    """One list of objects."""
    return lambda folder, records: (put(folder, name, json.dumps(list(records), ensure_ascii=False)), None)[1]


def lines(name: str) -> Write:
    """One object a line."""
    return lambda folder, records: (put(folder, name, "".join(json.dumps(record) + "\n" for record in records)), None)[
        1
    ]


def plain(name: str) -> Write:
    """The field `text` of the first record as it is."""
    return lambda folder, records: (put(folder, name, str(records[0]["text"])), None)[1]


def table(name: str, delimiter: str = ",") -> Write:
    """Cells separated by commas, the header from the first record."""

    def write(folder: Path, records: Sequence[Record]) -> None:
        path = put(folder, name, "")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(records[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(records)

    return write


def tabs(name: str) -> Write:
    """Cells separated by tabs."""
    return table(name, "\t")


def parquet(name: str) -> Write:
    def write(folder: Path, records: Sequence[Record]) -> None:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(records)), put(folder, name, ""))

    return write


def book(path: Path, sheets: Mapping[str, Sequence[Record]]) -> None:
    """A workbook; the header of each sheet is from its first record."""
    workbook = Workbook()
    workbook.remove(workbook.active)
    for title, records in sheets.items():
        sheet = workbook.create_sheet(title)
        sheet.append(list(records[0]))
        for record in records:
            sheet.append(list(record.values()))
    workbook.save(path)
    workbook.close()
