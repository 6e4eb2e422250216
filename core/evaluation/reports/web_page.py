"""A report as one HTML file that needs no network: the answer, charts, tables, how to read them, and the command."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

from core.base import open_templates
from core.evaluation.report import Cell, Column, Report, Table, estimate_of
from core.evaluation.reports.cells import (
    SHADES,
    format_cell,
    format_value,
    heading,
    legend_in,
    missing_reasons,
    pivot_grid,
    pivot_titles,
)
from core.stats import MetricStatistic

_TEMPLATES = open_templates(Path(__file__).with_name("templates"))


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """Text of a cell and its classes in the style sheet."""

    text: str
    style: str


@dataclass(frozen=True, slots=True)
class HtmlGrid:
    """A table, or one grid of it, as it is drawn."""

    title: str
    head: list[str]
    rows: list[list[HtmlCell]]
    notes: tuple[str, ...]


def report_html(report: Report) -> str:
    """The whole file; every text in it is escaped."""
    return _TEMPLATES.get_template("report.html").render(
        report=report,
        images=chart_images(report),
        grids=[grid for table in report.tables for grid in table_grids(table)],
        notes=[*filter(None, [legend_in(SHADES, report.tables)]), *report.notes, *missing_reasons(report.tables)],
    )


def chart_images(report: Report) -> list[tuple[str, str]]:
    """The title of each chart of a report, and its picture as base64 of an SVG."""
    from core.evaluation.reports.figures import chart_figure  # Matplotlib takes a second, and only a file needs it

    return [(chart.title, b64encode(chart_figure(chart, "svg")).decode()) for chart in report.charts]


def table_grids(table: Table) -> list[HtmlGrid]:
    """A table as it is drawn: one grid, or one for each column of cells of a pivot."""
    if table.pivot is None:
        rows = [[_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]
        return [HtmlGrid(table.title, [heading(column) for column in table.columns], rows, table.notes)]
    grids = []
    for name in table.pivot.cells:
        down, across, cells = pivot_grid(table, name)
        column, (titles, heads) = table.column(name), pivot_titles(table, down, across)
        rows = [
            [HtmlCell(titles[row], ""), *(_cell(cells.get((row, other)), column) for other in across)] for row in down
        ]
        title = f"{table.title}: {heading(column)}" if len(table.pivot.cells) > 1 else table.title
        grids.append(HtmlGrid(title, [table.pivot.down, *heads.values()], rows, table.notes))
    return grids


def _cell(cell: Cell, column: Column) -> HtmlCell:
    if isinstance(cell, MetricStatistic):
        style = "best" if cell.best else "level" if cell.level else "untested" if cell.untested else ""
        return HtmlCell(format_value(cell, column.format), f"number {style}".strip())
    number = estimate_of(cell) is not None or (isinstance(cell, int | float) and not isinstance(cell, bool))
    return HtmlCell(format_cell(cell, column), "number" if number else "")
