"""What gaming phrases are worth in generations of summarizers, below the gaming table: the dataset, the order, and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.cases.cases import Cases
from core.errors import UnscorableError
from core.perturbation import PERTURBATIONS
from core.perturbations.fillers import Filler
from core.runs.run import Run
from core.runs.shifts import Shift
from core.stats.text_tables import format_unsigned
from core.studies.rating_correlation import mean_ratings
from core.studies.system_strength import (
    JudgedSystem,
    PhraseStrength,
    judged_systems,
    phrase_strengths,
    strength_cells,
    systems_of_summaries,
)
from pages.ui.evaluate.dataset_choice import known_datasets, read_cases
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.plots import INTENT_COLOURS, error_bars
from pages.ui.stress.gaming_tab import phrase_title
from pages.ui.stress.matrix_and_plots import metric_title

_BY_LABELS = "labels"
_BAR_PX = 30
_FRAME_PX = 120


def system_strength(run: Run, found: Sequence[Shift]) -> None:
    """Choose the dataset that names the systems of the run's summaries, and show what each phrase is worth."""
    st.subheader("How many generations of systems is a phrase worth?")
    st.caption(
        "A generation is the mean step of a metric's mean score from one system to the next, in the order of their human "
        "consistency. Choose the dataset of these summaries."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Dataset with systems", known_datasets(), index=None, key="strength-dataset", placeholder="None", width=420
        )
        cases = read_cases((name,)) if name else None
        if cases is None:
            return
        aspects = [_BY_LABELS, *mean_ratings(cases)]
        by = st.selectbox("Human consistency by", aspects, key=f"strength-by-{name}", width=300)
    try:
        systems = judged_systems(cases, "" if by == _BY_LABELS else by)
        strengths = list(phrase_strengths(run, found, systems, systems_of_summaries(cases)))
    except UnscorableError as error:
        st.info(escape_markdown(str(error)))
        return
    st.plotly_chart(strength_chart(strengths), key="strength-chart", alt="Generations that each phrase is worth")
    _tables(systems, strengths, cases)
    json_download(
        "system-strength.json",
        lambda: {"systems": [asdict(one) for one in systems], "phrases": [asdict(one) for one in strengths]},
    )


def strength_chart(found: Sequence[PhraseStrength]) -> go.Figure:
    """A bar for each metric and phrase with its 95 % interval; the line is one generation."""
    shown = [one for one in reversed(found) if one.generations.value is not None]
    figure = go.Figure()
    figure.add_bar(
        x=[one.generations.value for one in shown],
        y=[f"{metric_title(one.metric)}, {_title(one.phrase)}" for one in shown],
        error_x={**error_bars([one.generations for one in shown]), "color": "gray"},
        orientation="h",
        marker_color=INTENT_COLOURS["gaming"],
    )
    figure.add_vline(0, line_width=1, line_color="gray")
    figure.add_vline(1, line_width=1, line_dash="dot", line_color="gray")
    return figure.update_layout(
        title="Gain by an appended phrase in generations of systems (dotted: one)",
        title_font_size=14,
        height=_FRAME_PX + _BAR_PX * len(shown),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="generations",
    )


def _tables(systems: Sequence[JudgedSystem], found: Sequence[PhraseStrength], cases: Cases) -> None:
    rows = [strength_cells(one) | {"metric": metric_title(one.metric), "phrase": _title(one.phrase)} for one in found]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="What each phrase is worth", placeholder="–")
    means = {metric_title(one.metric): one.means for one in found}
    order = [
        {"system": system.name, "human consistency": f"{system.human:.3f}", "judged": system.n}
        | {metric: format_unsigned(of_metric[place]) for metric, of_metric in means.items()}
        for place, system in enumerate(systems)
    ]
    st.dataframe(pd.DataFrame(order), hide_index=True, height="auto", alt="The systems in their order", placeholder="–")
    st.caption(
        f"{len(cases.samples)} summaries of the dataset; the mean scores are of those in this run, least consistent system first."
    )


def _title(spec: str) -> str:
    phrase = PERTURBATIONS.parse(spec)
    return phrase_title(phrase) if isinstance(phrase, Filler) else spec
