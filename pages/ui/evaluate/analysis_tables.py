"""The tables besides the main one: correlations with ratings, surface features, released scores, explanations."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.cases.measures import MetricRow, draw_resamples
from core.stats.text_tables import format_correlation
from core.studies.rating_correlation import COEFFICIENTS, PAPER_COEFFICIENTS, mean_ratings, metric_correlations
from core.studies.reference_scores import compare_with_released
from core.studies.surface import (
    missing_features,
)
from core.studies.tables import format_few_documents, tables_record
from core.types import PRECOMPUTED
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluateState, EvaluationChoice, evaluate_state
from pages.ui.shared.background_results import background_result
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.report_view import MARK_STYLES


def correlation_tables(chosen: EvaluationChoice) -> None:
    """One aspect that people rated, against every metric, on one slice."""
    aspects = list(mean_ratings(chosen.cases))
    if not aspects:
        st.info("No summary here has a numeric rating or the verdicts of several judges.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        aspect = st.selectbox(
            "Rated by people", aspects, key=EvaluateState.aspect.key, persist_state="session", width=420
        )
        name = st.selectbox("Slice", [part.name for part in chosen.parts], key="evaluate-correlation-slice", width=260)
        full = st.toggle("All coefficients", key="evaluate-correlation-full")
    cases, part = chosen.cases, next(part for part in chosen.parts if part.name == name)
    names = tuple(COEFFICIENTS) if full else PAPER_COEFFICIENTS
    found = background_result(
        "Correlating…",
        ("correlations", chosen.key, aspect, name, full),
        lambda: list(metric_correlations(cases, aspect, draw_resamples(cases, chosen.resamples), [part], names)),
    )
    if found is None:
        return
    if not found:
        st.info("Nobody rated this aspect of a summary in this slice.")
        return
    _correlation_table(found, aspect)
    json_download("correlations.json", lambda: tables_record(chosen.cases, found, **chosen.head, rated=aspect))


def _correlation_table(found: Sequence[MetricRow], aspect: str) -> None:
    frame = pd.DataFrame([_correlation_row(row) for row in found], [row.metric for row in found])
    marks = pd.DataFrame([_cell_styles(row, frame.columns) for row in found], frame.index, frame.columns)
    styled = frame.style.apply(lambda _: marks, axis=None)
    st.dataframe(styled, height="auto", alt=f"Correlations with {aspect}", placeholder="–")
    few = format_few_documents(figure for row in found for figure in row.figures.values())
    st.caption(
        f"With 95 % intervals of a bootstrap over documents{f', {few}: too narrow' if few else ''}. Dark: the best; light: "
        "not significantly worse by Williams's test (Holm over the metrics, p ≥ .05) of Pearson's correlations; italic: not "
        "tested. Kendall is tau-b; within systems the mean of each system is subtracted (FRANK's partial correlation); over "
        "systems their means are correlated."
    )


def chosen_aspect(chosen: EvaluationChoice) -> str:
    """The aspect that was looked at last, or the first that was rated; empty where there is no rating."""
    aspects = list(mean_ratings(chosen.cases))
    last = evaluate_state().aspect
    return last if last in aspects else next(iter(aspects), "")


def released_scores_table(chosen: EvaluationChoice) -> None:
    """Our scores and those that the authors released, where both have the same name."""
    found = compare_with_released(chosen.cases)
    if not found:
        return
    st.subheader("Our scores and the released ones")
    columns = {
        "scale": "our unit ×",
        "mean": "mean |difference|",
        "largest": "largest",
        "correlation": "Pearson",
        "same_way": "pairs moved the same way",
    }
    frame = pd.DataFrame(found).rename(columns=columns)
    st.dataframe(frame, hide_index=True, height="auto", alt="Our scores and the released ones", placeholder="–")


def _cell_styles(row: MetricRow, names: Sequence[str]) -> list[str]:
    return [MARK_STYLES[row.figures[name].mark] if name in row.figures else "" for name in names]


def _correlation_row(row: MetricRow) -> dict[str, str]:
    figures = {name: format_correlation(figure.estimate) for name, figure in row.figures.items()}
    return {"n": str(row.n), **figures, "no score": str(row.failed or "")}


def offer_features(chosen: EvaluationChoice) -> None:
    """Offer to score the imported datasets with the shallow features that are missing, and show how far that is."""
    missing = missing_features(chosen.cases)
    if not missing:
        return
    imported = [name for name in chosen.datasets if name != PRECOMPUTED]  # which has no place for more scores
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(f"Not scored or not chosen: {', '.join(missing)}."))
        for name in imported:
            label = escape_markdown(f"Score {name} with them")
            st.button(
                label, key=f"surface-{name}", on_click=start_scoring, args=(name, missing), icon=":material/play_arrow:"
            )
    for name in imported:
        show_scoring(name)
