"""Explanations on the page: how well each model or person finds and explains errors."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.meta.explained import TITLES, Explainer, explained
from core.meta.figures import draws
from core.meta.report import percent
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain


def explanation_table(chosen: Chosen) -> None:
    """A row for everybody whose explanations were graded or came with a verdict, the best explanations first."""
    found = result_of(
        "Counting grades…",
        ("explained", chosen.key),
        lambda: list(explained(chosen.cases, draws(chosen.cases, chosen.resamples))),
    )
    if found is None:
        return
    if not found:
        st.info(
            "No explanation here is graded or comes with a verdict. Import such, as factualNLG's or what `cli.py explain` and "
            "`cli.py judge` write, or have some judged on Probe or in a campaign."
        )
        return
    ordered = sorted(found, key=lambda one: -(one.figures["ES"].value or 0.0))
    frame = pd.DataFrame([_line(one) for one in ordered])
    st.dataframe(frame, hide_index=True, height="auto", alt="Scores of explanations", placeholder="–")
    st.caption(plain("Percent with 95 % intervals. " + " ".join(f"{name}: {title}." for name, title in TITLES.items())))
    for reason in dict.fromkeys(one.figures["JS"].why for one in ordered if one.figures["JS"].why):
        st.caption(plain(f"DA, DS and JS: {reason}"))


def _line(one: Explainer) -> dict[str, object]:
    figures = {name: percent(estimate) for name, estimate in one.figures.items()}
    return {"explained by": one.name or "unnamed", "graded": one.graded, **figures}
