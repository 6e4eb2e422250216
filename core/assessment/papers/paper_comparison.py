"""A paper's figures beside ours, cell by cell: differences, known deviations, and what a cell waits for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from core.assessment.papers.paper import Figures, MissingDataError, Paper, ReleasedData
from core.assessment.papers.published import Bounds, Origin, PublishedPaper, PublishedTable, Waiting, read_published
from core.stats import align_columns
from core.text import csv_lines

_NO_FIGURE = Waiting("The data at hand give no such figure.", "a figure in the data")
_ORIGINS = {
    "printed": "Paper: ",
    "again": "Paper: ",
    "elsewhere": "Another paper: ",
    "computed": "Not printed; computed by the authors' rule: ",
    "ours": "The paper prints no such figure; ",
}
_OTHERS = {
    "elsewhere": "of another paper",
    "computed": "by the authors' rule",
    "ours": "that only we have",
    "again": "printed ones once more, with scores of ours",
}
COLUMN_HEADS: Mapping[Origin, str] = MappingProxyType(
    {"printed": "paper", "again": "paper", "elsewhere": "other paper", "computed": "computed", "ours": "none"}
)
"""Heads of the column beside ours, by origin: only what the authors print is called the paper's."""

_PAPERS_TEXTS = "the paper's texts"
_NAMED_CELLS = 6  # of those that wait for the same; of more the rows are named
_ROUNDING = 1e-9  # a difference of exactly the tolerance is none


@dataclass(frozen=True, slots=True)
class PaperCell:
    """One figure of a paper beside ours."""

    row: str
    """Name of its row."""
    column: str
    """Name of its column."""
    published: float | None
    """Figure of the paper; None if nobody printed it or it cannot be read."""
    ours: float | None
    """Our figure; None if there is none."""
    tolerance: float
    """Largest difference that rounding explains, in the unit of the table."""
    origin: Origin
    """Publisher of the figure."""
    waits: str = ""
    """Sentence on what our figure waits for, or on the other texts that it is of; empty if it can be compared."""
    need: str = ""
    """The same in a word, as "data" or "weights"; empty if it can be compared."""
    deviation: str = ""
    """Known reason for a difference; empty without one."""
    bounds: Bounds | None = None
    """Bounds that the paper states in words, of its own texts; None without any."""

    @property
    def difference(self) -> float | None:
        if self.published is None or self.ours is None:
            return None
        return self.ours - self.published

    @property
    def state(self) -> str:
        """within, known, BEYOND, waits, other texts, unreadable, in bounds, out of bounds, or ours alone, where nobody printed a figure."""
        if self.origin == "printed" and self.published is None:
            return "unreadable"
        if self.ours is None:
            return "waits"
        if self.difference is None:
            return _state_in_bounds(self.ours, self.bounds) if self.bounds else "ours alone"
        if self.waits:
            return "other texts"
        if abs(self.difference) <= self.tolerance + _ROUNDING:
            return "within"
        return "known" if self.deviation else "BEYOND"


def _state_in_bounds(value: float, bounds: Bounds) -> str:
    low, high = bounds
    inside = (low is None or value >= low) and (high is None or value <= high)
    return "in bounds" if inside else "out of bounds"


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A published table with our figures in its cells."""

    published: PublishedTable
    cells: tuple[PaperCell, ...]

    @property
    def states(self) -> Counter[str]:
        return Counter(cell.state for cell in self.cells)


def compare_paper(paper: Paper, data: ReleasedData) -> tuple[PublishedPaper, list[ComparedTable]]:
    """Every table that is known of a paper with what can be computed on this machine; downloads nothing."""
    published, computations = read_published(paper.name), paper.computations()
    tables = []
    for table in published.tables:
        if table.missing:
            tables.append(ComparedTable(table, tuple(_cells(table, table.missing))))
            continue
        try:
            ours: Figures | Waiting = computations[table.id](data)
        except MissingDataError as error:  # the cells say what is missing and where it is to be had
            ours = Waiting(str(error))
        tables.append(ComparedTable(table, tuple(_cells(table, ours))))
    return published, tables


def printed_tables(paper: str) -> list[ComparedTable]:
    """Every table of a paper before ours are computed: each cell waits."""
    later = Waiting("Not computed yet.", "computing")
    return [
        ComparedTable(table, tuple(_cells(table, table.missing or later))) for table in read_published(paper).tables
    ]


def _cells(table: PublishedTable, ours: Figures | Waiting) -> Iterator[PaperCell]:
    for place, value in table.cells():
        figure = ours if isinstance(ours, Waiting) else ours.get(place, ours.get((place[0], ""), _NO_FIGURE))
        waits, need, number = (
            (figure.error, figure.need, None) if isinstance(figure, Waiting) else ("", "", float(figure))
        )
        deviation, texts = (
            next((why for name in ("*", *place) if (why := reasons.get(name))), "")
            for reasons in (table.deviations, table.other_texts)
        )
        if texts and not waits:
            waits, need = f"Not compared, as ours are {texts}", _PAPERS_TEXTS
        yield PaperCell(*place, value, number, table.tolerance, table.origin, waits, need, deviation)


def beyond_tolerance(tables: Sequence[ComparedTable]) -> int:
    """Number of cells that differ without a known reason."""
    return sum(table.states["BEYOND"] for table in tables)


@dataclass(frozen=True, slots=True)
class PaperCoverage:
    """Number of cells that a paper prints, of those compared, of those that wait by what they wait for, and unreadable ones.

    `others` are cells of its tables that it does not print, by their origin.
    """

    printed: int
    compared: int
    waiting: Mapping[str, int]
    unreadable: int
    others: Mapping[str, int] = field(default_factory=dict)


def printed_coverage(tables: Sequence[ComparedTable]) -> PaperCoverage:
    """Each cell that the paper prints, once; figures of other origins and second comparisons are counted by themselves."""
    cells = [cell for table in tables for cell in table.cells if cell.origin == "printed"]
    states = Counter(cell.state for cell in cells)
    waiting = Counter(cell.need for cell in cells if cell.state in ("waits", "other texts"))
    compared = len(cells) - waiting.total() - states["unreadable"]
    others = Counter(str(cell.origin) for table in tables for cell in table.cells if cell.origin != "printed")
    return PaperCoverage(len(cells), compared, dict(waiting), states["unreadable"], dict(others))


def format_coverage(coverage: PaperCoverage) -> str:
    """The counts as one sentence."""
    needs = ", ".join(f"{number} for {need}" for need, number in sorted(coverage.waiting.items()))
    others = ", ".join(
        f"{coverage.others[origin]} {words}" for origin, words in _OTHERS.items() if origin in coverage.others
    )
    return (
        f"{coverage.printed} printed cells: {coverage.compared} compared, {sum(coverage.waiting.values())} waiting"
        f"{f' ({needs})' if needs else ''}, {coverage.unreadable} unreadable.{f' Besides: {others}.' if others else ''}"
    )


def format_paper(published: PublishedPaper, tables: Sequence[ComparedTable]) -> str:
    """Every table, a line for each cell that has a figure of ours, and what the others wait for."""
    head = f"{published.title}\n{published.citation}. {published.url}\n{format_coverage(printed_coverage(tables))}"
    missing = [f"Not compared: {line}" for line in published.missing]
    return "\n\n".join([head, *map(format_table, tables), *missing])


def format_table(table: ComparedTable) -> str:
    published = table.published
    title = (
        f"Table {published.id}: {published.caption}, in {published.unit}. {_ORIGINS[published.origin]}{published.source}. "
        f"Tolerance {published.tolerance:g}."
    )
    lines = []
    for cell in table.cells:
        if cell.ours is not None:
            paper = "–" if cell.published is None else f"{cell.published:g}"
            difference = "" if cell.difference is None else f"{cell.difference:+.4g}"
            lines.append((cell.row, cell.column, paper, f"{cell.ours:.6g}", difference, cell.state))
    head = ("row", "column", COLUMN_HEADS[published.origin], "ours", "difference", "")
    grid = align_columns([head, *lines]) if lines else ""
    deviations = dict.fromkeys(cell.deviation for cell in table.cells if cell.deviation)
    counted = ", ".join(f"{number} {state}" for state, number in sorted(table.states.items()))
    waiting = []
    for why in dict.fromkeys(cell.waits for cell in table.cells if cell.waits):
        cells = [cell for cell in table.cells if cell.waits == why]
        if len(cells) == len(table.cells):
            places = f"All {len(cells)} cells"
        elif len(cells) > _NAMED_CELLS:
            places = f"{len(cells)} cells of {', '.join(dict.fromkeys(cell.row for cell in cells))}"
        else:
            places = ", ".join(f"{cell.row}, {cell.column}" for cell in cells)
        waiting.append(f"{places}: {why}")
    deviation_lines = [f"Known deviation: {why}." for why in deviations]
    return "\n".join(filter(None, [title, grid, *waiting, *deviation_lines, f"{len(table.cells)} cells: {counted}."]))


def comparison_record(published: PublishedPaper, tables: Sequence[ComparedTable]) -> dict[str, Any]:
    """One object of `cli.py reproduce --json`."""
    return {
        "title": published.title,
        "citation": published.citation,
        "url": published.url,
        "missing": list(published.missing),
        "coverage": asdict(printed_coverage(tables)),
        "tables": [
            {
                "table": table.published.id,
                "caption": table.published.caption,
                "unit": table.published.unit,
                "source": table.published.source,
                "origin": table.published.origin,
                "printed_in": asdict(table.published.printed_in) if table.published.printed_in else None,
                "cells": [{**asdict(cell), "difference": cell.difference, "state": cell.state} for cell in table.cells],
            }
            for table in tables
        ],
    }


_COLUMNS = ("table", "row", "column", "paper", "ours", "difference", "state", "waits", "deviation", "source", "origin")


def comparison_csv(tables: Sequence[ComparedTable]) -> str:
    """A line for each cell of each table."""
    rows: list[Sequence[object]] = [_COLUMNS]
    for table in tables:
        for cell in table.cells:
            ours = None if cell.ours is None else json.loads(f"{cell.ours:.10g}")
            difference = None if cell.difference is None else json.loads(f"{cell.difference:.6g}")
            places = (table.published.id, cell.row, cell.column, "" if cell.published is None else cell.published)
            why = (cell.waits, cell.deviation, table.published.source, cell.origin)
            rows.append([*places, ours, difference, cell.state, *why])
    return "".join(csv_lines(rows))
