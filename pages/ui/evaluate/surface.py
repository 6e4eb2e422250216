"""How much of a metric is surface: its correlation with each feature, and what a model of all six can do."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.meta.correlations import signed
from core.meta.figures import Row, draws
from core.meta.learned import MODEL, Share, against_metrics, shares
from core.meta.report import percent
from core.meta.surface import Surface, missing_features, surface
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.data import follow, score
from pages.ui.evaluate.tables import BEST, LEVEL
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain


def surface_tables(chosen: Chosen) -> None:
    """Each feature, then all of them together; features that are not scored can be."""
    missing = missing_features(chosen.cases)
    if missing:
        _ask_for(chosen, missing)
    _one_by_one(chosen)
    if not missing:
        _together(chosen)


def _ask_for(chosen: Chosen, missing: list[str]) -> None:
    st.info(plain(f"Not scored or not chosen: {', '.join(missing)}."), icon=":material/info:")
    with st.container(horizontal=True):
        for name in chosen.datasets:
            label = plain(f"Score {name} with them")
            st.button(label, key=f"surface-{name}", on_click=score, args=(name, missing), icon=":material/play_arrow:")
    for name in chosen.datasets:
        follow(name)


def _one_by_one(chosen: Chosen) -> None:
    found = result_of(
        "Comparing with the surface…",
        ("surface", chosen.key),
        lambda: list(surface(chosen.cases, draws(chosen.cases, chosen.resamples))),
    )
    if found:
        st.subheader("One feature at a time")
        st.dataframe(_frame(found), height="auto", alt="Spearman with shallow features", placeholder="–")
        st.caption(
            "Spearman's correlation with 95 % intervals: near ±1 the metric says hardly more than the surface does."
        )


def _together(chosen: Chosen) -> None:
    cases, resamples = chosen.cases, chosen.resamples
    found = result_of(
        "Learning from the surface…",
        ("learned", chosen.key),
        lambda: (list(shares(cases, draws(cases, resamples))), against_metrics(cases, draws(cases, resamples))),
    )
    if found is None:
        return
    explained, rivals = found
    st.subheader("What all six explain of a metric")
    st.dataframe(_shares(explained), hide_index=True, height="auto", alt="What the surface explains", placeholder="–")
    st.caption("A small perceptron predicts the metric from the six features on documents that it never saw.")
    st.subheader("The surface against the metrics")
    st.dataframe(_rivals(rivals), height="auto", alt="AUC of the surface and of the metrics", placeholder="–")
    apart = "of the other datasets" if len(chosen.datasets) > 1 else "of other documents"
    st.caption(
        f"ROC AUC in percent. The same perceptron learned the labels {apart}. Dark: the best of the row; light: not "
        "significantly worse (Holm, p ≥ .05)."
    )


def _frame(found: Sequence[Surface]) -> pd.DataFrame:
    features = list(dict.fromkeys(one.feature for one in found))
    told = {(one.metric, one.feature): signed(one.estimate) for one in found}
    metrics = list(dict.fromkeys(one.metric for one in found))
    return pd.DataFrame(
        [[told.get((metric, feature), "itself") for feature in features] for metric in metrics], metrics, features
    )


def _shares(found: Sequence[Share]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "metric": [one.metric for one in found],
            "n": [one.order.n for one in found],
            "Spearman of prediction and score": [signed(one.order) for one in found],
            "share of variance, %": [percent(one.variance) for one in found],
        }
    )


def _rivals(rows: Sequence[Row]) -> pd.io.formats.style.Styler:
    figures = {(row.slice, row.metric): row.figures["auc"] for row in rows}
    parts, metrics = (list(dict.fromkeys(names)) for names in zip(*figures, strict=True))
    metrics.sort(key=lambda name: name != MODEL)
    frame = pd.DataFrame(
        [[percent(figures[part, name].estimate) for name in metrics] for part in parts], parts, metrics
    )
    marks = [
        [BEST if figures[part, name].best else LEVEL if figures[part, name].level else "" for name in metrics]
        for part in parts
    ]
    return frame.style.apply(lambda _: pd.DataFrame(marks, frame.index, frame.columns), axis=None)
