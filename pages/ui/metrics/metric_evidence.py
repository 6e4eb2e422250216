"""Evidence about a metric before it is used: its scores of labelled examples, its noise, and what it was blind to in stress runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.assessment import bundled_audit, level_strip
from core.data import bundled_items
from core.edits import PERTURBATIONS
from core.results import (
    MatrixCell,
    NullBand,
    Shift,
    StressRun,
    any_size_band,
    intent_of,
    metric_verdicts,
    precomputed_scores,
    score_shifts,
    shift_matrix,
)
from core.scoring import METRICS
from core.stats import MIN_FOR_QUANTILES, Move
from core.types import Verdict
from pages.server.component_scripts import read_asset
from pages.ui.results.plots import lay_out
from pages.ui.results.run_choice import format_run, load_run, shown_runs
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.terms import term_caption

_MOST_RUNS = 3  # of those that a person made, the newest
_RESAMPLES = 1  # the intervals are not shown
_HEIGHT_PX = 220
_COLOURS = {Verdict.CONSISTENT: "#4d7be8", Verdict.INCONSISTENT: "#d9730d"}
_PATTERNS = {Verdict.CONSISTENT: "", Verdict.INCONSISTENT: "/"}


def metric_evidence(name: str) -> None:
    """The audit that comes with it, and these three, each with what it rests on or how to get it."""
    if audit := bundled_audit(name):
        st.markdown("**Audit on the bundled examples**")
        st.html(f"<style>{read_asset('audit.css')}</style>{level_strip(audit.common, 'audit-strip')}")
        st.caption(escape_markdown(audit.summary))
    st.page_link("views/audit.py", label="Audit it on other data", icon=":material/fact_check:")
    st.markdown("**Scores of the bundled examples**")

    scores = labelled_scores(name)
    if not scores:
        st.caption("No scores come with it. Once it is ready, the bundled examples can be scored.")
        st.page_link("views/evaluate.py", label="Score them on Evaluate", icon=":material/leaderboard:")
    else:
        medians = [f"{verdict.value} {np.median(values):.3f} (n = {len(values)})" for verdict, values in scores.items()]
        st.plotly_chart(
            distribution_figure(scores),
            key=f"distribution-{name}",
            config={"displayModeBar": False},
            alt="; ".join(medians),
        )
        st.caption(f"Medians: {', '.join(medians)}.")

    *own, bundled = shown_runs().values()
    runs = [(row, load_run(row)) for row in (*own[:_MOST_RUNS], bundled)]
    rows = [(row, run) for row, run in runs if _specs_of(run, name)]
    st.markdown("**Typical noise and blind spots**")
    if not rows:
        term_caption("No stress test has this metric yet: a run shows its noise band and what it does not notice.")
        st.page_link("views/stress.py", label="Run a stress test", icon=":material/bolt:")
    if sentence := batteries_sentence(run for _, run in rows):
        st.caption(escape_markdown(sentence))
    for row, run in rows:
        for spec in _specs_of(run, name):
            noise, cells = _cached_findings(row.id, row.lines, spec, run)
            st.markdown(
                f"{escape_markdown(format_run(row))}, `{spec}`, battery {escape_markdown(run.plan.battery_label)}: "
                f"{escape_markdown(format_noise(noise))}"
            )
            for verdict in metric_verdicts(cells).values():
                st.markdown(f"It {escape_markdown(verdict)}.")
            blind = blind_spots(cells)
            if blind:
                st.caption(f"Not noticed: {escape_markdown(', '.join(blind))}.")


def labelled_scores(name: str) -> dict[Verdict, list[float]]:
    """The precomputed scores of the metric with its default settings, by what each bundled example was made to be."""
    scores = next(
        (precomputed.scores for precomputed in precomputed_scores() if precomputed.metric.partition("[")[0] == name), {}
    )
    by_verdict: dict[Verdict, list[float]] = {}
    for item in bundled_items():
        if item.intended and item.example.id in scores:
            by_verdict.setdefault(item.intended, []).append(scores[item.example.id])
    return by_verdict


def distribution_figure(scores: Mapping[Verdict, Sequence[float]]) -> go.Figure:
    """A histogram for each verdict over the other, as shares."""
    figure = go.Figure()
    for verdict, values in scores.items():
        figure.add_histogram(
            x=list(values),
            name=verdict.value,
            histnorm="percent",
            nbinsx=24,
            opacity=0.65,
            marker={"color": _COLOURS[verdict], "pattern": {"shape": _PATTERNS[verdict]}},
        )
    return lay_out(
        figure,
        None,
        _HEIGHT_PX,
        barmode="overlay",
        margin={"t": 10, "b": 10},
        yaxis_title="% of its side",
        legend={"orientation": "h", "y": 1.15},
    )


def batteries_sentence(runs: Iterable[StressRun]) -> str:
    """Sentence for the page where the noise of several runs stands side by side; empty where all are of one battery."""
    batteries = dict.fromkeys(run.plan.battery_label for run in runs)
    if len(batteries) < 2:
        return ""
    return f"These runs are of different batteries, {' and '.join(batteries)}: their noise is not of the same edits."


def _specs_of(run: StressRun, name: str) -> list[str]:
    return [spec for spec in run.plan.metrics if METRICS.parse(spec).name == name]


def format_noise(noise: NullBand) -> str:
    """The band of harmless edits in words."""
    if noise.low is None or noise.high is None or noise.size is None:
        return f"noise unknown, {noise.n} harmless edits were scored."
    share = "95 % of" if noise.n >= MIN_FOR_QUANTILES else "all"
    return f"{share} {noise.n} harmless edits move it by {noise.low:+.3f} to {noise.high:+.3f}, {noise.size:.3f} on average.".replace(
        "-", "−"
    )


def blind_spots(cells: Sequence[MatrixCell]) -> list[str]:
    """The titles of the breaking kinds that leave the metric within its noise or move it the wrong way."""
    return [
        PERTURBATIONS.parse(cell.kind).card.title
        for cell in cells
        if cell.intent == "breaking" and cell.move in (Move.STILL, Move.WRONG)
    ]


@st.cache_resource(max_entries=64, show_spinner="Reading the run…")
def _cached_findings(id: str, lines: int, spec: str, _run: StressRun) -> tuple[NullBand, list[MatrixCell]]:  # noqa: ARG001  # id and lines are the key
    shifts: list[Shift] = [shift for shift in score_shifts(_run) if shift.metric == spec]
    harmless = [shift for shift in shifts if intent_of(shift.kind) == "preserving"]
    return any_size_band(harmless), shift_matrix(_run, shifts, _RESAMPLES)
