"""A report on a page: the answer in sentences, charts, tables and how to read them; and every form to download."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Literal

import streamlit as st

from core.base import zip_files
from core.evaluation import (
    FORMS,
    SHADES,
    Cell,
    Chart,
    Column,
    Report,
    Table,
    few_documents,
    format_value,
    heading,
    legend_in,
    missing_reasons,
    pivot_grid,
    pivot_titles,
)
from core.stats import MetricStatistic
from core.text import BYTE_ORDER_MARK
from pages.ui.results.report_charts import report_chart
from pages.ui.shared.markup import escape_markdown, escape_message

MARK_STYLES = MappingProxyType(
    {
        "*": "background-color: rgba(11, 122, 117, 0.30); font-weight: 700",
        "=": "background-color: rgba(11, 122, 117, 0.12)",
        "?": "font-style: italic",
        "": "",
    }
)
"""Style of the mark of a measurement in a cell."""

_MOST_WARNINGS = 3  # that are shown at once
_DOWNLOADS = (
    (".json", "JSON"),
    (".csv", "CSV"),
    (".tex", "LaTeX"),
    (".md", "Markdown"),
    (".html", "HTML"),
    (".pdf", "Charts (PDF)"),
)


TableView = Callable[[Report], Mapping[str, Cell] | None]
"""Draws a table of the report in a page's own way; the row that is selected there, if one is."""


def report_view(
    report: Report, key: str, own: Mapping[str, TableView] = MappingProxyType({})
) -> dict[str, Mapping[str, Cell]]:
    """Draw the report; the selected row of each table by its name. `key` distinguishes it from other reports of the page.

    `own` draws the tables of these names instead.
    """
    with st.container(key=f"{key}-study-answer", gap=None):
        for sentence in report.sentences:
            st.markdown(escape_markdown(sentence))
    problems_view(report.problems)
    selected: dict[str, Mapping[str, Cell]] = {}
    if len(report.charts) == 1:
        chart_view(report.charts[0], key)
    for table in report.tables:
        if len(report.tables) > 1:
            st.subheader(escape_markdown(table.title))
        draw = own.get(table.name)
        if row := draw(report) if draw else table_view(table, f"{key}-{table.name}"):
            selected[table.name] = row
        for note in table.notes:
            st.caption(escape_message(note))
    if len(report.charts) > 1:
        titles = [chart.title for chart in report.charts]
        title = st.segmented_control(
            "Chart", titles, default=titles[0], key=f"{key}-chart", required=True, label_visibility="collapsed"
        )
        chart_view(report.charts[titles.index(title)], key)
    for note in [legend_in(SHADES, report.tables), *report.notes, *missing_reasons(report.tables)]:
        st.caption(escape_message(note))
    return selected


def problems_view(problems: Sequence[str]) -> None:
    """Show a few problems at once, and many behind their number."""
    if len(problems) > _MOST_WARNINGS:
        with st.expander(f"Remarks ({len(problems)})", icon=":material/warning:"):
            st.text("\n".join(problems))
        return
    for problem in problems:
        st.warning(escape_message(problem), icon=":material/warning:")


def chart_view(chart: Chart, key: str) -> None:
    """Draw a chart."""
    width: Literal["content", "stretch"] = "content" if chart.square else "stretch"
    st.plotly_chart(report_chart(chart), key=f"{key}-{chart.name}", alt=chart.title, width=width)


def table_view(table: Table, key: str) -> dict[str, Cell] | None:
    """Draw a table, or the grid of one of its columns; the row that is selected, if one is."""
    import pandas as pd

    if not table.rows:
        st.caption("Nothing.")
        return None
    if table.pivot:
        names = list(table.pivot.cells)
        name = names[0]
        if len(names) > 1:
            columns = [table.column(name) for name in names]
            name = st.segmented_control(
                "Figure",
                names,
                default=name,
                key=f"{key}-figure-{len(names)}",
                required=True,
                format_func=lambda name: table.column(name).heading,
                label_visibility="collapsed",
                help="  \n".join(f"{column.heading}: {column.help}" for column in columns if column.help),
            )
        return _grid_view(table, name, key)
    headings = [heading(column) for column in table.columns]
    texts = [[_text(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]
    styles = [[_style(cell) for cell in row] for row in table.rows]
    frame = pd.DataFrame(texts, columns=headings)
    event = st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(styles, frame.index, frame.columns), axis=None),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height="auto",
        alt=table.title,
        placeholder="–",
        column_config={
            heading(column): st.column_config.TextColumn(help=column.help) for column in table.columns if column.help
        },
    )
    rows = event["selection"]["rows"]
    return list(table.records())[rows[0]] if rows and rows[0] < len(table.rows) else None


def _grid_view(table: Table, name: str, key: str) -> dict[str, Cell] | None:
    """One column of cells as a grid, with the number of cases in the heads."""
    import pandas as pd

    down, across, cells = pivot_grid(table, name)
    column = table.column(name)
    titles, head_titles = pivot_titles(table, down, across)
    heads = {}
    for other in across:
        of_slice = [cell for row in down if (cell := cells.get((row, other))) is not None]
        numbers = {cell.estimate.n if isinstance(cell, MetricStatistic) else getattr(cell, "n", 0) for cell in of_slice}
        heads[other] = head_titles[other]
        if numbers:  # on how many cases the figures of the slice rest, and whether these are of few documents
            n = str(max(numbers)) if len(numbers) == 1 else f"{min(numbers)}–{max(numbers)}"
            few = few_documents(of_slice)
            heads[other] += f" (n = {n}{f', {few}' if few else ''})"
    texts = [[_text(cells.get((row, other)), column) for other in across] for row in down]
    styles = [[_style(cells.get((row, other))) for other in across] for row in down]
    frame = pd.DataFrame(texts, [*titles.values()], list(heads.values()))
    event = st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(styles, frame.index, frame.columns), axis=None),
        key=f"{key}-{name}",
        on_select="rerun",
        selection_mode="single-cell",
        height="auto",
        alt=f"{table.title}: {column.heading}",
        placeholder="–",
    )
    selection = event["selection"]["cells"]
    if not selection or table.pivot is None:
        return None
    place, head = selection[0]
    other = next(part for part, label in heads.items() if label == str(head))
    where = (table.pivot.down, down[place]), (table.pivot.across, other)
    row = next((row for row in table.records() if all(str(row[of]) == value for of, value in where)), None)
    return row and {**row, "selected": name}


def report_downloads(report: Report, key: str) -> None:
    """Every form of the report, made when it is asked for, and the command that gives the same in the terminal."""
    with st.popover("Download", icon=":material/download:"):
        with st.container(horizontal=True):
            for ending, title in _DOWNLOADS:
                if ending == ".pdf" and not report.charts:
                    continue
                several = len(report.charts if ending == ".pdf" else report.tables if ending == ".csv" else ()) > 1
                st.download_button(
                    title,
                    partial(_file_content, report, ending),
                    f"{report.study}{'.zip' if several else ending}",
                    key=f"{key}-download{ending}",
                    on_click="ignore",
                )
        st.code(report.command, language=None, wrap_lines=True)


def _file_content(report: Report, ending: str) -> str | bytes:
    """The only file of a form, or an archive of several."""
    parts = FORMS[ending](report)
    if ending == ".csv":
        parts = {name: BYTE_ORDER_MARK + content for name, content in parts.items() if isinstance(content, str)}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return zip_files({f"{report.study}-{name}{ending}": content for name, content in parts.items()})


def _text(cell: Cell, column: Column) -> str | None:
    return None if cell is None else format_value(cell, column.format)


def _style(cell: Cell) -> str:
    return MARK_STYLES[cell.mark] if isinstance(cell, MetricStatistic) else ""
