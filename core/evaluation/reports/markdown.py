"""Tables of a report in Markdown: a grid where people see one, bold for the best, † for what is not significantly worse."""

from __future__ import annotations

import re

from core.evaluation.report import Cell, Column, Report, Table
from core.evaluation.reports.cells import NOTHING, format_value, heading, pivot_grid, pivot_titles
from core.stats import MetricStatistic, markdown_table


def report_markdown(report: Report) -> str:
    """The report as a document, its tables as `table_markdown` writes them."""
    parts = [f"# {report.title}", *report.sentences]
    for table in report.tables:
        grids = table.pivot.cells if table.pivot else ("",)
        parts.append(f"## {table.title}")
        parts += [table_markdown(table, name) for name in grids]
        parts += table.notes
    return "\n\n".join([*parts, *report.notes, f"`{report.command}`"]) + "\n"


def table_markdown(table: Table, name: str = "") -> str:
    """The rows as they are, or the grid of the column `name`; ‡ marks what was not tested."""
    if not name:
        lines = ([_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows)
        return markdown_table([heading(column) for column in table.columns], lines)
    down, across, cells = pivot_grid(table, name)
    column, (titles, heads) = table.column(name), pivot_titles(table, down, across)
    lines = ([titles[row], *(_cell(cells.get((row, other)), column) for other in across)] for row in down)
    return markdown_table([table.pivot.down if table.pivot else "", *heads.values()], lines)


_MARKS = re.compile(r"[\\`*_\[\]#|~$!]|^[-+>=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]")


def plain_markdown(text: str) -> str:
    """Text on one line with the special characters of Markdown and HTML escaped."""
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKS.sub(lambda match: f"\\{match[0]}", line)


def _cell(cell: Cell, column: Column) -> str:
    text = format_value(cell, column.format)
    if not isinstance(cell, MetricStatistic) or text == NOTHING:
        return text
    return f"**{text}**" if cell.best else f"{text}†" if cell.level else f"{text}‡" if cell.untested else text
