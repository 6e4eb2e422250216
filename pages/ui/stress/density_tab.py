"""Score against information density on the page: what to score, how to bin it, and the plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from cachetools import LRUCache

from core.background import BackgroundTask
from core.metric import METRICS
from core.perturbation import Intent
from core.runs.run import Run, VariantKey
from core.stats.text_tables import format_unsigned
from core.studies.density import (
    DensityBin,
    GroupedSummary,
    SentenceScores,
    density_bins,
    equal_width_edges,
    original_summaries,
    quantile_edges,
    score_sentences,
    variant_summaries,
)
from pages.server import services
from pages.ui.shared.background_results import progress_bar
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.plots import error_bars
from pages.ui.stress.matrix_and_plots import metric_title

_ORIGINALS = "Originals"
_TEXT_INTENTS: dict[str, Intent] = {"Meaning kept": "preserving", "Meaning broken": "breaking", "Gaming": "gaming"}
_BIN_CUTS: dict[str, Callable[[Sequence[float], int], list[float]]] = {
    "As many sentences in each": quantile_edges,
    "The same width": equal_width_edges,
}
_LOOK_S = 1.0

DensityKey = tuple[str, str, frozenset[str]]
"""(run, choice of texts, their ids)"""
_MAX_KEPT = 16  # works of this process, so that a reload finds them


def density_tab(id: str, run: Run, among: frozenset[VariantKey] | None) -> None:
    """Score the sentences of a run's texts in the background, then show them by density; `among` are the variants that count."""
    st.caption(
        "The information density of a sentence is the mean cosine of its embedding with those of all sentences of the "
        "document: how much of the document speaks of what it says. Does a metric depend on it?"
    )
    chosen = st.segmented_control(
        "Texts",
        [_ORIGINALS, *_TEXT_INTENTS],
        default=_ORIGINALS,
        key="density-texts",
        persist_state="page",
        required=True,
    )
    texts = original_summaries(run) if chosen == _ORIGINALS else variant_summaries(run, _TEXT_INTENTS[chosen], among)
    key = (id, chosen, frozenset(text.example.id for text in texts))
    work = _density_works().get(key)
    with st.container():  # there at the end too, when nothing is offered: what lies below keeps its place
        if work and work.progress.running:
            _follow_scoring(work)
        else:
            _scoring_button(key, run, texts, work)
    if work:
        _density_plots(run, work.results)


def density_chart(metric: str, made: Sequence[DensityBin], found: Sequence[SentenceScores]) -> go.Figure:
    """The mean of each bin with its 95 % interval by document and its number of sentences, over all sentences as dots."""
    filled = [one for one in made if one.score.value is not None]
    figure = go.Figure()
    figure.add_scatter(
        x=[density for text in found for density in text.densities],
        y=[score for text in found for score in text.scores],
        mode="markers",
        name="sentence",
        marker={"color": "gray", "size": 5, "opacity": 0.35},
    )
    figure.add_scatter(
        x=[(one.low + one.high) / 2 for one in filled],
        y=[one.score.value for one in filled],
        error_x={"type": "data", "array": [(one.high - one.low) / 2 for one in filled], "width": 0, "thickness": 3},
        error_y=error_bars([one.score for one in filled]) | {"thickness": 1.5},
        text=[f"{one.score.n}" for one in filled],
        textposition="top right",
        mode="markers+text",
        name="mean of a bin (n)",
        marker={"color": "#3b7dd8", "size": 9},
    )
    return figure.update_layout(
        title=f"{metric_title(metric)}: score of a sentence by its information density",
        title_font_size=14,
        height=420,
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="information density",
        yaxis_title="score of the sentence",
    )


def _scoring_button(
    key: DensityKey, run: Run, texts: Sequence[GroupedSummary], work: BackgroundTask[SentenceScores] | None
) -> None:
    total = len(texts) * len(run.plan.metrics)
    now = work.progress if work else None
    if now and now.error:
        st.error(escape_markdown(now.error), icon=":material/error:")
    if now and now.done == total:
        return
    ahead = f" ({now.done} of {total} are here)" if now else ""
    st.button(
        f"Score sentence by sentence: {len(texts)} texts × {len(run.plan.metrics)} metrics{ahead}",
        icon=":material/play_arrow:",
        key="density-go",
        on_click=_start_scoring,
        args=(key, run, texts),
        disabled=not texts,
    )


def _start_scoring(key: DensityKey, run: Run, texts: Sequence[GroupedSummary]) -> None:
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    work = partial(score_sentences, services.engine(), metrics, texts)
    _density_works()[key] = BackgroundTask(work, len(texts) * len(metrics))


@st.cache_resource(show_spinner=False)
def _density_works() -> LRUCache[DensityKey, BackgroundTask[SentenceScores]]:
    """What this process has scored."""
    return LRUCache(_MAX_KEPT)


@st.fragment(run_every=_LOOK_S)
def _follow_scoring(work: BackgroundTask[SentenceScores]) -> None:
    if not work.progress.running:
        st.rerun()
    progress_bar(work.progress, work.cancel)


def _density_plots(run: Run, found: Sequence[SentenceScores]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = st.selectbox(
            "Metric", run.plan.metrics, format_func=metric_title, key="density-metric", persist_state="page", width=420
        )
        cut = st.segmented_control(
            "Bins",
            list(_BIN_CUTS),
            default=next(iter(_BIN_CUTS)),
            key="density-cut",
            persist_state="page",
            required=True,
        )
        number = st.number_input("Number of bins", 1, 20, 5, key="density-bins", persist_state="page", width=140)
    of_metric = [text for text in found if text.metric == metric]
    densities = [density for text in of_metric for density in text.densities]
    _missing_scores(of_metric)
    if not any(score is not None for text in of_metric for score in text.scores):
        st.info("This metric has no score of a sentence yet.")
        return
    made = density_bins(of_metric, _BIN_CUTS[cut](densities, number), run.plan.seed)
    figure = density_chart(metric, made, of_metric)
    st.plotly_chart(figure, key="density-chart", alt="Mean score of a sentence by information density")
    st.dataframe(pd.DataFrame(map(_bin_row, made)), hide_index=True, height="auto", alt="The same as a table")


def _missing_scores(found: Sequence[SentenceScores]) -> None:
    """Why some texts have no score, and how many."""
    reasons = pd.Series([text.error for text in found if text.error], dtype=str).value_counts()
    for reason, count in reasons.items():
        st.caption(escape_markdown(f"{count} of {len(found)} texts: {reason}"))


def _bin_row(one: DensityBin) -> dict[str, object]:
    return {
        "density": f"{one.low:.3f} to {one.high:.3f}",
        "mean score": format_unsigned(one.score),
        "sentences": one.score.n,
        "documents": one.documents,
        "remark": one.score.why,
    }
