"""Learning curve of a training on the page, on request: what parts of the labelled documents give, with intervals."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from core.evaluation import CurvePoint, TrainingData, TrainingPlan, learning_curve
from core.stats import format_percent
from pages.server import services
from pages.ui.results.plots import error_bars, lay_out
from pages.ui.shared.background_results import background_result

_FIGURES = {"ROC AUC": "area", "balanced accuracy at one half": "accuracy"}


def learning_curve_of(plan: TrainingPlan, data: TrainingData, folder: Path, key: Hashable) -> None:
    """A toggle, and where it is on the figures by labelled documents; `folder` keeps what is read for the training."""
    import pandas as pd

    enabled = st.toggle(
        "Learning curve",
        key="train-curve",
        disabled=plan.recipe == "cross-encoder" or services.settings().demo,
        help="What a quarter, half and all of these labels give on documents that were not learned from. Features are read once, some "
        "minutes for the recipe words, and kept for the training; trees alone, or the surface, are fitted again. Not of a cross-encoder.",
    )
    if not enabled or plan.recipe == "cross-encoder":
        return

    engine = services.engine()

    def all_points() -> list[CurvePoint]:
        curve = learning_curve(plan, data, folder, engine)
        while True:
            try:
                next(curve)
            except StopIteration as end:
                points: list[CurvePoint] = end.value
                return points

    points = background_result("Reading and fitting parts…", ("curve", key), all_points)
    if not points:
        return
    rows = [
        {
            "labelled documents": point.documents,
            "labels": point.summaries,
            **{name: format_percent(getattr(point, field)) for name, field in _FIGURES.items()},
            "AUC gained": "" if point.gain is None else format_percent(point.gain),
        }
        for point in points
    ]
    figure = go.Figure()
    for name, field in _FIGURES.items():
        estimates = [getattr(point, field) for point in points]
        figure.add_scatter(
            x=[point.documents for point in points],
            y=[estimate.value for estimate in estimates],
            error_y=error_bars(estimates),
            mode="lines+markers",
            name=name,
        )
    lay_out(figure, None, 280, xaxis_title="labelled documents", yaxis_tickformat=".0%")
    st.plotly_chart(figure, width="stretch", key="train-curve-chart")
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", alt="What parts of the labels give")
