"""From the engine's cells to the board: rows that fill in while the run stays open."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import streamlit as st

from core.job import Cell, CellKey, Request, State
from core.metric import Metric
from core.text import sentences
from core.types import Example, Failure, FailureKind, Outcome, Result
from pages.ui import pair as bench
from pages.ui import services
from pages.ui.board import Action, Board, Row, Selection

BOARD = "board"
_SIDES = ("original", "edited")
_FAST_LANE_S = 0.08  # lexical metrics answer within this; waiting for them saves a flicker
_LOOK_S = 0.2  # how long a click may wait for the open run to notice it
_PENDING = (State.QUEUED, State.LOADING, State.RUNNING)

Cells = Mapping[CellKey, Cell]


def ask(metrics: Sequence[Metric]) -> Request:
    """Ask for the pair as it stands now; what this session asked before is cancelled."""
    document = bench.current().document
    texts = zip(_SIDES, (bench.current().original, bench.edited()), strict=True)
    request = services.engine().submit(
        services.owner(), metrics, [Example(side, document, summary) for side, summary in texts]
    )
    st.session_state["request"] = request
    version, cells = services.engine().cells(request)
    if any(cell.state in _PENDING for cell in cells.values()):
        services.engine().wait(request, version, _FAST_LANE_S)
    return request


def cells_of(request: Request) -> Cells:
    return services.engine().cells(request)[1]


def board_of(request: Request, cells: Cells) -> Board:
    """The board of one consistent look at the cells."""
    text = request.examples[1].summary
    spans = sentences(text)
    saved = {outcome.metric: outcome for outcome in bench.current().saved if outcome.example_id == "edited"}
    rows = tuple(_row(metric, cells, len(spans), text, saved.get(metric.spec)) for metric in request.metrics)
    chosen = selection(request)
    sentence = chosen.sentence if chosen.sentence is not None and chosen.sentence < len(spans) else None
    return Board(rows, tuple(span.of(text) for span in spans), chosen.spec, sentence)


def selection(request: Request) -> Selection:
    """The metric and sentence that were clicked last; ROUGE-2 or the first metric where none was or it left the board."""
    chosen: Selection | None = st.session_state.get(f"{BOARD}.selected")
    specs = [metric.spec for metric in request.metrics]
    if chosen and chosen.spec in specs:
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
    if request is None or request.examples[1].summary != bench.edited():
        return ()
    return tuple(cell.outcome for cell in cells_of(request).values() if isinstance(cell.outcome, Result))


def act(spec: str, action: str) -> None:
    """Download, load or try again what a row needs."""
    engine, request = services.engine(), st.session_state["request"]
    metric = next(metric for metric in request.metrics if metric.spec == spec)
    for checkpoint in metric.checkpoints():
        (engine.pool.fetch if action == "download" else engine.pool.retry)(checkpoint)
    engine.release(services.owner())


def _row(metric: Metric, cells: Cells, count: int, text: str, saved: Outcome | None) -> Row:
    before, after = (cells[metric.spec, side] for side in _SIDES)
    shown = next((cell for cell in (after, before) if cell.state is not State.READY), after)
    if isinstance(after.outcome, Result):
        _remember(metric.spec, after.outcome, text)
    score, parts = _recall(metric.spec)
    current = after if isinstance(after.outcome, Result) or shown.state in _PENDING else None
    old = saved.score if isinstance(saved, Result) and score is not None and abs(saved.score - score) > 1e-6 else None
    return Row(
        spec=metric.spec,
        title=metric.card.title,
        family=metric.card.family,
        state=shown.state.value,
        message=shown.message,
        before=before.outcome.score if isinstance(before.outcome, Result) else None,
        after=score if current else None,
        low=metric.card.low,
        high=metric.card.high,
        direction=metric.card.direction,
        seconds=after.outcome.seconds if isinstance(after.outcome, Result) else None,
        parts=parts[:count] if current else (),
        notes=_notes(after.outcome, saved),
        saved=old,
        action=_action(shown),
    )


def _remember(spec: str, result: Result, text: str) -> None:
    by_span = {part.span: part.score for part in result.parts}
    parts = tuple(by_span.get(span) for span in sentences(text))
    st.session_state.setdefault("shown", {})[spec] = (result.score, parts)


def _recall(spec: str) -> tuple[float | None, tuple[float | None, ...]]:
    found: tuple[float | None, tuple[float | None, ...]] = st.session_state.get("shown", {}).get(spec, (None, ()))
    return found


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
