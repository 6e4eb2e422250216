"""The percentile of a score in a reference set: an expander on Probe, a tab on Evaluate."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from core.cases.cases import Cases, MetricColumn
from core.studies.reference_scores import column_by_signature, format_percentiles, score_percentiles, scores_by_label
from core.types import Result
from pages.ui.evaluate.dataset_choice import EvaluationChoice, known_datasets, read_cases
from pages.ui.shared.markup import escape_markdown

_LABEL_COLOURS = {"consistent": "#0b7a75", "inconsistent": "#d64541", "all": "#8a8f98"}


def percentile_expander(result: Result | None) -> None:
    """One click beneath the document: the percentile of the selected metric's score in a set that was scored with it."""
    box = st.expander(
        "Percentile of this score", icon=":material/stacked_line_chart:", key="reference", on_change="rerun"
    )
    if not box.open:
        return
    with box:
        if result is None:
            st.write("Select a metric with a score on the board.")
            return
        name = st.selectbox("Among the summaries of", known_datasets(), key="reference-set")
        found = read_cases((name,))
        if found is not None:
            st.write(escape_markdown(describe_percentile(found, result, name)))


def percentile_tab(chosen: EvaluationChoice) -> None:
    """How a metric's scores are spread, and the percentile of a number among them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [column.name for column in chosen.cases.columns]
        name = st.selectbox("Metric", names, key="reference-metric", width=300)
        score = st.number_input("A score", value=None, key="reference-score", format="%.4f", width=180)
    column = next(column for column in chosen.cases.columns if column.name == name)
    if score is not None:
        st.write(escape_markdown(f"{score:g} is {format_percentiles(score_percentiles(chosen.cases, column, score))}."))
    st.plotly_chart(score_histogram(chosen.cases, column, score), key="reference-spread", alt=f"Scores of {name}")
    st.caption("Ties count half. Probe shows the same under “Percentile of this score”.")


def score_histogram(cases: Cases, column: MetricColumn, score: float | None) -> go.Figure:
    """Histograms of the scores by label, and a line at the score."""
    parts = scores_by_label(cases, column)
    shown = {name: values for name, values in parts.items() if name != "all" and len(values)}
    figure = go.Figure(
        [
            go.Histogram(
                x=values,
                name=f"{name} (n = {len(values)})",
                marker_color=_LABEL_COLOURS[name],
                opacity=0.6,
                nbinsx=40,
                bingroup="scores",
                histnorm="percent",
            )
            for name, values in (shown or {"all": parts["all"]}).items()
        ]
    )
    if score is not None:
        figure.add_vline(score, line_dash="dash", line_color="#444")
    return figure.update_layout(
        barmode="overlay",
        height=360,
        margin={"l": 10, "r": 10, "t": 30, "b": 40},
        xaxis_title=column.name,
        yaxis_title="% of these summaries",
    )


def describe_percentile(cases: Cases, result: Result, name: str) -> str:
    """The percentile of a result in words, or how the set gets scores to compare it with."""
    column = column_by_signature(cases, result.signature)
    if column is None:
        return (
            f"No summary of {name} has a score of {result.metric} with these settings and weights. Score it on Evaluate, "
            f"under Data, or: cli.py score-dataset {name!r} --metric {result.metric!r}"
        )
    return f"{result.score:.4g} is {format_percentiles(score_percentiles(cases, column, result.score))} in {name}."
