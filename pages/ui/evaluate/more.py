"""Beside the tables: correlations with ratings, and our scores beside released ones."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.meta.beside import beside
from core.meta.correlations import Correlation, correlations, ratings, signed
from core.meta.figures import draws
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.tables import BEST, LEVEL
from pages.ui.evaluate.work import result_of


def correlation_tables(chosen: Chosen) -> None:
    """One aspect that people rated, against every metric."""
    aspects = list(ratings(chosen.cases))
    if not aspects:
        st.info("Nobody rated these summaries with a number, and no summary has the verdicts of several judges.")
        return
    aspect = st.selectbox("Rated by people", aspects, key="evaluate-aspect", persist_state="session", width=420)
    found = result_of(
        "Correlating…",
        ("correlations", chosen.key, aspect),
        lambda: list(correlations(chosen.cases, aspect, draws(chosen.cases, chosen.resamples))),
    )
    if found:
        frame = pd.DataFrame([_told(one) for one in found], [one.metric for one in found])
        marks = pd.DataFrame([_marks(one, frame.columns) for one in found], frame.index, frame.columns)
        styled = frame.style.apply(lambda _: marks, axis=None)
        st.dataframe(styled, height="auto", alt=f"Correlations with {aspect}", placeholder="–")
        st.caption(
            "With 95 % intervals of a bootstrap over documents. Dark: the best; light: not significantly worse by "
            "Williams's test (Holm, p ≥ .05), which is made of Pearson's correlations. Kendall is tau-b; within systems the "
            "mean of each system is taken away (FRANK's partial correlation); over systems their means are correlated."
        )


def aspect_of(chosen: Chosen) -> str:
    """The aspect that was looked at last, or the first that was rated; empty where nobody rated."""
    aspects = list(ratings(chosen.cases))
    last = st.session_state.get("evaluate-aspect")
    return last if last in aspects else next(iter(aspects), "")


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


def _marks(one: Correlation, names: Sequence[str]) -> list[str]:
    return [BEST if one.best(name) else LEVEL if one.level(name) else "" for name in names]


def _told(one: Correlation) -> dict[str, str]:
    estimates = one.estimates
    n = next(iter(estimates.values())).n
    return {"n": str(n), **{name: signed(estimate) for name, estimate in estimates.items()}}
