"""Score against information density on the page: what to score, how to bin it, and the plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from cachetools import LRUCache

from core.metric import METRICS
from core.perturbation import Intent
from core.stress.background import Background
from core.stress.density import (
    Bin,
    Sentences,
    Text,
    bins,
    equally_full,
    equally_wide,
    originals,
    sentences_of,
    variants,
)
from core.stress.records import Run, VariantKey
from core.stress.words import unsigned
from pages.ui import services
from pages.ui.error_bars import error_bars
from pages.ui.plain import plain
from pages.ui.stress.matrix import metric_title
from pages.ui.stress.progress import progress_bar

_ORIGINALS = "Originals"
_TEXTS: dict[str, Intent] = {"Meaning kept": "preserving", "Meaning broken": "breaking", "Gaming": "gaming"}
_CUTS: dict[str, Callable[[Sequence[float], int], list[float]]] = {
    "As many sentences in each": equally_full,
    "The same width": equally_wide,
}
_LOOK_S = 1.0

Key = tuple[str, str, frozenset[str]]
"""(run, choice of texts, their ids)"""
_KEPT = 16  # works of this process, so that a reload finds them


def density(id: str, run: Run, among: frozenset[VariantKey] | None) -> None:
    """Score the sentences of a run's texts in the background, then show them by density; `among` are the variants that count."""
    st.caption(
        "The information density of a sentence is the mean cosine of its embedding with those of all sentences of the "
        "document: how much of the document speaks of what it says. Does a metric depend on it?"
    )
    chosen = st.segmented_control(
        "Texts", [_ORIGINALS, *_TEXTS], default=_ORIGINALS, key="density-texts", persist_state="page", required=True
    )
    texts = originals(run) if chosen == _ORIGINALS else variants(run, _TEXTS[chosen], among)
    key = (id, chosen, frozenset(text.example.id for text in texts))
    work = _works().get(key)
    with st.container():  # there at the end too, when nothing is offered: what lies below keeps its place
        if work and work.progress.running:
            _follow(work)
        else:
            _offer(key, run, texts, work)
    if work:
        _shown(run, work.found)


def density_chart(metric: str, made: Sequence[Bin], found: Sequence[Sentences]) -> go.Figure:
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


def _offer(key: Key, run: Run, texts: Sequence[Text], work: Background[Sentences] | None) -> None:
    total = len(texts) * len(run.plan.metrics)
    now = work.progress if work else None
    if now and now.trouble:
        st.error(plain(now.trouble), icon=":material/error:")
    if now and now.done == total:
        return
    ahead = f" ({now.done} of {total} are here)" if now else ""
    st.button(
        f"Score sentence by sentence: {len(texts)} texts × {len(run.plan.metrics)} metrics{ahead}",
        icon=":material/play_arrow:",
        key="density-go",
        on_click=_begin,
        args=(key, run, texts),
        disabled=not texts,
    )


def _begin(key: Key, run: Run, texts: Sequence[Text]) -> None:
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    work = partial(sentences_of, services.engine(), metrics, texts)
    _works()[key] = Background(work, len(texts) * len(metrics))


@st.cache_resource(show_spinner=False)
def _works() -> LRUCache[Key, Background[Sentences]]:
    """What this process has scored."""
    return LRUCache(_KEPT)


@st.fragment(run_every=_LOOK_S)
def _follow(work: Background[Sentences]) -> None:
    if not work.progress.running:
        st.rerun()
    progress_bar(work.progress, work.cancel)


def _shown(run: Run, found: Sequence[Sentences]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = st.selectbox(
            "Metric", run.plan.metrics, format_func=metric_title, key="density-metric", persist_state="page", width=420
        )
        cut = st.segmented_control(
            "Bins", list(_CUTS), default=next(iter(_CUTS)), key="density-cut", persist_state="page", required=True
        )
        number = st.number_input("Number of bins", 1, 20, 5, key="density-bins", persist_state="page", width=140)
    of_metric = [text for text in found if text.metric == metric]
    densities = [density for text in of_metric for density in text.densities]
    _silent(of_metric)
    if not any(score is not None for text in of_metric for score in text.scores):
        st.info("This metric has no score of a sentence yet.")
        return
    made = bins(of_metric, _CUTS[cut](densities, number), run.plan.seed)
    figure = density_chart(metric, made, of_metric)
    st.plotly_chart(figure, key="density-chart", alt="Mean score of a sentence by information density")
    st.dataframe(pd.DataFrame(map(_row, made)), hide_index=True, height="auto", alt="The same as a table")


def _silent(found: Sequence[Sentences]) -> None:
    """Why some texts have no score, and how many."""
    reasons = pd.Series([text.error for text in found if text.error], dtype=str).value_counts()
    for reason, count in reasons.items():
        st.caption(plain(f"{count} of {len(found)} texts: {reason}"))


def _row(one: Bin) -> dict[str, object]:
    return {
        "density": f"{one.low:.3f} to {one.high:.3f}",
        "mean score": unsigned(one.score),
        "sentences": one.score.n,
        "documents": one.documents,
        "remark": one.score.why,
    }
