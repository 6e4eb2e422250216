"""The fast set, scored while a person types, the full set, which waits for a key, and what that took the last time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

import streamlit as st

from core.errors import Problem, attempt
from core.model_reference import Checkpoint, asks_endpoint, local_checkpoints
from core.models import PACKAGE, ModelStatus, locate, memory_bytes
from core.scoring import (
    METRICS,
    BoardCell,
    CellKey,
    Durations,
    Forecast,
    MemoryUse,
    Metric,
    Request,
    ScoredText,
    forecast_run,
    has_to_wait,
)
from core.types import Example, Result
from pages.server import services
from pages.ui.probe.board_rows import LastShown
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.shared.endpoint_form import estimate_caption
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.session_state import follow_choices


def format_forecast(forecast: Forecast) -> str:
    """The line beside the key."""
    size = forecast.load_bytes
    loading = f"{size / 1e9:.1f} GB to load" if size >= 1e9 else f"{max(size / 1e6, 1):.0f} MB to load" if size else ""
    too_large = f"{_join_names(forecast.too_large)} will not fit into memory" if forecast.too_large else ""
    in_turns = "the models take turns in memory" if forecast.in_turns else ""
    if not forecast.leaving:
        leaving = ""
    elif forecast.any_of:
        leaving = f"one or more of {_join_names(forecast.leaving)} may leave memory"
    else:
        leaving = f"{_join_names(forecast.leaving)} {'leaves' if len(forecast.leaving) == 1 else 'leave'} memory"
    if forecast.seconds is None:
        last_time = "not timed yet"
    else:
        seconds = forecast.seconds
        if seconds < 1:
            duration = f"{max(seconds, 0.1):.1f} s"
        else:
            duration = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
        last_time = f"last time: {duration}{' once loaded' if forecast.load_bytes else ''}"
        if forecast.not_timed:
            last_time = f"{last_time}, {_join_names(forecast.not_timed)} not timed yet"
    return " · ".join(filter(None, [last_time, loading, leaving, in_turns, too_large]))


def _join_names(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


@st.cache_resource(show_spinner=False, on_release=Durations.close)
def shared_durations() -> Durations:
    return Durations(services.settings().cache_dir)


def remember_durations(request: Request, cells: Mapping[CellKey, BoardCell]) -> None:
    """Remember what each new score took; what the cache answered says nothing."""
    timed = probe_state().timed
    original, edited = request.examples
    for place, task in request.tasks.items():
        outcome = cells[place].outcome
        if isinstance(outcome, Result) and timed.get(place) is not task:
            timed[place] = task
            models, is_edit = task.conversation.checkpoints, outcome.example_id == edited.id
            worked = outcome.counts.asked > 0 or not models
            if worked and not (is_edit and original.summary == edited.summary):
                seconds = outcome.seconds if asks_endpoint(models) else task.work_s
                text: ScoredText = "edited" if is_edit else "original"
                shared_durations().remember(outcome.metric, services.engine().pool.device, text, seconds)


def last_edit_s(spec: str) -> float | None:
    """Seconds that a metric took for the last edited text; None where it was not timed."""
    return shared_durations().last(spec, services.engine().pool.device, "edited")


def forecast_of(metrics: Sequence[Metric]) -> Forecast:
    """Estimate from the last durations of these metrics, and from the memory that loading their models takes now."""
    pool = services.engine().pool
    states = {
        checkpoint: pool.state(checkpoint)
        for metric in metrics
        for checkpoint in local_checkpoints(metric.checkpoints())
    }
    to_load = {
        checkpoint: checkpoint_bytes(checkpoint)
        for checkpoint, state in states.items()
        if state.status is ModelStatus.COLD
    }
    loaded = {checkpoint: state.nbytes for checkpoint, state in pool.states().items() if state.nbytes}
    idle = {checkpoint: nbytes for checkpoint, nbytes in loaded.items() if checkpoint not in states}
    room = MemoryUse(sum(loaded.values()), pool.budget_bytes, _bytes_by_name(idle))
    times = []
    for metric in metrics:  # that of an edit, once the original has its score; else that of the original
        shown = probe_state().last_shown.get(metric.spec, LastShown())
        last_s = shared_durations().last(metric.spec, pool.device, "original")
        if shown.before is not None and (edit_s := last_edit_s(metric.spec)) is not None:
            last_s = edit_s
        times.append((metric.card.title, last_s))
    return forecast_run(times, _bytes_by_name(to_load), room)


def checkpoint_bytes(checkpoint: Checkpoint) -> int:
    """The memory that the files of a checkpoint will take; 0 where they are not here to tell."""
    nbytes = attempt(partial(_read_nbytes, checkpoint))
    return 0 if isinstance(nbytes, Problem) else nbytes


@lru_cache(256)
def _read_nbytes(checkpoint: Checkpoint) -> int:
    return memory_bytes(locate(checkpoint), checkpoint)


def _bytes_by_name(nbytes: Mapping[Checkpoint, int]) -> dict[str, int]:
    """Models by the last part of their names; one that is loaded for two kinds of pass is named once."""
    named: Counter[str] = Counter()
    for checkpoint, size in nbytes.items():
        named[Path(checkpoint.source.removeprefix(PACKAGE)).name] += size
    return dict(named)


SCORE_ALL_KEY = "Alt+S"

KnownSpecs = Collection[str]
"""The specs of metrics whose numbers for the current texts are known already."""


def metrics_to_ask(
    metrics: Sequence[Metric], examples: tuple[Example, ...], recently_shown: KnownSpecs
) -> list[Metric]:
    """The metrics to ask about these texts: the fast set, and whatever was asked about them before or by the key."""
    state = probe_state()
    if state.asked_texts != examples:
        state.asked_texts, state.asked_specs = examples, frozenset()
    before, pool = state.asked_specs, services.engine().pool
    absent = {ModelStatus.NEEDS_DOWNLOAD, ModelStatus.DOWNLOADING, ModelStatus.FAILED}
    now = [
        metric
        for metric in metrics
        if metric.spec in before
        or metric.spec in recently_shown
        or state.score_all
        or not waits_for_key(metric)
        # where its models are not here or failed it costs nothing, and the row then says what to do
        or any(pool.state(checkpoint).status in absent for checkpoint in local_checkpoints(metric.checkpoints()))
    ]
    state.asked_specs = before | {metric.spec for metric in now}
    state.score_all = False
    return now


def waiting_metrics(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that were not asked about the current texts."""
    return [metric for metric in metrics if metric.spec not in probe_state().asked_specs]


def waits_for_endpoints() -> Callable[[bool], None]:
    """Places of what is waited for. Gives the function that draws it, with a button to stop while scores are pending."""
    waits, stop = st.empty(), st.empty()
    has_button = False

    def draw(is_pending: bool) -> None:
        nonlocal has_button
        with waits.container(gap=None):
            # what was just cancelled may wait a moment longer, and nothing is drawn after that
            is_waiting = is_pending and endpoint_waits()
        if not is_waiting:
            stop.empty()
        elif not has_button:  # one of its key is drawn in a run
            has_button = True
            stop.button("Cancel", key="waits-cancel", icon=":material/stop:", on_click=_stop_asking_endpoints)

    return draw


def _stop_asking_endpoints() -> None:
    """Leave the metrics that ask endpoints without scores of the current texts, until the key asks them again."""
    state = probe_state()
    asking = {spec for spec in state.asked_specs if asks_endpoint(METRICS.parse(spec).checkpoints())}
    state.asked_specs -= asking


def score_all_button(metrics: Sequence[Metric]) -> Callable[[], None]:
    """The button with its key, where a metric waits for it or may wait after the next edit.

    Gives the function that writes beside it what is known of pressing it; that needs a look at files, so the scores go
    first.
    """
    open_ones = waiting_metrics(metrics)
    if not open_ones and not any(map(waits_for_key, metrics)):
        return lambda: None
    with st.container(horizontal=True, vertical_alignment="center", key="score-all-bar"):
        st.button(
            "Score all",
            icon=":material/playlist_play:",
            key="score-all",
            shortcut=SCORE_ALL_KEY,
            # the text may change in the same moment: whatever stands in the editor in the run that follows is meant
            on_click=partial(setattr, probe_state(), "score_all", True),
            disabled=not open_ones,
            help="Asks the metrics that wait about the text as it stands. Choose which ones wait under Metrics.",
        )
        line = st.container(key="forecast").empty()

    def write_line() -> None:
        if not open_ones:
            line.text("Every metric was asked about this text.")
            return
        waiting = f"{open_ones[0].card.title} waits" if len(open_ones) == 1 else f"{len(open_ones)} metrics wait"
        forecast = format_forecast(forecast_of(open_ones))
        estimate = estimate_caption(open_ones, probe_state().asked_texts)
        line.text(" · ".join(filter(None, [waiting, forecast, estimate])))

    return write_line


def fast_set_pills(metrics: Sequence[Metric]) -> None:
    """Choose the metrics that are scored while typing; one that is moved stays there, until then its cost decides."""
    names = {metric.spec: metric.card.title if metric.spec == metric.name else metric.spec for metric in metrics}
    fast = [metric.spec for metric in metrics if not waits_for_key(metric)]
    follow_choices(ProbeState.fast_specs, fast)

    def store_choices() -> None:
        """Keep the choice for a metric that was moved, and let the cost decide on the others."""
        fast_specs = probe_state().fast_specs
        moved = {
            metric.spec: metric.spec not in fast_specs
            for metric in metrics
            if waits_for_key(metric) == (metric.spec in fast_specs)
        }
        probe_state().waits = {**probe_state().waits, **moved}

    st.pills(
        f"Scored while you type; the others wait for {SCORE_ALL_KEY}",
        list(names),
        default=fast,
        selection_mode="multi",
        key=ProbeState.fast_specs.key,
        format_func=lambda spec: escape_markdown(names[spec]),
        on_change=store_choices,
    )


def waits_for_key(metric: Metric) -> bool:
    """True if a metric is not scored while a person types: as was chosen, else by its cost."""
    waits = probe_state().waits
    if metric.spec in waits:
        return waits[metric.spec]
    if asks_endpoint(metric.checkpoints()):
        return True  # every question of a judge is paid for
    checkpoints = local_checkpoints(metric.checkpoints())
    packaged = all(checkpoint.source.startswith(PACKAGE) for checkpoint in checkpoints)
    if packaged:
        return False
    states = [services.engine().pool.state(checkpoint).status for checkpoint in checkpoints]
    loaded = all(status is ModelStatus.READY for status in states)
    return has_to_wait(sum(map(checkpoint_bytes, checkpoints)), loaded, last_edit_s(metric.spec))
