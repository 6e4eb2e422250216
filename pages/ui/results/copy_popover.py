"""Copying to the clipboard: every table and chart of a report, and other tables, in the forms that papers and chats take, and a block of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.evaluation.report import Cell, Column, Report, Table
from core.evaluation.reports.latex import table_latex
from core.evaluation.reports.markdown import table_markdown
from core.evaluation.reports.spreadsheet import table_csv
from core.types import Format
from pages.ui.shared.markup import register_component

if TYPE_CHECKING:
    import pandas as pd

_forms_component = register_component("copy_forms")
_block_component = register_component("code_block")

Form = dict[str, str]
"""A form for the browser: `label`, `kind` ("text", or "png" for an SVG that it draws) and `content`."""


def copy_popover(make: Callable[[], Report], key: str) -> None:
    """A button that offers each table and chart of a report; the forms are made when it is pressed."""
    with st.popover("Copy", icon=":material/content_copy:", key=f"{key}-copy", on_change="rerun") as box:
        if box.open:
            _forms_component(key=f"{key}-copy-forms", data={"parts": list(copy_parts(make()))})


def copy_table(title: str, frame: pd.DataFrame, key: str) -> None:
    """The same button for a table of a page that is no study's."""
    copy_popover(lambda: table_report(title, frame), key)


def table_report(title: str, frame: pd.DataFrame) -> Report:
    """The frame as a report of one table, with its index as the first column where it is no numbering."""
    import pandas as pd

    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    columns = []
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        form: Format = "count" if pd.api.types.is_integer_dtype(values) else "number"
        if pd.api.types.is_bool_dtype(values) or not pd.api.types.is_numeric_dtype(values):
            form = "text"
        columns.append(Column(str(name) or f"column {place}", str(name) or " ", form))
    rows = tuple(tuple(map(_cell, row)) for row in frame.itertuples(index=False))
    return Report("table", title, (Table("table", title, tuple(columns), rows),))


def _cell(value: Any) -> Cell:
    import pandas as pd

    if pd.isna(value):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | bool | int | float) else str(value)


def copy_parts(report: Report) -> Iterator[dict[str, object]]:
    """Each table and chart by its title, with its forms."""
    for chart in report.charts:
        from core.evaluation.reports.figures import (
            chart_figure,  # Matplotlib takes a second, and only a figure needs it
        )

        svg = chart_figure(chart, "svg").decode()
        chart_forms = [
            {"label": "PNG", "kind": "png", "content": svg},
            {"label": "SVG", "kind": "text", "content": svg},
        ]
        yield {"title": chart.title, "forms": chart_forms}
    for table in report.tables:
        for name in table.pivot.cells if table.pivot else ("",):
            grid = f": {table.column(name).heading}" if table.pivot and len(table.pivot.cells) > 1 else ""
            forms = {
                "LaTeX": table_latex(table, name),
                "Markdown": table_markdown(table, name),
                "CSV": table_csv(table),
            }
            table_forms = [{"label": label, "kind": "text", "content": content} for label, content in forms.items()]
            yield {"title": f"{table.title}{grid}", "forms": table_forms}


def code_block(text: str, key: str) -> None:
    """A text in fixed width with a button that copies it: `st.code` loads half a megabyte of highlighter for the same."""
    _block_component(key=key, data={"text": text})
