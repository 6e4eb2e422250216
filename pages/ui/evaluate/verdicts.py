"""The verdict grid on the page: a row for each pair, a column for each metric."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.meta.slices import FIELDS
from core.meta.verdicts import FILTERS, Line, Move, grid, noise
from core.meta.verdicts import chosen as kept
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.pairs import OPEN, link_of, show_pair
from pages.ui.evaluate.work import result_of

_SIGNS = {Move.RIGHT: "✓ right", Move.WRONG: "✗ wrong", Move.STILL: "≈ noise", Move.NONE: "–"}
_COLOURS = {
    "✓ right": "background-color: rgba(11, 122, 117, 0.25)",
    "✗ wrong": "background-color: rgba(214, 69, 65, 0.30)",
    "≈ noise": "background-color: rgba(184, 134, 11, 0.20)",
}
_SHOWN = 1000


def verdict_grid(chosen: Chosen) -> None:
    """The grid with its filters; a selected pair is shown whole."""
    if not len(chosen.cases.pairs) or not chosen.cases.columns:
        st.info("There is no minimal pair with a score here: a verdict needs a faithful and a broken side.")
        return
    lines = result_of("Judging pairs…", ("grid", chosen.key), lambda: grid(chosen.cases, chosen.cases.columns))
    if lines is None:
        return
    counts = {name: len(kept(lines, name)) for name in FILTERS}
    name = st.segmented_control(
        "Pairs",
        list(FILTERS),
        default="all pairs",
        key="evaluate-filter",
        required=True,
        format_func=lambda name: f"{name} ({counts[name]})",
        label_visibility="collapsed",
    )
    some = kept(lines, name)[:_SHOWN]
    if not some:
        st.info("No pair is like that.")
        return
    _table(chosen, some, name, counts[name])


def _table(chosen: Chosen, lines: list[Line], name: str, total: int) -> None:
    frame = pd.DataFrame([_row(chosen, line) for line in lines])
    metrics = [column.name for column in chosen.cases.columns]
    event = st.dataframe(
        frame.style.map(lambda text: _COLOURS.get(text, ""), subset=metrics),
        key=f"evaluate-grid-{name}-{hash(chosen.key)}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(38 + 35 * len(lines), 460),
        alt="Which way each metric moved on each pair",
        placeholder="",
        column_config={"": OPEN},
    )
    shown = f"The first {len(lines)} of {total} pairs. " if total > len(lines) else ""
    st.caption(f"{shown}{_noise_words(chosen)} Select a row to see its pair.")
    if selected := event["selection"]["rows"]:
        line = lines[selected[0]]
        show_pair(chosen.cases.samples[line.good], chosen.cases.samples[line.bad])


def _row(chosen: Chosen, line: Line) -> dict[str, object]:
    good, bad = chosen.cases.samples[line.good], chosen.cases.samples[line.bad]
    kind = ", ".join(FIELDS["error_type"](bad) or FIELDS["category"](bad))
    names = [column.name for column in chosen.cases.columns]
    verdicts = {name: _SIGNS[move] for name, move in zip(names, line.moves, strict=True)}
    return {"": link_of(good, bad), "pair": bad.item.example.id, "error type": kind, **verdicts}


def _noise_words(chosen: Chosen) -> str:
    known = max(noise(chosen.cases, column).n for column in chosen.cases.columns)
    if known < 5:
        return "Noise is a tie here: the data holds no harmless edits from which to tell more."
    return f"Noise is the middle 95 % of a metric's shifts under up to {known} harmless edits of the same data."
