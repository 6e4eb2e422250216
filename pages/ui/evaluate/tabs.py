"""The ways to look at what was chosen, one tab each; only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from core.meta.figures import PUBLISHED, Row, draws, rows
from core.meta.slices import Slice
from pages.ui.evaluate.charts import curves, dots, heat_map, roc
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.data import labelled, provenance, score_form
from pages.ui.evaluate.explained import explanation_table
from pages.ui.evaluate.more import aspect_of, beside_table, correlation_tables
from pages.ui.evaluate.pack import contents, paper_pack
from pages.ui.evaluate.pairs import cell_pairs
from pages.ui.evaluate.surface import surface_tables
from pages.ui.evaluate.tables import figure_choice, table, told_of, why_not
from pages.ui.evaluate.verdicts import verdict_grid
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain
from pages.ui.reference import reference_tab


def _rows(chosen: Chosen, names: tuple[str, ...]) -> list[Row] | None:
    """The table of some figures; None while it is computed."""
    return result_of(
        "Drawing documents again and again for the intervals…",
        ("rows", chosen.key, names),
        lambda: list(rows(chosen.cases, chosen.parts, draws(chosen.cases, chosen.resamples), names)),
    )


def _tables(chosen: Chosen) -> None:
    name = figure_choice("evaluate-figure", told_of(chosen.cases))
    found = _rows(chosen, PUBLISHED if name in PUBLISHED else (name,))
    if found is None:
        return
    cell = table(chosen, found, name)
    for reason in why_not(found, name):
        st.caption(plain(reason))
    if cell:
        cell_pairs(chosen, next(row for row in found if (row.slice, row.metric) == cell), name)


def _heat_map(chosen: Chosen) -> None:
    name = figure_choice("evaluate-mapped", told_of(chosen.cases, ("consistency", "auc")))
    found = _rows(chosen, PUBLISHED)
    if found is not None:
        st.plotly_chart(heat_map(found, name), key="evaluate-heat", alt="Heat-map of metrics and slices")


def _roc(chosen: Chosen) -> None:
    part = _part(chosen, "evaluate-roc-slice")
    found = result_of("Drawing curves…", ("roc", chosen.key, part), lambda: curves(chosen.cases, _named(chosen, part)))
    if found is not None:
        st.plotly_chart(roc(found, part), key="evaluate-roc", alt="ROC curves", width=820)


def _dots(chosen: Chosen) -> None:
    name, part = (
        figure_choice("evaluate-dotted", told_of(chosen.cases, PUBLISHED)),
        _part(chosen, "evaluate-dots-slice"),
    )
    found = _rows(chosen, PUBLISHED)
    if found is not None:
        st.plotly_chart(dots(found, name, part), key="evaluate-dots", alt="Figures with their intervals")


def _data(chosen: Chosen) -> None:
    score_form(chosen.datasets)
    beside_table(chosen)
    labelled(chosen.datasets)
    provenance(chosen.datasets)


def _pack(chosen: Chosen) -> None:
    aspect = aspect_of(chosen)
    found = result_of("Writing every table…", ("pack", chosen.key, aspect), lambda: contents(chosen, aspect))
    if found is not None:
        paper_pack(chosen, found)


def _part(chosen: Chosen, key: str) -> str:
    return st.selectbox("Slice", [part.name for part in chosen.parts], key=key, width=260)


def _named(chosen: Chosen, name: str) -> Slice:
    return next(part for part in chosen.parts if part.name == name)


TABS: Mapping[str, Callable[[Chosen], None]] = MappingProxyType(
    {
        "Tables": _tables,
        "Heat-map": _heat_map,
        "ROC": _roc,
        "Dots": _dots,
        "Correlation": correlation_tables,
        "Surface": surface_tables,
        "Verdicts": verdict_grid,
        "Explanations": explanation_table,
        "Percentiles": reference_tab,
        "Data": _data,
        "Paper pack": _pack,
    }
)


_WITHOUT_SCORES = ("Data", "Explanations")


def tabs(chosen: Chosen) -> None:
    """Draw the tab that is open; without scores there is nothing to be told but of explanations."""
    names = list(TABS) if chosen.cases.columns else list(_WITHOUT_SCORES)
    drawn = st.tabs(names, key=f"evaluate-tabs-{len(names)}", on_change="rerun")
    for tab, show in zip(drawn, map(TABS.__getitem__, names), strict=True):
        if tab.open:
            with tab:
                show(chosen)
