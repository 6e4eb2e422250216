"""From the engine's cells to the board: scores that fill in while the run stays open, with the null band of each metric."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten

import streamlit as st

from core.base import apart_from_code, memoize
from core.edits import read_battery, sentence_origins, standard_battery
from core.model_reference import asks_endpoint, local_checkpoints
from core.results import NullBands, SignedMetrics, bundled_harmless_shifts, changed_words
from core.scoring import (
    METRICS,
    NO_CLAIM,
    BoardCell,
    CellKey,
    CellState,
    Metric,
    Request,
    part_of_unit,
)
from core.text import LAYOUT_NOTE, find_mark, layout_units, name_contexts, units_without_claim
from core.text import edits as executable
from core.types import Edit, Example, Failure, FailureKind, Outcome, Part, Result, Span, WordScore
from pages.server import services
from pages.ui.probe.blind_labels import note_scores_shown
from pages.ui.probe.board_rows import (
    Board,
    BoardRow,
    LastShown,
    Noise,
    RowAction,
    Selection,
    beyond_noise,
    board_verdict,
    is_to_come,
)
from pages.ui.probe.fast_set import SCORE_ALL_KEY, last_edit_s, metrics_to_ask, waits_for_key
from pages.ui.probe.pair import current_intention, current_pair, edited_summary, saved_outcomes
from pages.ui.probe.probe_state import probe_state
from pages.ui.probe.score_board import board_state

Cells = Mapping[CellKey, BoardCell]
_LOOK_S = 0.2  # how often what arrives beside the scores is looked for
_NOTICE_S = 0.03  # how long a click or a new text may wait for the open run to notice it
_TOGETHER = 3  # what arrives within so many of these is drawn at once


@st.cache_resource(show_spinner=False, on_release=NullBands.close)
def shared_null_bands() -> NullBands:
    """Null bands that were measured, for every session."""
    battery = read_battery(services.settings().noise_battery)
    of_the_same = bundled_harmless_shifts if battery.sha256 == standard_battery().sha256 else dict
    return NullBands(services.shared_engine(), of_the_same, battery)


def measure_null_bands(request: Request, cells: Cells) -> SignedMetrics:
    """Start measuring the noise bands of the metrics that have scored the pair, the cheapest first; returns these metrics."""
    signed = {
        metric: [
            outcome.signature
            for example in request.examples
            if isinstance(outcome := cells[metric.spec, example.id].outcome, Result)
        ]
        for metric in request.metrics
        if _can_be_measured(metric)
    }
    scored = [metric for metric, signatures in signed.items() if len(signatures) == len(request.examples)]
    measured = {
        signed[metric][0]: metric
        for metric in sorted(scored, key=lambda metric: (bool(metric.checkpoints()), last_edit_s(metric.spec) or 0.0))
    }
    shared_null_bands().measure(measured, request.examples[0])
    return measured


def is_measuring(measured: SignedMetrics, request: Request) -> bool:
    """True while some of these bands are pending and there is an edit to compare with them."""
    original, edited = request.examples
    return original.summary != edited.summary and _measured_count(measured, request) < len(measured)


def wait_for_null_band(measured: SignedMetrics, request: Request) -> None:
    """Wait a moment for the next band."""
    count = _measured_count(measured, request)
    for _ in range(round(_LOOK_S / _NOTICE_S)):
        if shared_null_bands().wait(measured, request.examples[0], count, _NOTICE_S) > count:
            return
        probe_state()  # as for the scores


def noise_of(metric: Metric, scored: Outcome | None, original: Example, edited: Example) -> Noise:
    """Noise of a metric under harmless edits of this size, if it is measured; `scored` is the outcome of the original summary."""
    if original.summary == edited.summary:
        return Noise()
    changed = _changed_word_count(original.summary, edited.summary, current_pair().declared)
    if isinstance(scored, Result) and (band := shared_null_bands().band(scored.signature, original, changed)):
        return Noise(band, battery=shared_null_bands().battery.signature)
    return Noise(words="measuring" if _can_be_measured(metric) else "not measured")


def _measured_count(measured: SignedMetrics, request: Request) -> int:
    return sum(shared_null_bands().shifts(signature, request.examples[0]) is not None for signature in measured)


def _can_be_measured(metric: Metric) -> bool:
    return not waits_for_key(metric) and not asks_endpoint(metric.checkpoints())


@memoize(64)
def _changed_word_count(original: str, edited: str, declared: tuple[Edit, ...]) -> int:
    return changed_words(original, executable.recover(original, edited, declared))


BOARD_KEY = "board"
_SIDES = ("original", "edited")
_FAST_LANE_S = 0.3  # on a busy machine lexical metrics take so long; waiting for them saves a second drawing
_MAX_TEXTS = 50  # undo and redo walk among them without asking
_QUOTE_CHARACTERS = 400
_TOLERANCE = 1e-6  # machines may differ by so much
_PENDING = (CellState.QUEUED, CellState.LOADING, CellState.RUNNING)


def request_scores(metrics: Sequence[Metric]) -> Request:
    """Ask for the current pair, all but what waits for the key; what this session asked before is cancelled."""
    examples = _pair_examples()
    # the metrics whose numbers for just these texts were shown recently: asking again costs nothing
    original, edited = (example.summary for example in examples)
    recently_shown = {
        spec
        for spec, last in probe_state().last_shown.items()
        if last.before is not None and edited in (original, *last.texts)
    }
    request = services.engine().submit(
        services.session_owner(), metrics_to_ask(metrics, examples, recently_shown), examples
    )
    probe_state().request = request

    # what needs no model has its score in the first drawing, unless time is up
    lexical = [place for place, task in request.tasks.items() if not task.conversation.checkpoints]
    deadline = time.monotonic() + _FAST_LANE_S
    while (remaining := deadline - time.monotonic()) > 0:
        version, cells = services.engine().cells(request)
        if not has_pending({place: cells[place] for place in lexical}):
            break
        services.engine().wait(request, version, remaining)
    return request


def current_cells(request: Request) -> Cells:
    return services.engine().cells(request)[1]


def build_board(metrics: Sequence[Metric], request: Request, cells: Cells) -> Board:
    """The board of one consistent look at the cells; metrics that were not asked wait for their key."""
    text = request.examples[1].summary
    spans = layout_units(text)
    saved = {outcome.metric: outcome for outcome in saved_outcomes() if outcome.example_id == "edited"}
    rows = []
    for metric in metrics:
        if metric in request.metrics:
            rows.append(_score_row(metric, request, cells, saved.get(metric.spec)))
        else:  # it was not asked about this text, and shows its last score as what it is
            last, message = probe_state().last_shown.get(metric.spec, LastShown()), f"press {SCORE_ALL_KEY}"
            rows.append(
                replace(_empty_row(metric), state="waiting", message=message, before=last.before, after=last.after)
            )
    if not any(map(is_to_come, rows)):
        moved = beyond_noise(rows, current_intention())
        probe_state().noticed, probe_state().moved = max(moved, key=moved.__getitem__, default=""), frozenset(moved)
    if any(row.after is not None for row in rows):
        note_scores_shown()
    rows.sort(key=lambda row: row.spec not in probe_state().moved)
    selection = current_selection(request)
    sentence = selection.sentence if selection.sentence is not None and selection.sentence < len(spans) else None
    sentences_shown = tuple(span.of(text) for span in spans)

    cell = cells.get((selection.spec, "edited"))
    example = request.examples[1]
    if cell is None or not isinstance(cell.outcome, Result):
        quotes: tuple[str, ...] = ()
    else:
        parts = [part_of_unit(cell.outcome.parts, span) for span in spans]
        quotes = tuple(shorten(_quote(example, part), _QUOTE_CHARACTERS, placeholder=" …") for part in parts)

    return Board(tuple(rows), sentences_shown, selection.spec, sentence, quotes, current_intention())


def _quote(example: Example, part: Part | None) -> str:
    """The evidence of a part, after the name of the context that has it."""
    if part is None or part.evidence is None:
        return ""
    name, words = name_contexts(example.contexts, part.evidence), part.evidence.of(example.document)
    return f"{name}: {words}" if name else words


def current_selection(request: Request) -> Selection:
    """The metric and sentence that were clicked last, by themselves those of the metric that noticed the edit most clearly.

    ROUGE-2 or the first metric where none noticed it.
    """
    selection = board_state(BOARD_KEY).selected
    specs = [metric.spec for metric in request.metrics]
    if selection and selection.spec in {*specs, *(probe_state().metrics or ())}:
        return selection
    usual = "rouge2" if "rouge2" in specs else next(iter(specs), "")
    return Selection(probe_state().noticed if probe_state().noticed in specs else usual, None)


def has_pending(cells: Cells) -> bool:
    return any(cell.state in _PENDING for cell in cells.values())


def wait_for_scores(request: Request, version: int) -> None:
    """Wait a while for another score; a run that is overtaken meanwhile ends at once."""
    for _ in range(round(_LOOK_S / _NOTICE_S)):
        if services.engine().wait(request, version, _NOTICE_S):
            for _ in range(_TOGETHER):
                time.sleep(_NOTICE_S)
                probe_state()
            return
        probe_state()  # Streamlit ends an overtaken run where the session's state is read


def texts_fingerprint(document: str, summary: str) -> str:
    """Eight characters that name the texts a finished board belongs to."""
    return hashlib.sha256(f"{document}\0{summary}".encode("utf-8", "surrogatepass")).hexdigest()[:8]


def finished_outcomes() -> tuple[Outcome, ...]:
    """The scores of both sides of the current pair, as far as they are there."""
    request = probe_state().request
    if request is None or request.examples != _pair_examples():
        return ()
    return tuple(cell.outcome for cell in current_cells(request).values() if isinstance(cell.outcome, Result))


def finished_reaction() -> str:
    """Sentence on how many metrics noticed the edit of the current pair, as above the board."""
    request = probe_state().request
    if request is None or request.examples != _pair_examples():
        return ""
    return board_verdict(build_board(request.metrics, request, current_cells(request)))


def run_row_action(spec: str, action: str) -> None:
    """Download, load or try again what a row needs."""
    engine = services.engine()
    for checkpoint in local_checkpoints(METRICS.parse(spec).checkpoints()):
        (engine.pool.fetch if action == "download" else engine.pool.retry)(checkpoint)
    engine.release(services.session_owner())


def _pair_examples() -> tuple[Example, ...]:
    """The texts of the current pair."""
    texts = zip(_SIDES, (current_pair().original, edited_summary()), strict=True)
    return tuple(current_pair().as_example(side, summary) for side, summary in texts)


def _score_row(metric: Metric, request: Request, cells: Cells, saved: Outcome | None) -> BoardRow:
    text = request.examples[1].summary
    before, after = (cells[metric.spec, side] for side in _SIDES)
    shown = after if after.state is not CellState.READY else before
    last = _latest_shown(metric.spec, before, after, text)
    if shown.state is CellState.NEEDS_DOWNLOAD:
        action: RowAction = "download"
    else:
        can_be_retried = {FailureKind.LOAD, FailureKind.OUT_OF_MEMORY, FailureKind.ERROR}
        action = "retry" if isinstance(shown.outcome, Failure) and shown.outcome.kind in can_be_retried else ""
    if not isinstance(saved, Result) or not isinstance(after.outcome, Result):
        saved_if_different = None
    else:
        saved_if_different = saved.score if abs(saved.score - after.outcome.score) > _TOLERANCE else None

    outcome = after.outcome
    if not isinstance(outcome, Result):
        notes: tuple[str, ...] = ()
    else:
        cut = [f"{outcome.seen.cut} tokens were cut off"] if outcome.seen.cut else []
        layout = [note for note in outcome.seen.notes if note.startswith((LAYOUT_NOTE, NO_CLAIM))]
        notes = (*cut, *layout, *_saved_by(saved, outcome))
    return replace(
        _empty_row(metric),
        state=shown.state.value,
        message=shown.message,
        before=before.outcome.score if isinstance(before.outcome, Result) else None,
        after=last.after,
        seconds=after.outcome.seconds if isinstance(after.outcome, Result) else None,
        parts=last.parts[: len(layout_units(text))],
        words=_words_by_sentence(after.outcome, text),
        no_claim=places_without_claim(after.outcome, text),
        parts_before=_parts_before(before.outcome, request) if isinstance(after.outcome, Result) else (),
        notes=notes,
        unverified=_language_mark(before.outcome) or _language_mark(after.outcome),
        saved=saved_if_different,
        action=action,
        noise=noise_of(metric, before.outcome, *request.examples),
    )


def _saved_by(saved: Outcome | None, outcome: Result) -> list[str]:
    """A note where the score that was saved is of another metric in all but name."""
    if not isinstance(saved, Result) or saved.signature == outcome.signature:
        return []
    if apart_from_code(saved.signature) != apart_from_code(outcome.signature):
        return ["saved with other weights or settings"]
    return ["saved with other code"] if abs(saved.score - outcome.score) > _TOLERANCE else []


def _words_by_sentence(outcome: Outcome | None, text: str) -> tuple[tuple[WordScore, ...], ...]:
    """The scored words of each sentence, placed from its start; nothing where the metric scores no words."""
    if not isinstance(outcome, Result) or not any(part.words for part in outcome.parts):
        return ()
    words = [word for part in outcome.parts for word in part.words]
    return tuple(
        tuple(
            WordScore(Span(word.span.start - span.start, word.span.end - span.start), word.score)
            for word in words
            if span.start <= word.span.start and word.span.end <= span.end
        )
        for span in layout_units(text)
    )


def places_without_claim(outcome: Outcome | None, text: str) -> frozenset[int]:
    """Places of the sentences of a text that no claim is of; none where the metric scores no claims."""
    if not isinstance(outcome, Result) or not outcome.claims:
        return frozenset()
    uncovered = units_without_claim(text, (claim_score.claim for claim_score in outcome.claims))
    return frozenset(place for place, unit in enumerate(layout_units(text)) if unit in uncovered)


def _parts_before(outcome: Outcome | None, request: Request) -> tuple[float | None, ...]:
    """The score that each sentence had before the edit; nothing where there is no edit."""
    original, edited = (example.summary for example in request.examples)
    if original == edited or not isinstance(outcome, Result):
        return ()
    scores = _unit_scores(outcome, original)
    origins = _sentence_origins(original, edited, current_pair().declared)
    return tuple(None if origin is None else scores[origin] for origin in origins)


def _unit_scores(outcome: Result, summary: str) -> tuple[float | None, ...]:
    parts = [part_of_unit(outcome.parts, span) for span in layout_units(summary)]
    return tuple(part.score if part else None for part in parts)


@memoize(64)
def _sentence_origins(original: str, edited: str, declared: tuple[Edit, ...]) -> list[int | None]:
    return sentence_origins(original, executable.recover(original, edited, declared))


def _empty_row(metric: Metric) -> BoardRow:
    card = metric.card
    return BoardRow(metric.spec, card.title, card.family, low=card.low, high=card.high, direction=card.direction)


def _latest_shown(spec: str, before: BoardCell, after: BoardCell, text: str) -> LastShown:
    """The score and its parts, sentence by sentence; those of the text before while this one is being scored."""
    shown = probe_state().last_shown
    last = shown.get(spec, LastShown())
    if isinstance(before.outcome, Result):
        last = replace(last, before=before.outcome.score)
    if isinstance(after.outcome, Result):
        texts = (*(other for other in last.texts if other != text), text)[-_MAX_TEXTS:]
        last = LastShown(last.before, after.outcome.score, _unit_scores(after.outcome, text), texts)
    shown[spec] = last
    return last if isinstance(after.outcome, Result) or after.state in _PENDING else LastShown()


def _language_mark(outcome: Outcome | None) -> str:
    return find_mark(outcome.seen.notes) if isinstance(outcome, Result) else ""
