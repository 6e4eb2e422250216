"""From the engine's cells to the board: rows that fill in while the run stays open."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.job import Cell, CellKey, Request, State
from core.metric import Metric
from core.text import sentences
from core.types import Example, Failure, FailureKind, Outcome, Result
from pages.ui import services
from pages.ui.forecasting import watch
from pages.ui.probe import pair as bench
from pages.ui.probe.board import Action, Board, Row, Selection
from pages.ui.probe.null_band import noise_of
from pages.ui.probe.rows import Shown
from pages.ui.probe.sets import KEY, asked

BOARD = "board"
_SIDES = ("original", "edited")
_FAST_LANE_S = 0.08  # lexical metrics answer within this; waiting for them saves a flicker
_LOOK_S = 0.2  # how long a click may wait for the open run to notice it
_TEXTS = 50  # undo and redo walk among them without asking
_SAME = 1e-6  # machines may differ by so much
_PENDING = (State.QUEUED, State.LOADING, State.RUNNING)

Cells = Mapping[CellKey, Cell]


def ask(metrics: Sequence[Metric]) -> Request:
    """Ask for the pair as it stands now, all but what waits for the key; what this session asked before is cancelled."""
    examples = _examples()
    request = services.engine().submit(services.owner(), asked(metrics, examples, _known(examples)), examples)
    watch(request, st.session_state.get("request"))
    st.session_state["request"] = request
    version, cells = services.engine().cells(request)
    if any(cell.state in _PENDING for cell in cells.values()):
        services.engine().wait(request, version, _FAST_LANE_S)
    return request


def cells_of(request: Request) -> Cells:
    return services.engine().cells(request)[1]


def board_of(metrics: Sequence[Metric], request: Request, cells: Cells) -> Board:
    """The board of one consistent look at the cells; metrics that were not asked wait for their key."""
    text = request.examples[1].summary
    spans = sentences(text)
    saved = {outcome.metric: outcome for outcome in bench.saved_outcomes() if outcome.example_id == "edited"}
    rows = tuple(
        _row(metric, request, cells, saved.get(metric.spec)) if metric in request.metrics else _waiting(metric)
        for metric in metrics
    )
    chosen = selection(request)
    sentence = chosen.sentence if chosen.sentence is not None and chosen.sentence < len(spans) else None
    return Board(rows, tuple(span.of(text) for span in spans), chosen.spec, sentence)


def selection(request: Request) -> Selection:
    """The metric and sentence that were clicked last; ROUGE-2 or the first metric where none was or it left the board."""
    chosen: Selection | None = st.session_state.get(f"{BOARD}.selected")
    specs = [metric.spec for metric in request.metrics]
    if chosen and chosen.spec in {*specs, *st.session_state["metrics"]}:
        return chosen
    return Selection("rouge2" if "rouge2" in specs else next(iter(specs), ""), None)


def pending(cells: Cells) -> bool:
    return any(cell.state in _PENDING for cell in cells.values())


def wait(request: Request, version: int) -> None:
    services.engine().wait(request, version, _LOOK_S)


def revision(document: str, summary: str) -> str:
    """Eight characters that name the texts a finished board belongs to."""
    return hashlib.sha256(f"{document}\0{summary}".encode("utf-8", "surrogatepass")).hexdigest()[:8]


def finished_outcomes() -> tuple[Outcome, ...]:
    """What the metrics have said of both sides of the pair as it stands."""
    request: Request | None = st.session_state.get("request")
    if request is None or request.examples != _examples():
        return ()
    return tuple(cell.outcome for cell in cells_of(request).values() if isinstance(cell.outcome, Result))


def act(spec: str, action: str) -> None:
    """Download, load or try again what a row needs."""
    engine, request = services.engine(), st.session_state["request"]
    metric = next(metric for metric in request.metrics if metric.spec == spec)
    for checkpoint in metric.checkpoints():
        (engine.pool.fetch if action == "download" else engine.pool.retry)(checkpoint)
    engine.release(services.owner())


def _examples() -> tuple[Example, ...]:
    """The texts of the pair as it stands."""
    texts = zip(_SIDES, (bench.current().original, bench.edited()), strict=True)
    return tuple(Example(side, bench.current().document, summary) for side, summary in texts)


def _known(examples: Sequence[Example]) -> set[str]:
    """The metrics whose numbers for just these texts were shown of late: asking again costs nothing."""
    original, edited = (example.summary for example in examples)
    shown: dict[str, Shown] = st.session_state["shown"]
    return {spec for spec, last in shown.items() if last.before is not None and edited in (original, *last.texts)}


def _waiting(metric: Metric) -> Row:
    """A row that nobody asked about this text: its last number stands there as what it is."""
    last: Shown = st.session_state["shown"].get(metric.spec, Shown())
    return replace(_blank(metric), state="waiting", message=f"press {KEY}", before=last.before, after=last.after)


def _row(metric: Metric, request: Request, cells: Cells, saved: Outcome | None) -> Row:
    text = request.examples[1].summary
    before, after = (cells[metric.spec, side] for side in _SIDES)
    shown = after if after.state is not State.READY else before
    last = _newest(metric.spec, before, after, text)
    return replace(
        _blank(metric),
        state=shown.state.value,
        message=shown.message,
        before=before.outcome.score if isinstance(before.outcome, Result) else None,
        after=last.after,
        seconds=after.outcome.seconds if isinstance(after.outcome, Result) else None,
        parts=last.parts[: len(sentences(text))],
        notes=_notes(after.outcome, saved),
        saved=_if_different(saved, after.outcome),
        action=_action(shown),
        noise=noise_of(metric, *request.examples),
    )


def _blank(metric: Metric) -> Row:
    card = metric.card
    return Row(metric.spec, card.title, card.family, low=card.low, high=card.high, direction=card.direction)


def _newest(spec: str, before: Cell, after: Cell, text: str) -> Shown:
    """The score and its parts, sentence by sentence; those of the text before while this one is being scored."""
    shown: dict[str, Shown] = st.session_state["shown"]
    last = shown.get(spec, Shown())
    if isinstance(before.outcome, Result):
        last = replace(last, before=before.outcome.score)
    if isinstance(after.outcome, Result):
        by_span = {part.span: part.score for part in after.outcome.parts}
        texts = (*(other for other in last.texts if other != text), text)[-_TEXTS:]
        last = Shown(last.before, after.outcome.score, tuple(map(by_span.get, sentences(text))), texts)
    shown[spec] = last
    return last if isinstance(after.outcome, Result) or after.state in _PENDING else Shown()


def _if_different(saved: Outcome | None, now: Outcome | None) -> float | None:
    """The saved score where the same text has another one now."""
    if not isinstance(saved, Result) or not isinstance(now, Result):
        return None
    return saved.score if abs(saved.score - now.score) > _SAME else None


def _notes(outcome: Outcome | None, saved: Outcome | None) -> tuple[str, ...]:
    if not isinstance(outcome, Result):
        return ()
    cut = [f"{outcome.seen.cut} tokens were cut off"] if outcome.seen.cut else []
    changed = isinstance(saved, Result) and saved.signature != outcome.signature
    return (*cut, *(["saved with other weights or settings"] if changed else []))


def _action(cell: Cell) -> Action:
    if cell.state is State.NEEDS_DOWNLOAD:
        return "download"
    mendable = {FailureKind.LOAD, FailureKind.OUT_OF_MEMORY, FailureKind.ERROR}
    return "retry" if isinstance(cell.outcome, Failure) and cell.outcome.kind in mendable else ""
