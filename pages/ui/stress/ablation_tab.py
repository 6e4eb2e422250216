"""Scores with and without the document on the page: what to score, the histograms of one metric, and the table of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from cachetools import LRUCache

from core.background import BackgroundTask
from core.errors import UnscorableError
from core.runs.run import Run
from core.studies.document_ablation import (
    AblatedScore,
    ScoreHistogram,
    closed_book_scores,
    foreign_examples,
    histogram_cells,
    score_foreign,
    score_histogram,
)
from core.types import Example
from pages.server import services
from pages.ui.shared.background_results import progress_bar
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.plots import INTENT_COLOURS
from pages.ui.stress.matrix_and_plots import metric_title

_FOREIGN, _CLOSED_BOOK = "Beside a foreign document", "Closed-book control"
_LOOK_S = 1.0
_MAX_KEPT = 16  # works of this process, so that a reload finds them


def ablation_tab(id: str, run: Run) -> None:
    """Score the summaries of a run beside documents of others in the background, then show how their scores differ."""
    st.caption(
        "How does a metric score the same summaries without their document? Where the histograms overlap, the score does "
        "not come from the document."
    )
    control = closed_book_scores(run)
    found = control if control and _closed_book_chosen() else _foreign_scores(id, run)
    if found:
        _histograms(run, found)


def _closed_book_chosen() -> bool:
    ways = [_FOREIGN, _CLOSED_BOOK]
    chosen = st.segmented_control(
        "Without", ways, default=_FOREIGN, key="ablation-way", persist_state="page", required=True
    )
    return chosen == _CLOSED_BOOK


def histogram_chart(one: ScoreHistogram) -> go.Figure:
    """Both histograms over each other, with the mean of each as a line."""
    figure = go.Figure()
    centres = [(low + high) / 2 for low, high in zip(one.edges, one.edges[1:], strict=False)]
    sides = (
        ("with the document", INTENT_COLOURS["preserving"], one.own, one.own_mean),
        ("without", INTENT_COLOURS["breaking"], one.other, one.other_mean),
    )
    for title, colour, counts, mean in sides:
        figure.add_bar(x=centres, y=counts, name=title, marker_color=colour, opacity=0.6)
        figure.add_vline(mean.value, line_color=colour, line_dash="dot", line_width=1.5)
    return figure.update_layout(
        title=f"{metric_title(one.metric)}: scores of the same summaries (dotted: means)",
        title_font_size=14,
        barmode="overlay",
        bargap=0.02,
        height=380,
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="score",
        yaxis_title="summaries",
    )


def _foreign_scores(id: str, run: Run) -> list[AblatedScore]:
    try:
        examples = foreign_examples(run)
    except UnscorableError as error:
        st.info(escape_markdown(str(error)))
        return []
    key = (id, frozenset(run.sources))
    work = _ablation_works().get(key)
    with st.container():  # there at the end too, when nothing is offered: what lies below keeps its place
        if work and work.progress.running:
            _follow_scoring(work)
        else:
            _scoring_button(key, run, examples, work)
    return work.results if work else []


def _scoring_button(
    key: tuple[str, frozenset[str]], run: Run, examples: Sequence[Example], work: BackgroundTask[AblatedScore] | None
) -> None:
    total = len(examples) * len(run.plan.metrics)
    now = work.progress if work else None
    if now and now.error:
        st.error(escape_markdown(now.error), icon=":material/error:")
    if now and now.done == total:
        return
    st.button(
        f"Score {len(examples)} summaries × {len(run.plan.metrics)} metrics beside foreign documents",
        icon=":material/play_arrow:",
        key="ablation-go",
        on_click=_start_scoring,
        args=(key, run, examples),
    )


def _start_scoring(key: tuple[str, frozenset[str]], run: Run, examples: Sequence[Example]) -> None:
    work = partial(score_foreign, services.engine(), run, examples)
    _ablation_works()[key] = BackgroundTask(work, len(examples) * len(run.plan.metrics))


@st.cache_resource(show_spinner=False)
def _ablation_works() -> LRUCache[tuple[str, frozenset[str]], BackgroundTask[AblatedScore]]:
    """What this process has scored."""
    return LRUCache(_MAX_KEPT)


@st.fragment(run_every=_LOOK_S)
def _follow_scoring(work: BackgroundTask[AblatedScore]) -> None:
    if not work.progress.running:
        st.rerun()
    progress_bar(work.progress, work.cancel)


def _histograms(run: Run, found: Sequence[AblatedScore]) -> None:
    by_metric = {spec: [one for one in found if one.metric == spec] for spec in run.plan.metrics}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scored = [spec for spec, of_metric in by_metric.items() if of_metric]
        metric = st.selectbox("Metric", scored, format_func=metric_title, key="ablation-metric", width=420)
        bins = st.number_input("Bins", 2, 100, 20, key="ablation-bins", width=140)
    made = {spec: one for spec in scored if (one := score_histogram(by_metric[spec], bins, run.plan.seed))}
    if metric in made:
        st.plotly_chart(histogram_chart(made[metric]), key="ablation-chart", alt="Scores with and without the document")
    for reason, count in Counter(one.error for one in by_metric.get(metric, ()) if one.error).items():
        st.caption(escape_markdown(f"{count} of {len(by_metric[metric])} summaries: {reason}"))
    if made:
        rows = [histogram_cells(one) | {"metric": metric_title(one.metric)} for one in made.values()]
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="Loss of every metric", placeholder="–")
        st.caption(
            "Loss: mean score with the document minus without, towards consistency, with the 95 % interval by document."
        )
        json_download("document-ablation.json", lambda: [asdict(one) for one in made.values()])
