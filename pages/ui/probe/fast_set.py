"""The fast set, scored while a person types, the full set, which waits for a key, and the forecast of what that takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import streamlit as st

from core.engine.conversation import Cell, CellKey, CellState, Request
from core.engine.forecast import (
    Forecast,
    MemoryUse,
    MetricWork,
    ModelSize,
    Side,
    TimedScore,
    TimingHistory,
    estimate_run,
    estimate_tokens,
    has_to_wait,
    split_seconds,
)
from core.errors import Problem, attempt
from core.metric import Metric
from core.models.files import PACKAGE, ModelStatus, locate, memory_bytes
from core.types import Checkpoint, Example, Question, Result, asks_endpoint, local_checkpoints
from pages.ui import services
from pages.ui.endpoint_form import estimate_caption
from pages.ui.markup import escape_markdown
from pages.ui.probe.board_rows import LastShown


def format_forecast(forecast: Forecast) -> str:
    """The line that stands beside the key."""
    loading = f"{_format_bytes(forecast.load_bytes)} to load" if forecast.load_bytes else ""
    too_large = f"{_join_names(forecast.too_large)} will not fit into memory" if forecast.too_large else ""
    in_turns = "the models take turns in memory" if forecast.in_turns else ""
    return " · ".join(filter(None, [_format_time(forecast), loading, _format_evicted(forecast), in_turns, too_large]))


def _format_time(forecast: Forecast) -> str:
    known = f"≈ {_format_seconds(forecast.seconds)}{' once loaded' if forecast.load_bytes else ''}"
    if not forecast.unknown:
        return known
    until = f"unknown until {'it has' if len(forecast.unknown) == 1 else 'they have'} run once"
    return f"{known}, that of {_join_names(forecast.unknown)} {until}" if forecast.seconds else f"time {until}"


def _format_evicted(forecast: Forecast) -> str:
    if not forecast.leaving:
        return ""
    if forecast.any_of:
        return f"one or more of {_join_names(forecast.leaving)} may leave memory"
    return f"{_join_names(forecast.leaving)} {'leaves' if len(forecast.leaving) == 1 else 'leave'} memory"


def _join_names(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _format_seconds(time: float) -> str:
    if time < 1:
        return f"{max(time, 0.1):.1f} s"
    return f"{time:.0f} s" if time < 120 else f"{time / 60:.0f} min"


def _format_bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 1):.0f} MB"


_MAX_PLANS = 32  # of metrics on texts: that of the original summary is needed at every edit; one may hold many strings


@st.cache_resource(show_spinner=False)
def shared_pace() -> TimingHistory:
    return TimingHistory()


@dataclass
class ScoreTiming:
    """A request while its scores come in: what is still to be timed, since when, and until when the device was busy.

    `first` are the metrics that have not scored the original yet: what they do on both texts is one piece of work.
    """

    started: float
    open: set[CellKey]
    first: dict[str, TimedScore]
    clock: float = 0.0


def start_timing(request: Request, before: Request | None) -> None:
    """Begin to time a new request; what it took over from the one before began earlier and is not timed."""
    if before is request:
        return
    tasks = before.tasks if before else {}
    fresh = {place for place, task in request.tasks.items() if tasks.get(place) is not task}
    shown: dict[str, LastShown] = st.session_state["shown"]
    first = {spec: TimedScore(0.0, 0, 0) for spec, _ in fresh if shown.get(spec, LastShown()).before is None}
    st.session_state["watch"] = ScoreTiming(time.perf_counter(), fresh, first)


def learn_durations(request: Request, cells: Mapping[CellKey, Cell]) -> None:
    """Time what came in since the last look; look after every change of the cells."""
    seen: ScoreTiming = st.session_state["watch"]
    came = sorted(
        (_cell_seconds(cells[place]), place) for place in seen.open if _is_timed(request, place, cells[place])
    )
    times = split_seconds([seconds for seconds, _ in came], seen.clock)
    for alone, (seconds, place) in zip(times, came, strict=True):
        metric = next(metric for metric in request.metrics if metric.spec == place[0])
        _record_duration(seen, metric, request.tasks[place].conversation.example, cells[place], alone)
        seen.clock = max(seen.clock, seconds)
    seen.open -= {place for _, place in came}
    states = {cells[place].state for place in seen.open}
    if CellState.LOADING in states and CellState.RUNNING not in states:
        seen.clock = time.perf_counter() - seen.started  # loading is not scoring


def forecast_of(metrics: Sequence[Metric], examples: Sequence[Example]) -> Forecast:
    """What asking these metrics about the original and the edited text would take now."""
    pool = services.engine().pool
    wanted = {
        checkpoint: pool.state(checkpoint)
        for metric in metrics
        for checkpoint in local_checkpoints(metric.checkpoints())
    }
    to_load = {
        checkpoint: checkpoint_bytes(checkpoint)
        for checkpoint, state in wanted.items()
        if state.status is ModelStatus.COLD
    }
    loaded = {checkpoint: state.nbytes for checkpoint, state in pool.states().items() if state.nbytes}
    idle = {checkpoint: nbytes for checkpoint, nbytes in loaded.items() if checkpoint not in wanted}
    room = MemoryUse(sum(loaded.values()), pool.budget_bytes, _bytes_by_name(idle))
    works = [_work_of(metric, examples) for metric in metrics]
    return estimate_run(works, shared_pace(), _bytes_by_name(to_load), room)


def checkpoint_bytes(checkpoint: Checkpoint) -> int:
    """The memory that the files of a checkpoint will take; 0 where they are not here to tell."""
    nbytes = attempt(partial(_read_nbytes, checkpoint))
    return 0 if isinstance(nbytes, Problem) else nbytes


@lru_cache(256)
def _read_nbytes(checkpoint: Checkpoint) -> int:
    return memory_bytes(locate(checkpoint), checkpoint)


def _is_timed(request: Request, place: CellKey, cell: Cell) -> bool:
    """Whether a cell has a score that was worked for; what the cache answered tells nothing."""
    lexical = not request.tasks[place].conversation.checkpoints
    return isinstance(cell.outcome, Result) and (lexical or cell.outcome.counts.asked > 0)


def _cell_seconds(cell: Cell) -> float:
    return cell.outcome.seconds if isinstance(cell.outcome, Result) else 0.0


def _record_duration(seen: ScoreTiming, metric: Metric, example: Example, cell: Cell, alone: float) -> None:
    """Tell the pace what one score took; its tokens are laid to the largest of its models."""
    if not isinstance(cell.outcome, Result):
        return
    counts = cell.outcome.counts
    whole = counts.tokens > 0 and counts.asked == counts.planned and _asks_once(metric)
    foretold = estimate_tokens(_questions_of(metric, example)) if whole else 0
    took = TimedScore(alone, counts.tokens, _character_count(example), foretold)
    if metric.spec in seen.first:
        took = seen.first[metric.spec] = seen.first[metric.spec] + took
    shared_pace().learn(
        metric.spec, "original" if metric.spec in seen.first else "edited", _largest_model(metric), took
    )


def _work_of(metric: Metric, examples: Sequence[Example]) -> MetricWork:
    known, new = _split_by_known(metric, examples)
    sides = {_side_of(example): _character_count(example) for example in new}
    questions = _questions_of_all(metric, new) - _questions_of_all(metric, known) if _asks_once(metric) else None
    return MetricWork(metric.spec, metric.card.title, _largest_model(metric), sides, questions)


def _asks_once(metric: Metric) -> bool:
    return type(metric).rounds is Metric.rounds


def _side_of(example: Example) -> Side:
    return "edited" if example.id == "edited" else "original"


def _split_by_known(metric: Metric, examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """The texts whose answers are known, also the one that was scored last, and those to ask about."""
    original, edited = examples
    shown: LastShown | None = st.session_state["shown"].get(metric.spec)
    known = [original] if shown and shown.before is not None else []
    new = [] if known else [original]
    if shown and shown.texts:
        known.append(replace(edited, summary=shown.texts[-1]))
    return known, [*new, *([edited] if edited.summary != original.summary else [])]


def _questions_of_all(metric: Metric, examples: Sequence[Example]) -> frozenset[Question]:
    return frozenset().union(*(_questions_of(metric, example) for example in examples))


@lru_cache(_MAX_PLANS)
def _questions_of(metric: Metric, example: Example) -> frozenset[Question]:
    """The questions of a metric that asks once; none where it refuses the text."""
    questions = attempt(partial(metric.plan, example))
    return frozenset() if isinstance(questions, Problem) else frozenset(questions)


def _largest_model(metric: Metric) -> ModelSize:
    sizes = [(checkpoint_bytes(checkpoint), checkpoint.kind) for checkpoint in local_checkpoints(metric.checkpoints())]
    nbytes, kind = max(sizes, default=(0, ""))
    return ModelSize(kind, nbytes)


def _character_count(example: Example) -> int:
    return len(example.document) + len(example.summary)


def _bytes_by_name(nbytes: Mapping[Checkpoint, int]) -> dict[str, int]:
    """Models by the last part of their names; one that is loaded for two kinds of pass stands once."""
    named: Counter[str] = Counter()
    for checkpoint, size in nbytes.items():
        named[Path(checkpoint.source.removeprefix(PACKAGE)).name] += size
    return dict(named)


SCORE_ALL_KEY = "Alt+S"
_CHOICES_KEY = "sets"

KnownSpecs = Collection[str]
"""The specs of metrics whose numbers for the texts as they stand are known already."""


def metrics_to_ask(metrics: Sequence[Metric], examples: tuple[Example, ...], known: KnownSpecs) -> list[Metric]:
    """The metrics to ask about these texts: the fast set, and whatever was asked about them before or by the key."""
    state = st.session_state
    if state.get("asked-about") != examples:
        state["asked-about"], state["asked"] = examples, frozenset()
    before: frozenset[str] = state["asked"]
    now = [metric for metric in metrics if metric.spec in before or metric.spec in known or _is_asked_now(metric)]
    state["asked"] = before | {metric.spec for metric in now}
    state["all-asked"] = False
    return now


def waiting_metrics(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that nobody asked about the texts as they stand."""
    return [metric for metric in metrics if metric.spec not in st.session_state["asked"]]


def score_all_button(metrics: Sequence[Metric]) -> Callable[[], None]:
    """The button with its key, where a metric waits for it or may wait after the next edit.

    Gives the function that says beside it what pressing it would take; that needs a look at the texts, so the scores
    go first.
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
            on_click=_request_all,
            disabled=not open_ones,
            help="Asks the metrics that wait about the text as it stands. Choose which ones wait under Metrics.",
        )
        line = st.container(key="forecast").empty()

    def say() -> None:
        line.text(_waiting_line(open_ones) if open_ones else "Every metric was asked about this text.")

    return say


def fast_set_pills(metrics: Sequence[Metric]) -> None:
    """Which metrics are scored while typing; whoever moves one decides, until then its cost does."""
    names = {metric.spec: metric.card.title if metric.spec == metric.name else metric.spec for metric in metrics}
    st.session_state["fast"] = [metric.spec for metric in metrics if not waits_for_key(metric)]
    st.pills(
        f"Scored while you type; the others wait for {SCORE_ALL_KEY}",
        list(names),
        selection_mode="multi",
        key="fast",
        format_func=lambda spec: escape_markdown(names[spec]),
        on_change=_store_choices,
        args=(tuple(metrics),),
    )


def waits_for_key(metric: Metric) -> bool:
    """Whether a metric is not scored while a person types: as was chosen, else by its cost."""
    chosen: dict[str, bool] = st.session_state.get(_CHOICES_KEY, {})
    if metric.spec in chosen:
        return chosen[metric.spec]
    if asks_endpoint(metric.checkpoints()):
        return True  # every question of a judge is paid for
    checkpoints = local_checkpoints(metric.checkpoints())
    packaged = all(checkpoint.source.startswith(PACKAGE) for checkpoint in checkpoints)
    return not packaged and _is_costly(metric.spec, checkpoints)


def _waiting_line(open_ones: Sequence[Metric]) -> str:
    number = len(open_ones)
    names = open_ones[0].card.title if number == 1 else f"{number} metrics"
    examples = st.session_state["asked-about"]
    waiting = f"{names} {'waits' if number == 1 else 'wait'}"
    return " · ".join(
        filter(
            None, [waiting, format_forecast(forecast_of(open_ones, examples)), estimate_caption(open_ones, examples)]
        )
    )


def _request_all() -> None:
    # the text may change in the same moment: whatever stands in the editor in the run that follows is meant
    st.session_state["all-asked"] = True


def _store_choices(metrics: Sequence[Metric]) -> None:
    """Keep what was said of a metric that was moved, and let the cost decide on the others."""
    fast = st.session_state["fast"]
    moved = {
        metric.spec: metric.spec not in fast for metric in metrics if waits_for_key(metric) == (metric.spec in fast)
    }
    st.session_state[_CHOICES_KEY] = {**st.session_state.get(_CHOICES_KEY, {}), **moved}


def _is_asked_now(metric: Metric) -> bool:
    return bool(st.session_state.get("all-asked")) or not waits_for_key(metric) or _lacks_model(metric)


def _is_costly(spec: str, checkpoints: Collection[Checkpoint]) -> bool:
    states = [services.engine().pool.state(checkpoint).status for checkpoint in checkpoints]
    took = shared_pace().last(spec, "edited")
    loaded = all(status is ModelStatus.READY for status in states)
    return has_to_wait(sum(map(checkpoint_bytes, checkpoints)), loaded, took.seconds if took else None)


def _lacks_model(metric: Metric) -> bool:
    """Whether asking costs nothing, since its models are not here or failed: the row then says what to do."""
    states = {services.engine().pool.state(checkpoint).status for checkpoint in local_checkpoints(metric.checkpoints())}
    return bool(states & {ModelStatus.NEEDS_DOWNLOAD, ModelStatus.DOWNLOADING, ModelStatus.FAILED})
