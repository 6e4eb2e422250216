"""The fast set, scored while a person types, and the full set, which waits for a key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from core.forecast import waits
from core.llm.addressee import SOURCE
from core.metric import Metric
from core.models.files import PACKAGE
from core.models.state import Status
from core.types import Checkpoint, Example
from pages.ui import services
from pages.ui.endpoint_costs import cost_words
from pages.ui.forecast_words import told
from pages.ui.forecasting import forecast_of, nbytes_of, pace
from pages.ui.plain import plain

KEY = "Alt+S"
_SETS = "sets"

Known = Collection[str]
"""The specs of metrics whose numbers for the texts as they stand are known already."""


def asked(metrics: Sequence[Metric], examples: tuple[Example, ...], known: Known) -> list[Metric]:
    """The metrics to ask about these texts: the fast set, and whatever was asked about them before or by the key."""
    state = st.session_state
    if state.get("asked-about") != examples:
        state["asked-about"], state["asked"] = examples, frozenset()
    before: frozenset[str] = state["asked"]
    now = [metric for metric in metrics if metric.spec in before or metric.spec in known or _now(metric)]
    state["asked"] = before | {metric.spec for metric in now}
    state["all-asked"] = False
    return now


def waiting(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that nobody asked about the texts as they stand."""
    return [metric for metric in metrics if metric.spec not in st.session_state["asked"]]


def score_all(metrics: Sequence[Metric]) -> Callable[[], None]:
    """The button with its key, where a metric waits for it or may wait after the next edit.

    Gives the function that says beside it what pressing it would take; that needs a look at the texts, so the scores
    go first.
    """
    open_ones = waiting(metrics)
    if not open_ones and not any(map(waits_for_key, metrics)):
        return lambda: None
    with st.container(horizontal=True, vertical_alignment="center", key="score-all-bar"):
        st.button(
            "Score all",
            icon=":material/playlist_play:",
            key="score-all",
            shortcut=KEY,
            on_click=_press,
            disabled=not open_ones,
            help="Asks the metrics that wait about the text as it stands. Choose which ones wait under Metrics.",
        )
        line = st.container(key="forecast").empty()

    def say() -> None:
        line.text(_line(open_ones) if open_ones else "Every metric was asked about this text.")

    return say


def fast_pills(metrics: Sequence[Metric]) -> None:
    """Which metrics are scored while typing; whoever moves one decides, until then its cost does."""
    names = {metric.spec: metric.card.title if metric.spec == metric.name else metric.spec for metric in metrics}
    st.session_state["fast"] = [metric.spec for metric in metrics if not waits_for_key(metric)]
    st.pills(
        f"Scored while you type; the others wait for {KEY}",
        list(names),
        selection_mode="multi",
        key="fast",
        format_func=lambda spec: plain(names[spec]),
        on_change=_move,
        args=(tuple(metrics),),
    )


def waits_for_key(metric: Metric) -> bool:
    """Whether a metric is not scored while a person types: as was chosen, else by its cost."""
    chosen: dict[str, bool] = st.session_state.get(_SETS, {})
    if metric.spec in chosen:
        return chosen[metric.spec]
    checkpoints = metric.checkpoints()
    if any(checkpoint.source == SOURCE for checkpoint in checkpoints):
        return True  # every question of a judge is paid for
    packaged = all(checkpoint.source.startswith(PACKAGE) for checkpoint in checkpoints)
    return not packaged and _is_costly(metric.spec, checkpoints)


def _line(open_ones: Sequence[Metric]) -> str:
    number = len(open_ones)
    names = open_ones[0].card.title if number == 1 else f"{number} metrics"
    examples = st.session_state["asked-about"]
    waiting = f"{names} {'waits' if number == 1 else 'wait'}"
    return " · ".join(filter(None, [waiting, told(forecast_of(open_ones, examples)), cost_words(open_ones, examples)]))


def _press() -> None:
    # the text may change in the same moment: whatever stands in the editor in the run that follows is meant
    st.session_state["all-asked"] = True


def _move(metrics: Sequence[Metric]) -> None:
    """Keep what was said of a metric that was moved, and let the cost decide on the others."""
    fast = st.session_state["fast"]
    moved = {
        metric.spec: metric.spec not in fast for metric in metrics if waits_for_key(metric) == (metric.spec in fast)
    }
    st.session_state[_SETS] = {**st.session_state.get(_SETS, {}), **moved}


def _now(metric: Metric) -> bool:
    return bool(st.session_state.get("all-asked")) or not waits_for_key(metric) or _says_what_it_needs(metric)


def _is_costly(spec: str, checkpoints: Collection[Checkpoint]) -> bool:
    states = [services.engine().pool.state(checkpoint).status for checkpoint in checkpoints]
    took = pace().last(spec, "edited")
    loaded = all(status is Status.READY for status in states)
    return waits(sum(map(nbytes_of, checkpoints)), loaded, took.seconds if took else None)


def _says_what_it_needs(metric: Metric) -> bool:
    """Whether asking costs nothing, since its models are not here or failed: the row then says what to do."""
    states = {services.engine().pool.state(checkpoint).status for checkpoint in metric.checkpoints()}
    return bool(states & {Status.NEEDS_DOWNLOAD, Status.DOWNLOADING, Status.FAILED})
