"""The percentile of a score in a reference set: an expander on Probe."""

from __future__ import annotations

import streamlit as st

from core.data import format_dataset
from core.evaluation import column_by_signature, format_percentiles, score_percentiles
from core.results import Cases
from core.types import Result
from pages.ui.evaluate.dataset_choice import known_datasets, read_cases
from pages.ui.shared.markup import escape_markdown


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
        name = st.selectbox("Among the summaries of", known_datasets(), key="reference-set", format_func=format_dataset)
        cases = read_cases((name,))
        if cases is not None:
            st.write(escape_markdown(describe_percentile(cases, result, name)))


def describe_percentile(cases: Cases, result: Result, name: str) -> str:
    """The percentile of a result in words, or how the set gets scores to compare it with."""
    column = column_by_signature(cases, result.signature)
    if column is None:
        return (
            f"No summary of {name} has a score of {result.metric} with these settings and weights. Score it on Evaluate, "
            f"under Data, or: cli.py score-dataset {name!r} --metric {result.metric!r}"
        )
    return f"{result.score:.4g} is {format_percentiles(score_percentiles(cases, column, result.score))} in {name}."
