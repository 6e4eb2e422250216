"""The figures that papers print: a TOML file a paper, a table for each of its tables, and where each was read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

_FOLDER = Path(__file__).parent / "reproduced"

CellPlace = tuple[str, str]
"""A cell of a table: the names of its row and its column."""

Bounds = tuple[float | None, float | None]
"""The least and the largest figure that a paper states in words of a bar without a number; None on an open side."""

Origin = Literal["printed", "elsewhere", "computed", "ours", "again"]
"""Origin of a table's figures: printed by the authors, printed in another paper that this one rests on, computed from released
files by the authors' rule, none but ours, or a printed table compared once more with other scores of ours."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Reason why there is no figure of ours here and what to do; the `need` is data, weights, an endpoint, people."""

    error: str
    need: str = "data"


@dataclass(frozen=True, slots=True)
class PrintedLines:
    """The place of a table in the text of its paper: file, first and last line, counted from 1."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One table of a paper."""

    id: str
    """Number in the paper, with a remark where it is split, as "2, task 1"."""
    caption: str
    """Content of the table, in our words."""
    unit: str
    """Unit of the figures, as "percent" or "pairs"."""
    source: str
    """Place where the figures were read."""
    tolerance: float
    """Largest difference that rounding explains, in `unit`."""
    columns: tuple[str, ...]
    """Names of the columns."""
    rows: Mapping[str, tuple[float | None, ...]]
    """A figure for each of `columns` by row; None if nobody printed it or it cannot be read for sure."""
    origin: Origin
    """Publisher of the figures."""
    missing: Waiting | None
    """Reason why nothing computes our figures; None if a computation does."""
    printed_in: PrintedLines | None
    """Place of the table in the text of the paper; None if it is not recorded."""
    deviations: Mapping[str, str]
    """Known reasons for differences, by row or column, or "*" for all cells."""
    other_texts: Mapping[str, str]
    """Texts that ours are computed from where they are not the paper's, by row or column, or "*": such cells are not compared."""

    def cells(self) -> Iterator[tuple[CellPlace, float | None]]:
        """Every cell in reading order."""
        for row, values in self.rows.items():
            for column, value in zip(self.columns, values, strict=True):
                yield (row, column), value


@dataclass(frozen=True, slots=True)
class PublishedPaper:
    """Facts about a paper: its title, citation and address, its tables, and what is not compared and why."""

    title: str
    citation: str
    url: str
    tables: tuple[PublishedTable, ...]
    missing: tuple[str, ...]
    bounds: Mapping[str, Mapping[CellPlace, Bounds]]
    """By figure: what the text says of mean shifts that are drawn without numbers."""

    def table(self, id: str) -> PublishedTable:
        """The table of that id."""
        return next(table for table in self.tables if table.id == id)


def read_published(name: str) -> PublishedPaper:
    """The data file of a paper."""
    record = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    tables: dict[str, PublishedTable] = {}
    for table in record["table"]:
        id, caption, deviations = table["id"], table["caption"], table.get("deviations", {})
        if "like" in table:  # the same figures: some rows of a table that ours are compared with once more
            other = tables[table["like"]]
            rows = {row: other.rows[row] for row in table["only"]}
            tables[id] = replace(
                other, id=id, caption=caption, rows=rows, origin="again", printed_in=None, deviations=deviations
            )
            continue
        columns, origin = tuple(table["columns"]), table.get("origin", "printed")
        if origin not in get_args(Origin):
            raise ValueError(f"Table {id} has the origin {origin!r}: known are {', '.join(get_args(Origin))}.")
        tables[id] = PublishedTable(
            id=id,
            caption=caption,
            unit=table["unit"],
            source=table["source"],
            tolerance=table["tolerance"],
            columns=columns,
            rows={  # an empty list stands for a row without figures, an empty string for a cell without one
                row: tuple(None if value == "" else value for value in values) if values else (None,) * len(columns)
                for row, values in table["rows"].items()
            },
            origin=origin,
            missing=_waiting(**table["missing"]) if "missing" in table else None,
            printed_in=PrintedLines(table["text"], *table["lines"]) if "text" in table else None,
            deviations=deviations,
            other_texts=table.get("other_texts", {}),
        )
    bounds: dict[str, dict[CellPlace, Bounds]] = {}
    for bound in record.get("bound", ()):
        places = [(row, column) for row in bound["rows"] for column in bound["columns"]]
        bounds.setdefault(bound["figure"], {}).update(dict.fromkeys(places, (bound.get("low"), bound.get("high"))))
    missing = tuple(record.get("missing", ()))
    return PublishedPaper(record["title"], record["citation"], record["url"], tuple(tables.values()), missing, bounds)


def _waiting(need: str, error: str) -> Waiting:
    return Waiting(f"Waits for {need}: {error}", need)
