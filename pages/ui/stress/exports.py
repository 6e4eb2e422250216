"""The ways out of a run: its shifts as a table, the run itself, and its plots as one page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from string import Template

import pandas as pd
import streamlit as st

from core.stress.matrix import Cell
from core.stress.records import Check, Run
from core.stress.report import as_cell
from core.stress.runfile import lines_of
from core.stress.shifts import Shift
from core.stress.sweep import families, windowed
from pages.ui.stress.charts import boxes, dots
from pages.ui.stress.sweep import sweep_chart

_PAGE = Path(__file__).parents[1] / "assets" / "plots.html"


def exports(run: Run, cells: Sequence[Cell], found: Sequence[Shift]) -> None:
    """Four downloads, each made when it is asked for."""
    downloads = (
        ("Matrix (CSV)", "stress-matrix.csv", "grid_on", lambda: matrix_csv(cells)),
        ("Shifts (CSV)", "stress-shifts.csv", "table", lambda: shifts_csv(run, found)),
        ("The run (JSONL)", "stress-run.jsonl", "data_object", lambda: "".join(f"{line}\n" for line in lines_of(run))),
        ("Plots (HTML)", "stress-plots.html", "bar_chart", lambda: plots_html(run, found)),
    )
    with st.container(horizontal=True):
        for title, file, icon, made in downloads:
            st.download_button(title, made, file, on_click="ignore", icon=f":material/{icon}:")
    counting = {(shift.source, shift.kind) for shift in found}
    st.caption(f"{len(found)} shifts of {len(counting)} variants count in the matrix and the shifts.")
    st.caption(
        "The matrix has one row per metric and perturbation, with every figure and its interval; the shifts have one per pair. "
        "The JSONL file is the whole run: what `cli.py stress` writes and goes on with. For PNG, open the HTML page and save every plot with "
        "its button, or one plot with its camera here: your browser draws them, no network is needed."
    )
    st.code("\n".join(_facts(run)), language=None, wrap_lines=True)


def matrix_csv(cells: Sequence[Cell]) -> str:
    """One row per metric and perturbation, each figure with its interval and n; shares in 0..1."""
    return str(pd.json_normalize([as_cell(cell) for cell in cells], sep="_").to_csv(index=False))


def shifts_csv(run: Run, found: Sequence[Shift]) -> str:
    """One row per pair, perturbation and metric, with the signatures of both and what people said of the variant."""
    return str(pd.DataFrame([_row(run, shift) for shift in found]).to_csv(index=False))


def plots_html(run: Run, found: Sequence[Shift]) -> str:
    """One page that needs no network, with the plots of every metric; a button saves each of them as PNG."""
    figures = [
        figure
        for metric in run.plan.metrics
        if (chosen := [shift for shift in found if shift.metric == metric and shift.size is not None])
        for figure in (boxes(run, metric, chosen), dots(run, metric, chosen))
    ]
    for family, by_window in families(run.plan.metrics).items():
        if points := windowed(run, by_window, found):
            figures.append(sweep_chart(family, points))
    plots = [
        figure.to_html(full_html=False, include_plotlyjs=place == 0, div_id=f"plot-{place + 1}")
        for place, figure in enumerate(figures)
    ]
    return Template(_PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(run.plan.name), facts=html.escape("\n".join(_facts(run))), plots="".join(plots)
    )


def _row(run: Run, shift: Shift) -> dict[str, object]:
    variant, opinion = run.variants[shift.source, shift.kind], run.opinions.get((shift.source, shift.kind))
    reading = run.readings[shift.source, shift.kind, shift.metric]
    return {
        **{name: value for name, value in asdict(shift).items() if name != "group"},  # a group may be a whole document
        "shift": shift.size,
        "perturbation_signature": variant.signature,
        "metric_signature": reading.signature,
        "error": reading.error,
        "remarks": "; ".join(variant.remarks),
        **_guard(run.checks.get((shift.source, shift.kind))),
        "meaning": opinion.meaning.value if opinion else "",
        "seed": run.plan.seed,
    }


def _guard(check: Check | None) -> dict[str, object]:
    mark = check.mark if check else None
    return {
        "contradicts": mark.contradicts if mark else None,
        "contradiction_probability": mark.probability if mark else None,
        "guard": mark.by if mark else "",
        "guard_error": check.error if check else "",
    }


def _facts(run: Run) -> list[str]:
    """Name, seed, version and what was run, for a paper."""
    signatures = sorted({reading.signature for reading in run.readings.values() if reading.signature})
    guard = f" · guard {run.plan.guard}" if run.plan.guard else ""
    return [f"{run.plan.name} · seed {run.plan.seed}{guard} · touchstone {run.plan.version}", *signatures]
