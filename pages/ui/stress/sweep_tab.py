"""The window sweep on the page: which metrics to sweep, and how they change with the window."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from core.errors import TouchstoneError
from core.metric import METRICS
from core.registry import settings_of
from core.runs.run import Run
from core.runs.shifts import Shift
from core.stats.statistic import Estimate
from core.stats.text_tables import format_signed, format_unsigned
from core.studies.window_sweep import (
    WINDOWS,
    WindowEffect,
    is_retrieval_metric,
    window_effects,
    window_families,
    window_run,
)
from pages.ui.shared.grouped_views import enter_view
from pages.ui.shared.plots import INTENT_COLOURS, error_bars
from pages.ui.shared.run_choice import StressState, begin_run, open_run, show_problem, stress_state
from pages.ui.stress.matrix_and_plots import metric_title

_POINT_OFFSET = 0.06  # between points of one window, so that their intervals do not cover each other


def sweep_tab(run: Run, found: Sequence[Shift]) -> None:
    """The sweep that this run is, where it is one, and the way to another."""
    known = window_families(run.plan.metrics)
    if known:
        _sweep_result(run, known, found)
    with st.expander("Sweep other metrics", expanded=not known) if known else st.container():
        _sweep_form(run)


def sweep_chart(metric: str, points: Sequence[WindowEffect]) -> go.Figure:
    """Mean scores and mean shifts by window, with 95 % intervals by document."""
    figure = make_subplots(1, 2, subplot_titles=("mean score", "mean shift, after − before"))
    originals = max(
        ({p.intent: [q for q in points if q.intent == p.intent] for p in points}).values(), key=_count_originals
    )
    _add_line(figure, 1, "original", "#808080", [(p.w, p.original) for p in originals])
    for place, (intent, colour) in enumerate(INTENT_COLOURS.items(), 1):
        of_intent = [point for point in points if point.intent == intent]
        if of_intent:
            _add_line(figure, 1, intent, colour, [(p.w + place * _POINT_OFFSET, p.variant) for p in of_intent])
            _add_line(figure, 2, "", colour, [(p.w + place * _POINT_OFFSET, p.shift) for p in of_intent])
    figure.add_hline(0, line_width=1, line_color="gray", row=1, col=2)
    figure.update_xaxes(
        title="w, sentences read on both sides", tickvals=list(WINDOWS), range=[WINDOWS[0] - 0.4, WINDOWS[-1] + 0.4]
    )
    return figure.update_layout(
        title=metric_title(metric), title_font_size=14, height=380, margin={"l": 10, "r": 10, "t": 70, "b": 40}
    )


def _sweep_result(run: Run, known: dict[str, dict[int, str]], found: Sequence[Shift]) -> None:
    metric = st.selectbox(
        "Metric", list(known), format_func=metric_title, key="sweep-metric", persist_state="page", width=520
    )
    points = window_effects(run, known[metric], found)
    if not points:
        st.info("No window of this metric has a score yet.")
        return
    st.plotly_chart(sweep_chart(metric, points), key="sweep-chart", alt="Mean score and mean shift by window")
    st.dataframe(pd.DataFrame(map(_window_row, points)), hide_index=True, height="auto", alt="The same as a table")


def _sweep_form(run: Run) -> None:
    st.caption(
        "A sweep scores the same pairs and variants again, each sentence against the passages closest to it, with "
        f"{WINDOWS[0]} to {WINDOWS[-1]} sentences around each passage. It becomes a run of its own. A metric that does not "
        "retrieve is put inside `retrieve`: the three closest sentences by a packaged encoder, the best passage, the mean "
        "over the sentences of the summary."
    )
    specs = list(run.plan.metrics)
    texts = len(run.sources) + sum(variant.summary is not None for variant in run.variants.values())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Metrics to sweep",
            specs,
            default=_default_metrics(specs),
            key="sweep-metrics",
            persist_state="page",
            accept_new_options=True,
            width=520,
            help="A metric of this run, or another name with its settings: type it and press Enter.",
        )
        st.text_input(
            "Name of the sweep",
            f"{run.plan.name}, windows",
            key=StressState.sweep_name.key,
            persist_state="page",
            width=320,
        )
        # no callback: it would be called with the choice of the run before, when somebody chooses and presses quickly
        pressed = st.button(
            f"Sweep {len(WINDOWS)} windows × {len(chosen)} metric{'' if len(chosen) == 1 else 's'} "
            f"({texts * len(WINDOWS) * len(chosen)} scores)",
            icon=":material/play_arrow:",
            key="sweep-go",
            disabled=not chosen,
        )
    if pressed:
        _begin_sweep(run, chosen)
        st.rerun()
    show_problem(stress_state().sweep_problem)
    stress_state().sweep_problem = ""


def _default_metrics(specs: Sequence[str]) -> list[str]:
    """The metrics that retrieve already, else the one that `retrieve` takes by itself, else the first."""
    with_retrieval = [spec for spec in specs if is_retrieval_metric(METRICS.parse(spec))]
    default = settings_of(METRICS.get("retrieve"))["metric"].default
    return with_retrieval or [spec for spec in specs if spec == default] or list(specs[:1])


def _begin_sweep(run: Run, chosen: Sequence[str]) -> None:
    try:
        open_run(begin_run(window_run(run, map(METRICS.parse, chosen), stress_state().sweep_name)))
        enter_view("stress", "")  # the windows come first there
    except TouchstoneError as error:
        stress_state().sweep_problem = str(error)


def _add_line(figure: go.Figure, column: int, name: str, colour: str, points: Sequence[tuple[float, Estimate]]) -> None:
    known = [(w, estimate) for w, estimate in points if estimate.value is not None]
    figure.add_scatter(
        x=[w for w, _ in known],
        y=[estimate.value for _, estimate in known],
        error_y=error_bars([estimate for _, estimate in known]),
        text=[f"n = {estimate.n}" for _, estimate in known],
        name=name,
        showlegend=bool(name),
        mode="lines+markers",
        marker={"color": colour, "size": 8},
        row=1,
        col=column,
    )


def _count_originals(points: Sequence[WindowEffect]) -> int:
    return sum(point.original.n for point in points)


def _window_row(point: WindowEffect) -> dict[str, object]:
    return {
        "w": point.w,
        "variants": point.intent,
        "original": format_unsigned(point.original),
        "variant": format_unsigned(point.variant),
        "shift": format_signed(point.shift),
        "n": point.shift.n,
    }
