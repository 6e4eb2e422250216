"""The score board: every metric's reaction to an edit, one row each, and its heat-map over the summary's sentences.

Mount it in the main script, so that a click is answered while scores still arrive, and let the fragment that waits
for the scores show each newer board through `board_feed`. What was clicked is `board_state(key).selected`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from pages.ui.probe.board_rows import Board, RowAction, Selection, board_data
from pages.ui.shared.markup import register_component, render_html
from pages.ui.shared.session_state import component_message, page_state
from pages.ui.shared.terms import component_term

_board_component = register_component("board")
_COLUMN_TERMS = (("metric", "Metric"), ("shift", "Shift"), ("noise", "Noise band"))


@dataclass(eq=False)
class BoardState:
    """The board of one key as it was sent last, how often it was, and what was selected by how many clicks."""

    board: Board = field(default_factory=lambda: Board((), ()))
    versions: int = 0
    selected: Selection | None = None
    clicks: int = 0


def board_state(key: str) -> BoardState:
    return page_state(BoardState, key)


def score_board(
    board: Board, *, key: str, on_select: Callable[[], None], on_action: Callable[[str, str], None]
) -> None:
    """Mount the board, once per run; `on_action` is given the metric's spec and the row's action."""

    def store_selection() -> None:
        state = board_state(key)
        if message := read_selection(component_message(key).get("selected"), state.board):
            state.selected, state.clicks = message
            on_select()

    def forward_action() -> None:
        if action := read_action(component_message(key).get("action"), board_state(key).board):
            on_action(*action)

    _board_component(
        key=key,
        data={**_board_message(board, key), "terms": {column: component_term(term) for column, term in _COLUMN_TERMS}},
        on_selected_change=store_selection,
        on_action_change=forward_action,
    )


def board_feed(key: str, draw_headline: Callable[[Board], None]) -> Callable[[Board], None]:
    """A function that shows a board in the mounted one and its headline, as often as wished within one run; one that is shown is not sent again.

    Streamlit refuses to mount a keyed component twice in a run, so the newer board travels in a hidden element.
    """
    place = st.container(key=f"{key}-feed")
    slot: list[st.delta_generator.DeltaGenerator] = []

    def show(board: Board) -> None:
        if board == board_state(key).board:
            return
        draw_headline(board)
        message = render_html("feed.html", key=key, message=_board_message(board, key))
        slot[:] = [(slot[0] if slot else place).html(message)]

    return show


def read_selection(message: object, board: Board) -> tuple[Selection, int] | None:
    """The selection in a message from the browser and the number of its click; None when the board has no such place."""
    specs = {row.spec for row in board.rows}
    match message:
        case {"spec": str(spec), "sentence": None, "clicks": int(clicks)} if spec in specs:
            return Selection(spec, None), clicks
        case {"spec": str(spec), "sentence": int(sentence), "clicks": int(clicks)} if spec in specs:
            return (Selection(spec, sentence), clicks) if 0 <= sentence < len(board.sentences) else None
    return None


def read_action(message: object, board: Board) -> tuple[str, RowAction] | None:
    """The spec and action in a message from the browser; None unless a row of the board offers just that."""
    match message:
        case {"spec": str(spec), "action": str(action)} if action:
            offers = [row.action for row in board.rows if row.spec == spec and row.action == action]
            return (spec, offers[0]) if offers else None
    return None


def _board_message(board: Board, key: str) -> dict[str, object]:
    state = board_state(key)
    state.board = board
    # The two ways to the screen may overtake each other: the browser draws the highest number it has seen.
    state.versions += 1
    return {"feed": key, "drawn": state.versions, "clicks": state.clicks, **board_data(board)}
