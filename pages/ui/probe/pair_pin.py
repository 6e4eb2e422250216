"""The button that pins the pair on the bench, with the verdict on its edit and the scores that are there."""

from __future__ import annotations

from core.assessment import PairSource, Pin, pair_pin
from core.errors import TouchstoneError
from core.types import Result, StoredScore
from pages.ui.probe.board_scores import BOARD_KEY, finished_outcomes, finished_reaction
from pages.ui.probe.headline import headline_chips
from pages.ui.probe.pair import current_edits, current_intention, current_pair, edited_summary, note_change
from pages.ui.probe.score_board import board_state
from pages.ui.results.pin_form import pin_button
from pages.ui.shared.pair_link import pair_link


def pair_pin_button() -> None:
    """Draw the button."""
    pin_button("pair", {"Pair": _pinned_pair})


def _pinned_pair() -> Pin:
    """Raises TouchstoneError where no score is there."""
    note_change()
    pair, meant, board = current_pair(), current_intention(), board_state(BOARD_KEY).board
    signatures = {outcome.metric: outcome.signature for outcome in finished_outcomes() if isinstance(outcome, Result)}
    rows = [row for row in board.rows if row.spec in signatures]
    if not rows:
        raise TouchstoneError("No metric has scored this pair yet. Wait for the first score, and pin it then.")
    words = {chip.title: chip.word for chip in headline_chips(board)}
    scores = [
        (
            StoredScore(row.spec, row.before, signatures[row.spec]),
            StoredScore(row.spec, row.after, signatures[row.spec]),
        )
        for row in rows
    ]
    source = PairSource(
        pair.document,
        pair.original,
        edited_summary(),
        tuple(row.spec for row in rows),
        meant.verdict or "",
        meant.error_type or "",
        tuple((context.name, context.span.start, context.span.end) for context in pair.contexts),
        pair.question,
        pair_link(pair.example, pair.original, current_edits(), meant) if pair.example else "",
        finished_reaction() or "The summary is not edited.",
    )
    title = " · ".join(filter(None, [pair.domain.capitalize(), pair.title])) or "Another text"
    return pair_pin(title, source, scores, {row.spec: words.get(row.title, "") for row in rows})
