"""The pairs or summaries behind a cell, those that the metric got most wrong first; each opens in Probe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.edits import as_segments, recover
from core.meta.cases import Cases, Column
from core.meta.figures import IN_UNITS, Row, pairs_of
from core.meta.report import told
from core.meta.slices import Slice
from core.stats.compare import more_pairs
from core.types import Sample
from pages.ui.diff import diff_html
from pages.ui.evaluate.choice import Chosen
from pages.ui.plain import plain

_SHOWN = 500
OPEN = st.column_config.LinkColumn("", display_text="Probe", width="small")
_COLUMNS = {"": OPEN, "summary": st.column_config.TextColumn(width="large")}


def cell_pairs(chosen: Chosen, row: Row, name: str) -> None:
    """A cell of a figure in words, the list of its pairs, and the selected pair as a diff."""
    part = next(one for one in chosen.parts if one.name == row.slice)
    column = next(one for one in chosen.cases.columns if one.name == row.metric)
    st.subheader(plain(f"{column.name} · {part.name}"))
    st.write(plain(_words(row, name)))
    if not part.pairs.any():
        _summaries(chosen.cases, part, column)
        return
    places = chosen.cases.pairs[part.pairs]
    gains = pairs_of(chosen.cases, part, column).gains
    order = [place for place in np.argsort(gains) if not np.isnan(gains[place])][:_SHOWN]
    lines = [_line(chosen.cases, column, *places[place]) for place in order]
    event = st.dataframe(
        pd.DataFrame(lines),
        key=f"evaluate-pairs-{hash((chosen.key, row.slice, row.metric))}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(38 + 35 * len(lines), 320),
        alt="The pairs of this cell, those that the metric got most wrong first",
        placeholder="",
        column_config=_COLUMNS,
    )
    if selected := event["selection"]["rows"]:
        good, bad = places[order[selected[0]]]
        show_pair(chosen.cases.samples[good], chosen.cases.samples[bad])


def show_pair(good: Sample, bad: Sample) -> None:
    """The broken summary as a diff from the faithful one, and what is known of it."""
    before, after = good.item.example.summary, bad.item.example.summary
    if before and after:
        st.html(diff_html(as_segments(before, recover(before, after))))
    told = [bad.item.title, bad.item.domain, bad.item.error_type, *(edit.explanation for edit in bad.item.edits)]
    st.caption(plain(" · ".join(dict.fromkeys(str(one) for one in told if one))))


def link_of(one: Sample, other: Sample | None = None) -> str | None:
    """The address that opens a stored pair by its edited side."""
    edited = other if other and other.item.parent else one
    return f"/?example={edited.stored}" if edited.stored else None


def _words(row: Row, name: str) -> str:
    """The figure with its interval, how it compares with the best, and what would make it surer."""
    figure = row.figures[name]
    more = None if name in IN_UNITS else more_pairs(figure.estimate)
    parts = [
        f"{told(figure.estimate, name)}{'' if name in IN_UNITS else ' %'}",
        f"{row.failed} without a score" if row.failed else "",
        "the best of its slice" if figure.best else "",
        f"p = {figure.p:.3f} against the best, by Holm" if figure.p is not None else "",
        f"about {more} more cases like these would bring the interval to ± 5 points" if more else "",
    ]
    why = f" {figure.estimate.why}" if figure.estimate.why else ""
    return f"{'; '.join(filter(None, parts))}.{why}"


def _line(cases: Cases, column: Column, good: int, bad: int) -> dict[str, object]:
    faithful, broken = cases.samples[good], cases.samples[bad]
    return {
        "": link_of(faithful, broken),
        "faithful": column.values[good],
        "broken": column.values[bad],
        "shift": column.values[bad] - column.values[good],
        "error type": broken.item.error_type,
        "dataset": broken.dataset,
        "summary": broken.item.example.summary,
    }


def _summaries(cases: Cases, part: Slice, column: Column) -> None:
    places = [place for place in np.flatnonzero(part.summaries) if not np.isnan(column.values[place])]
    lines = [
        {
            "": link_of(cases.samples[place]),
            "label": cases.samples[place].item.intended,
            column.name: column.values[place],
            "error type": cases.samples[place].item.error_type or ", ".join(cases.samples[place].item.categories),
            "dataset": cases.samples[place].dataset,
            "summary": cases.samples[place].item.example.summary,
        }
        for place in places[:_SHOWN]
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True, alt="The summaries of this cell", column_config=_COLUMNS)
