"""What this machine shows of its metrics while a page looks on, and what a run would take by it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import streamlit as st

from core.forecast import Forecast, Pace, Room, Side, Size, Took, Work, forecast, shares, tokens
from core.job import Cell, CellKey, Request, State
from core.metric import Metric
from core.models.files import PACKAGE, locate, memory_bytes
from core.models.state import Status
from core.trouble import Trouble, attempt
from core.types import Checkpoint, Example, Question, Result
from pages.ui import services
from pages.ui.probe.rows import Shown

_PLANS = 32  # of metrics on texts: that of the original summary is needed at every edit; one may hold many strings


@st.cache_resource(show_spinner=False)
def pace() -> Pace:
    return Pace()


@dataclass
class Watch:
    """A request while its scores come in: what is still to be timed, since when, and until when the device was busy.

    `first` are the metrics that have not scored the original yet: what they do on both texts is one piece of work.
    """

    started: float
    open: set[CellKey]
    first: dict[str, Took]
    clock: float = 0.0


def watch(request: Request, before: Request | None) -> None:
    """Begin to time a new request; what it took over from the one before began earlier and is not timed."""
    if before is request:
        return
    jobs = before.jobs if before else {}
    fresh = {place for place, job in request.jobs.items() if jobs.get(place) is not job}
    shown: dict[str, Shown] = st.session_state["shown"]
    first = {spec: Took(0.0, 0, 0) for spec, _ in fresh if shown.get(spec, Shown()).before is None}
    st.session_state["watch"] = Watch(time.perf_counter(), fresh, first)


def learn(request: Request, cells: Mapping[CellKey, Cell]) -> None:
    """Time what came in since the last look; look after every change of the cells."""
    seen: Watch = st.session_state["watch"]
    came = sorted((_seconds(cells[place]), place) for place in seen.open if _tells(request, place, cells[place]))
    times = shares([seconds for seconds, _ in came], seen.clock)
    for alone, (seconds, place) in zip(times, came, strict=True):
        metric = next(metric for metric in request.metrics if metric.spec == place[0])
        _remember(seen, metric, request.jobs[place].talk.example, cells[place], alone)
        seen.clock = max(seen.clock, seconds)
    seen.open -= {place for _, place in came}
    states = {cells[place].state for place in seen.open}
    if State.LOADING in states and State.RUNNING not in states:
        seen.clock = time.perf_counter() - seen.started  # loading is not scoring


def forecast_of(metrics: Sequence[Metric], examples: Sequence[Example]) -> Forecast:
    """What asking these metrics about the original and the edited text would take now."""
    pool = services.engine().pool
    wanted = {checkpoint: pool.state(checkpoint) for metric in metrics for checkpoint in metric.checkpoints()}
    to_load = {checkpoint: nbytes_of(checkpoint) for checkpoint, state in wanted.items() if state.status is Status.COLD}
    loaded = {checkpoint: state.nbytes for checkpoint, state in pool.states().items() if state.nbytes}
    idle = {checkpoint: nbytes for checkpoint, nbytes in loaded.items() if checkpoint not in wanted}
    room = Room(sum(loaded.values()), pool.budget_bytes, _bytes_by_name(idle))
    works = [_work(metric, examples) for metric in metrics]
    return forecast(works, pace(), _bytes_by_name(to_load), room)


def nbytes_of(checkpoint: Checkpoint) -> int:
    """The memory that the files of a checkpoint will take; 0 where they are not here to tell."""
    nbytes = attempt(partial(_read_nbytes, checkpoint))
    return 0 if isinstance(nbytes, Trouble) else nbytes


@lru_cache(256)
def _read_nbytes(checkpoint: Checkpoint) -> int:
    return memory_bytes(locate(checkpoint), checkpoint)


def _tells(request: Request, place: CellKey, cell: Cell) -> bool:
    """Whether a cell has a score that was worked for; what the cache answered tells nothing."""
    lexical = not request.jobs[place].talk.checkpoints
    return isinstance(cell.outcome, Result) and (lexical or cell.outcome.counts.asked > 0)


def _seconds(cell: Cell) -> float:
    return cell.outcome.seconds if isinstance(cell.outcome, Result) else 0.0


def _remember(seen: Watch, metric: Metric, example: Example, cell: Cell, alone: float) -> None:
    """Tell the pace what one score took; its tokens are laid to the largest of its models."""
    if not isinstance(cell.outcome, Result):
        return
    counts = cell.outcome.counts
    whole = counts.tokens > 0 and counts.asked == counts.planned and _asks_once(metric)
    foretold = tokens(_planned(metric, example)) if whole else 0
    took = Took(alone, counts.tokens, _characters(example), foretold)
    if metric.spec in seen.first:
        took = seen.first[metric.spec] = seen.first[metric.spec] + took
    pace().learn(metric.spec, "original" if metric.spec in seen.first else "edited", _size(metric), took)


def _work(metric: Metric, examples: Sequence[Example]) -> Work:
    known, new = _parted(metric, examples)
    sides = {_side(example): _characters(example) for example in new}
    questions = _questions(metric, new) - _questions(metric, known) if _asks_once(metric) else None
    return Work(metric.spec, metric.card.title, _size(metric), sides, questions)


def _asks_once(metric: Metric) -> bool:
    return type(metric).rounds is Metric.rounds


def _side(example: Example) -> Side:
    return "edited" if example.id == "edited" else "original"


def _parted(metric: Metric, examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """The texts whose answers are known, also the one that was scored last, and those to ask about."""
    original, edited = examples
    shown: Shown | None = st.session_state["shown"].get(metric.spec)
    known = [original] if shown and shown.before is not None else []
    new = [] if known else [original]
    if shown and shown.texts:
        known.append(replace(edited, summary=shown.texts[-1]))
    return known, [*new, *([edited] if edited.summary != original.summary else [])]


def _questions(metric: Metric, examples: Sequence[Example]) -> frozenset[Question]:
    return frozenset().union(*(_planned(metric, example) for example in examples))


@lru_cache(_PLANS)
def _planned(metric: Metric, example: Example) -> frozenset[Question]:
    """The questions of a metric that asks once; none where it refuses the text."""
    questions = attempt(partial(metric.plan, example))
    return frozenset() if isinstance(questions, Trouble) else frozenset(questions)


def _size(metric: Metric) -> Size:
    sizes = [(nbytes_of(checkpoint), checkpoint.kind) for checkpoint in metric.checkpoints()]
    nbytes, kind = max(sizes, default=(0, ""))
    return Size(kind, nbytes)


def _characters(example: Example) -> int:
    return len(example.document) + len(example.summary)


def _bytes_by_name(nbytes: Mapping[Checkpoint, int]) -> dict[str, int]:
    """Models by the last part of their names; one that is loaded for two kinds of pass stands once."""
    named: Counter[str] = Counter()
    for checkpoint, size in nbytes.items():
        named[Path(checkpoint.source.removeprefix(PACKAGE)).name] += size
    return dict(named)
