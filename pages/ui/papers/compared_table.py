"""A table of a paper as it is printed, with our figure in the same cell."""

from __future__ import annotations

import streamlit as st

from core.assessment import STATES, Bounds, ComparedTable, PaperCell
from pages.ui.shared.markup import escape_markdown

_MOST_REASONS = 4


def compared_table(table: ComparedTable, key: str) -> PaperCell | None:
    """Draw the table with its counts; the cell that is selected, if one is."""
    import pandas as pd

    published = table.published
    rows: dict[str, dict[str, str]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, {})[cell.column] = _figures(cell)
    head = "metric" if published.id.lower().startswith(("figure", "4", "5", "6")) else "row"
    frame = pd.DataFrame([{head: row, **of_row} for row, of_row in rows.items()])
    event = st.dataframe(
        frame,
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        hide_index=True,
        height="auto",
        alt=f"Table {published.id}: {published.caption}",
        placeholder="",
    )
    counts = " · ".join(f"{number} {STATES[state][0]} {STATES[state][2]}" for state, number in table.states.items())
    st.caption(escape_markdown(f"In {published.unit}, {published.source}. {counts}."))
    _reasons(table)
    places = [(frame[head].iloc[row], column) for row, column in event["selection"]["cells"] if row < len(frame)]
    return next((cell for cell in table.cells if (cell.row, cell.column) in places), None)


def cell_sentence(cell: PaperCell) -> str:
    """The figures of a cell, its state, and what it waits for or why it differs."""
    reason = cell.waits or cell.deviation
    return f"{cell.row}, {cell.column}: {_figures(cell)} {STATES[cell.state][2]}.{f' {reason}' if reason else ''}"


def _figures(cell: PaperCell) -> str:
    """`printed → ours` and the sign of the state, printed in bounds where the paper has words alone; ours alone where it has none."""
    sign = STATES[cell.state][0]
    printed = (format_bounds(cell.bounds) if cell.bounds else "") if cell.published is None else f"{cell.published:g}"
    if cell.ours is None:
        return f"{printed} {sign}".strip()
    return f"{f'{printed} → ' if printed else ''}{cell.ours:.4g} {sign}"


def format_bounds(bounds: Bounds) -> str:
    """Bounds in signs, as ≥ 0.2 or 0.1 to 0.15."""
    low, high = bounds
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"≤ {high:g}" if low is None else f"≥ {low:g}"


def _reasons(table: ComparedTable) -> None:
    waits = list(dict.fromkeys(cell.waits for cell in table.cells if cell.waits))
    deviations = dict.fromkeys(cell.deviation for cell in table.cells if cell.deviation)
    lines = [*waits[:_MOST_REASONS], *(f"Known deviation: {line}" for line in deviations)]
    if len(waits) > _MOST_REASONS:
        lines.append(f"{len(waits) - _MOST_REASONS} more reasons: select a cell to read its own.")
    if lines:
        st.caption("  \n".join(escape_markdown(line) for line in lines))
