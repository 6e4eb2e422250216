"""The tables besides the main one: correlations with ratings, surface features, released scores, explanations."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.cases.measures import MetricRow, draw_resamples
from core.models.words.shallow import FEATURES
from core.stats.text_tables import format_correlation, format_percent
from core.studies.surface import (
    SURFACE_MODEL,
    FeatureCorrelation,
    PredictedShare,
    feature_correlations,
    missing_features,
    predicted_shares,
    surface_against_metrics,
)
from core.types import PRECOMPUTED
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.background_results import background_result, background_results
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.report_view import MARK_STYLES


def surface_tables(chosen: EvaluationChoice) -> None:
    """Each feature, then all of them together; features that are not scored can be."""
    missing = missing_features(chosen.cases)
    if missing:
        _offer_scoring(chosen, missing)
    _feature_correlations(chosen)
    if not missing:
        _learned_surface(chosen)


def _offer_scoring(chosen: EvaluationChoice, missing: list[str]) -> None:
    st.info(escape_markdown(f"Not scored or not chosen: {', '.join(missing)}."), icon=":material/info:")
    imported = [name for name in chosen.datasets if name != PRECOMPUTED]  # which has no place for more scores
    with st.container(horizontal=True):
        for name in imported:
            label = escape_markdown(f"Score {name} with them")
            st.button(
                label, key=f"surface-{name}", on_click=start_scoring, args=(name, missing), icon=":material/play_arrow:"
            )
    for name in imported:
        show_scoring(name)


def _feature_correlations(chosen: EvaluationChoice) -> None:
    found = background_results(
        "Comparing with the surface…",
        ("surface", chosen.key),
        lambda: feature_correlations(chosen.cases, draw_resamples(chosen.cases, chosen.resamples)),
        len(FEATURES) * len(chosen.cases.columns),
    )
    if found:
        st.subheader("One feature at a time")
        st.dataframe(_surface_frame(found), height="auto", alt="Spearman with shallow features", placeholder="–")
        st.caption("Spearman's correlation with 95 % intervals: near ±1 the metric adds little to the surface.")


def _learned_surface(chosen: EvaluationChoice) -> None:
    cases, resamples = chosen.cases, chosen.resamples
    explained = background_results(
        "Learning the metrics from the surface…",
        ("learned", chosen.key),
        lambda: predicted_shares(cases, draw_resamples(cases, resamples)),
        len(cases.columns),
    )
    rival_rows = background_result(
        "Learning the labels from the surface…",
        ("rivals", chosen.key),
        lambda: surface_against_metrics(cases, draw_resamples(cases, resamples)),
    )
    if explained is None or rival_rows is None:
        return
    st.subheader("What all six explain of a metric")
    st.dataframe(
        _share_frame(explained), hide_index=True, height="auto", alt="What the surface explains", placeholder="–"
    )
    st.caption("A small perceptron predicts the metric from the six features on documents that it never saw.")
    st.subheader("The surface against the metrics")
    st.dataframe(_rival_table(rival_rows), height="auto", alt="AUC of the surface and of the metrics", placeholder="–")
    held_out = "of the other datasets" if len(chosen.datasets) > 1 else "of other documents"
    st.caption(
        f"ROC AUC in percent. The same perceptron learned the labels {held_out}. Dark: the best of the row; light: not "
        "significantly worse (Holm, p ≥ .05)."
    )


def _surface_frame(found: Sequence[FeatureCorrelation]) -> pd.DataFrame:
    features = list(dict.fromkeys(one.feature for one in found))
    formatted = {(one.metric, one.feature): format_correlation(one.estimate) for one in found}
    metrics = list(dict.fromkeys(one.metric for one in found))
    return pd.DataFrame(
        [[formatted.get((metric, feature), "itself") for feature in features] for metric in metrics], metrics, features
    )


def _share_frame(found: Sequence[PredictedShare]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "metric": [one.metric for one in found],
            "n": [one.order.n for one in found],
            "Spearman of prediction and score": [format_correlation(one.order) for one in found],
            "share of variance, %": [format_percent(one.variance) for one in found],
        }
    )


def _rival_table(rows: Sequence[MetricRow]) -> pd.io.formats.style.Styler:
    figures = {(row.slice, row.metric): row.figures["auc"] for row in rows}
    parts, metrics = (list(dict.fromkeys(names)) for names in zip(*figures, strict=True))
    metrics.sort(key=lambda name: name != SURFACE_MODEL)
    frame = pd.DataFrame(
        [[format_percent(figures[part, name].estimate) for name in metrics] for part in parts], parts, metrics
    )
    marks = [[MARK_STYLES[figures[part, name].mark] for name in metrics] for part in parts]
    return frame.style.apply(lambda _: pd.DataFrame(marks, frame.index, frame.columns), axis=None)
