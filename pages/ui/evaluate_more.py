"""Beside the tables: correlations with ratings, how much of a metric is surface, and our scores beside released ones."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.meta.beside import beside
from core.meta.correlations import Correlation, correlations, ratings, signed
from core.meta.figures import draws
from core.meta.surface import Surface, missing_features, surface
from pages.ui.evaluate_choice import Chosen
from pages.ui.evaluate_data import follow, score
from pages.ui.evaluate_work import result_of
from pages.ui.plain import plain


def correlation_tables(chosen: Chosen) -> None:
    """One aspect that people rated, against every metric."""
    aspects = list(ratings(chosen.cases))
    if not aspects:
        st.info("Nobody rated these summaries with a number, and no summary has the verdicts of several judges.")
        return
    aspect = st.selectbox("Rated by people", aspects, key="evaluate-aspect", width=420)
    found = result_of(
        "Correlating…",
        ("correlations", chosen.key, aspect),
        lambda: list(correlations(chosen.cases, aspect, draws(chosen.cases))),
    )
    if found:
        frame = pd.DataFrame([{"metric": one.metric, **_told(one)} for one in found])
        st.dataframe(frame, hide_index=True, height="auto", alt=f"Correlations with {aspect}", placeholder="–")
        st.caption(
            "With 95 % intervals of a bootstrap over documents. Kendall is tau-b; within systems the mean of each system is "
            "taken away (FRANK's partial correlation); over systems their means are correlated."
        )


def surface_table(chosen: Chosen) -> None:
    """Spearman's correlation of each metric with each shallow feature."""
    missing = missing_features(chosen.cases)
    if missing:
        st.info(plain(f"Not scored yet: {', '.join(missing)}."), icon=":material/info:")
        with st.container(horizontal=True):
            for name in chosen.datasets:
                label = plain(f"Score {name} with them")
                st.button(
                    label, key=f"surface-{name}", on_click=score, args=(name, missing), icon=":material/play_arrow:"
                )
        for name in chosen.datasets:
            follow(name)
    found = result_of(
        "Comparing with the surface…",
        ("surface", chosen.key),
        lambda: list(surface(chosen.cases, draws(chosen.cases))),
    )
    if found:
        st.dataframe(_surface_frame(found), height="auto", alt="Spearman with shallow features", placeholder="–")
        st.caption(
            "Spearman's correlation with 95 % intervals: near ±1 the metric says hardly more than the surface does."
        )


def beside_table(chosen: Chosen) -> None:
    """Ours beside what the authors released, where both bear the same name."""
    found = beside(chosen.cases)
    if not found:
        return
    st.subheader("Ours beside the released scores")
    columns = {
        "scale": "our unit ×",
        "mean": "mean |difference|",
        "largest": "largest",
        "correlation": "Pearson",
        "same_way": "pairs moved the same way",
    }
    frame = pd.DataFrame(found).rename(columns=columns)
    st.dataframe(frame, hide_index=True, height="auto", alt="Our scores beside the released ones", placeholder="–")


def _told(one: Correlation) -> dict[str, str]:
    estimates = one.estimates
    n = next(iter(estimates.values())).n
    return {"n": str(n), **{name: signed(estimate) for name, estimate in estimates.items()}}


def _surface_frame(found: Sequence[Surface]) -> pd.DataFrame:
    features = list(dict.fromkeys(one.feature for one in found))
    told = {(one.metric, one.feature): signed(one.estimate) for one in found}
    metrics = list(dict.fromkeys(one.metric for one in found))
    return pd.DataFrame(
        [[told.get((metric, feature), "itself") for feature in features] for metric in metrics], metrics, features
    )
