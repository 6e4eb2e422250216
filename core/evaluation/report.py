"""The contract of a report: tables whose cells may be estimates, charts as data, and sentences, from which every form is made.

The forms (text, JSON, CSV, Markdown, LaTeX, HTML, figures) are in `core/evaluation/reports/`, one file each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.errors import UnknownNameError
from core.stats import Estimate, MetricStatistic
from core.types import Format

Cell = str | bool | int | float | Estimate | MetricStatistic | None
"""A text, a number, a statistic with its interval, or one compared with the best; None for an empty cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name in records, its title for people, and how its cells are written.

    `help` says what it measures, in a sentence.
    """

    name: str
    title: str = ""
    format: Format = "text"
    help: str = ""

    @property
    def heading(self) -> str:
        return self.title or self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Pivot:
    """Grid of a long table as people see it: the values of the column `down` as rows, those of `across` as columns.

    Each of the `cells` is a grid of its own. Records, CSV and the terminal keep one row a line.
    """

    down: str
    across: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, one cell a column. `notes` are sentences on how to read it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    pivot: Pivot | None = None

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"A row of {self.name} has {len(row)} cells for {len(self.columns)} columns: {row}.")

    def column(self, name: str) -> Column:
        """The column of that name. Raises UnknownNameError for a missing one."""
        return self.columns[self._place(name)]

    def cells(self, name: str) -> list[Cell]:
        """The cells of one column, row by row."""
        place = self._place(name)
        return [row[place] for row in self.rows]

    def records(self) -> Iterator[dict[str, Cell]]:
        """Each row by the names of its columns."""
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def figure(self, name: str, **where: Cell) -> Estimate:
        """The statistic in one column of the only row with these cells. Raises LookupError unless exactly one row matches."""
        rows = [row for row in self.records() if all(row[column] == value for column, value in where.items())]
        if len(rows) != 1:
            raise LookupError(f"{len(rows)} rows of {self.name} have {where}.")
        estimate = estimate_of(rows[0][name])
        if estimate is None:
            raise LookupError(f"{name} of {self.name} is no statistic.")
        return estimate

    def _place(self, name: str) -> int:
        names = [column.name for column in self.columns]
        if name not in names:
            raise UnknownNameError(f"column of {self.name}", name, names)
        return names.index(name)


ChartKind = Literal["points", "lines", "bars", "dots", "boxes", "heat"]


@dataclass(frozen=True, slots=True)
class Axis:
    """`categories` are the values of an axis that has no numbers, in their order; `whole` numbers have no fractions between."""

    title: str
    categories: tuple[str, ...] = ()
    reverse: bool = False
    whole: bool = False
    format: Format = "number"


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one name. A value that is an Estimate is drawn with its interval; `texts` explain the points.

    In a heat-map a series is a row, its `x` the columns. Of boxes, `x` repeats the category of each value. Series that name a
    `panel` are drawn in a small chart of that title, beside those of the others.
    """

    name: str
    x: tuple[str | float, ...]
    y: tuple[float | Estimate | None, ...]
    texts: tuple[str, ...] = ()
    kind: ChartKind | None = None
    panel: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as data, from which the figures, the page and the record are made."""

    name: str
    """Unique in its report; also the end of the name of its file."""
    kind: ChartKind
    """Form of the series that have no kind of their own."""
    title: str
    """The heading."""
    x: Axis
    """The first axis: horizontal, unless the chart is drawn sideways."""
    y: Axis
    """The second axis; without a title, each panel has a scale of its own."""
    series: tuple[Series, ...]
    """In the order of the legend; the rows of a heat map."""
    sideways: bool = False
    """True draws the first axis upwards, for long names of categories."""
    square: bool = False
    """True gives both axes the same unit of length."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a study, from which every form of it is made."""

    study: str
    """Name of the study, as in `cli.py study NAME`."""
    title: str
    """Title of the view that was computed."""
    tables: tuple[Table, ...]
    """The figures; the first is the one that `table()` gives without a name."""
    charts: tuple[Chart, ...] = ()
    """Drawn from the same figures as the tables."""
    sentences: tuple[str, ...] = ()
    """The answer in words, most important first."""
    notes: tuple[str, ...] = ()
    """Sentences on how to read the figures."""
    problems: tuple[str, ...] = ()
    """Figures that could not be computed, and why; empty where nothing failed."""
    settings: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    """Settings of the study by name, those that its view reads."""
    data: Mapping[str, object] = field(default_factory=dict)
    """Facts on which the figures rest, as a record: version, datasets, signatures, counts."""
    command: str = ""
    """Command line that gives the same report; "" where there is none."""
    alarm: bool = False
    """True tells a scheduler to act: the command then ends with status 1."""

    def table(self, name: str = "") -> Table:
        """The table of that name, or the first. Raises UnknownNameError for a missing one."""
        if not name:
            return self.tables[0]
        tables = {table.name: table for table in self.tables}
        if name not in tables:
            raise UnknownNameError(f"table of {self.study}", name, tables)
        return tables[name]

    @property
    def empty(self) -> bool:
        """True if no table has a row."""
        return not any(table.rows for table in self.tables)


def estimate_of(cell: Cell) -> Estimate | None:
    """The statistic in a cell; None for a text or a plain number."""
    if isinstance(cell, MetricStatistic):
        return cell.estimate
    return cell if isinstance(cell, Estimate) else None
