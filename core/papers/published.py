"""The figures that papers print: a TOML file a paper, a table for each of its tables, and where each was read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "reproduced"

CellPlace = tuple[str, str]
"""A cell of a table: the names of its row and its column."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One table: `rows` hold a figure for each of `columns`, None where `source` has none for us to compare with.

    `unit` is "percent", "pairs" and the like. `tolerance` is the largest difference that rounding explains, in that unit.
    `computed` says that the figures were not printed but computed from the released files by the authors' rule.
    `deviations` tell by row or column why ours are known to differ.
    """

    id: str
    caption: str
    unit: str
    source: str
    tolerance: float
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]
    computed: bool
    deviations: Mapping[str, str]

    def cells(self) -> Iterator[tuple[CellPlace, float | None]]:
        """Every cell in reading order."""
        for row, values in self.rows.items():
            for column, value in zip(self.columns, values, strict=True):
                yield (row, column), value


@dataclass(frozen=True, slots=True)
class PublishedPaper:
    """What is known of a paper: its title, citation and address, its tables, and what is not compared and why."""

    title: str
    citation: str
    url: str
    tables: tuple[PublishedTable, ...]
    missing: tuple[str, ...]


def read_published(name: str) -> PublishedPaper:
    """The data file of a paper."""
    known = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    tables: dict[str, PublishedTable] = {}
    for one in known["table"]:
        tables[one["id"]] = _like(tables[one["like"]], one) if "like" in one else _table(one)
    missing = tuple(known.get("missing", ()))
    return PublishedPaper(known["title"], known["citation"], known["url"], tuple(tables.values()), missing)


def _like(other: PublishedTable, known: Mapping[str, Any]) -> PublishedTable:
    """The same figures under another id: some rows of a table that ours are compared with once more."""
    rows = {row: other.rows[row] for row in known["only"]}
    return replace(other, id=known["id"], caption=known["caption"], rows=rows, deviations=known.get("deviations", {}))


def _table(known: Mapping[str, Any]) -> PublishedTable:
    """A table of the file; an empty list stands for a row without figures."""
    columns = tuple(known["columns"])
    rows = {row: tuple(values) if values else (None,) * len(columns) for row, values in known["rows"].items()}
    return PublishedTable(
        id=known["id"],
        caption=known["caption"],
        unit=known["unit"],
        source=known["source"],
        tolerance=known["tolerance"],
        columns=columns,
        rows=rows,
        computed=known.get("computed", False),
        deviations=known.get("deviations", {}),
    )
