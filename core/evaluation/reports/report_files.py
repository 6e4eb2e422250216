"""A report as files, by their endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from core.base import write_whole
from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Report
from core.evaluation.reports.latex import table_latex
from core.evaluation.reports.markdown import report_markdown
from core.evaluation.reports.record import report_json
from core.evaluation.reports.spreadsheet import table_csv
from core.evaluation.reports.text import report_text
from core.evaluation.reports.web_page import report_html

Parts = Mapping[str, str | bytes]
"""The files of a form, by what their names have after that of the report: "" where there is one."""


def csv_parts(report: Report) -> Parts:
    """A file for each table, named by it where there are several."""
    if len(report.tables) == 1:
        return {"": table_csv(report.tables[0])}
    return {table.name: table_csv(table) for table in report.tables}


def report_latex(report: Report) -> str:
    """Every table, and every grid of one, one after the other."""
    return "\n".join(
        table_latex(table, name) for table in report.tables for name in (table.pivot.cells if table.pivot else ("",))
    )


def _figure_parts(report: Report, kind: str) -> Parts:
    from core.evaluation.reports.figures import chart_figure  # Matplotlib takes a second, and only a figure needs it

    return {chart.name: chart_figure(chart, kind) for chart in report.charts}


FORMS: Mapping[str, Callable[[Report], Parts]] = MappingProxyType(
    {
        ".json": lambda report: {"": report_json(report)},
        ".csv": csv_parts,
        ".html": lambda report: {"": report_html(report)},
        ".tex": lambda report: {"": report_latex(report)},
        ".md": lambda report: {"": report_markdown(report)},
        ".txt": lambda report: {"": f"{report_text(report)}\n"},
        ".svg": lambda report: _figure_parts(report, "svg"),
        ".pdf": lambda report: _figure_parts(report, "pdf"),
    }
)
"""The forms by the endings of their files."""


def write_report(report: Report, file: Path) -> list[Path]:
    """Write the form that the ending names; the files that were written, several where tables or charts have one each.

    Raises UnknownNameError for another ending, TouchstoneError where nothing of that form is in the report or the file cannot
    be written.
    """
    if file.suffix not in FORMS:
        raise UnknownNameError("form of a report", file.suffix or file.name, FORMS)
    parts = FORMS[file.suffix](report)
    if not parts:
        raise TouchstoneError(f"This report has no chart, and {file} would have one. Name a file with another ending.")
    paths = {file.with_stem(f"{file.stem}-{name}") if name else file: content for name, content in parts.items()}
    for path, content in paths.items():
        write_whole(path, content)
    return list(paths)
