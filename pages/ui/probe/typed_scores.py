"""Scores of a text that was just typed, shown before the rest of the page is drawn again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from annotations.store.records import RightsError, UnavailableError
from core.scoring.metric import Metric
from pages.server import services
from pages.ui.probe.board_rows import Board
from pages.ui.probe.board_scores import (
    BOARD_KEY,
    build_board,
    current_cells,
    has_pending,
    request_scores,
    wait_for_scores,
)
from pages.ui.probe.headline import edit_headline
from pages.ui.probe.pair import note_change
from pages.ui.probe.probe_state import probe_state
from pages.ui.probe.score_board import board_feed
from pages.ui.shared.script_run import is_fragment_run
from pages.ui.shared.session_user import current_member

_TYPED_KEY = "typed"
_REST_S = 0.4  # the page is drawn again when nothing was typed for so long
_NOTICE_S = 0.03  # how long the next key may wait for this one's run to notice it


def score_typed() -> None:
    """Take what came from the editor, and run `typed_scores` alone; for who is not known any more the page runs, with its gate."""
    note_change()
    try:
        current_member()
    except (RightsError, UnavailableError):
        return
    st.rerun(_TYPED_KEY)


@st.fragment(key=_TYPED_KEY)
def typed_scores(metrics: Sequence[Metric], board: Board) -> Callable[[Board], None]:
    """Draw the headline of `board`; the function that is returned shows a newer one, with its headline.

    After a key only this runs, with the scores of the text as it then is. A run of the page costs server and browser several times as much:
    where several people type, they would wait for each other's pages.
    """
    with st.container(gap=None):
        draw_headline = edit_headline()
        show = board_feed(BOARD_KEY, draw_headline)
    if not is_fragment_run():
        draw_headline(board)
        return show
    request = request_scores(metrics)
    rested = time.monotonic() + _REST_S
    # a board that stands there already is not shown again, and a headline that no run of its fragment draws would go
    draw_headline(build_board(metrics, request, current_cells(request)))
    while True:
        version, cells = services.engine().cells(request)
        show(build_board(metrics, request, cells))
        if time.monotonic() > rested:
            st.rerun()
        if has_pending(cells):
            wait_for_scores(request, version)
        else:
            time.sleep(_NOTICE_S)
            probe_state()  # Streamlit ends an overtaken run where the session's state is read
