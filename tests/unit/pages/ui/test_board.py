"""What the score board believes of what a browser sends."""

from __future__ import annotations

import pytest

from pages.ui.probe.board_rows import Board, BoardRow, Selection
from pages.ui.probe.score_board import read_action, read_selection

BOARD = Board(
    (BoardRow("a", "A", "f"), BoardRow("b", "B", "f", state="needs download", action="download")), ("One.", "Two.")
)


def test_a_known_metric_and_sentence_are_selected() -> None:
    assert read_selection({"spec": "b", "sentence": 1, "clicks": 1}, BOARD) == (Selection("b", 1), 1)


def test_a_metric_alone_can_be_selected() -> None:
    assert read_selection({"spec": "a", "sentence": None, "clicks": 1}, BOARD) == (Selection("a", None), 1)


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        {"spec": "c", "sentence": 0, "clicks": 1},
        {"spec": "a", "sentence": 2, "clicks": 1},
        {"spec": "a", "sentence": -1, "clicks": 1},
        {"spec": "a", "sentence": "0", "clicks": 1},
        {"spec": "a", "clicks": 1},
        {"spec": ["a"], "sentence": None, "clicks": 1},
        {"spec": "a", "sentence": 0},
    ],
)
def test_what_the_board_does_not_have_cannot_be_selected(message: object) -> None:
    assert read_selection(message, BOARD) is None


def test_an_action_is_taken_only_where_its_row_offers_it() -> None:
    assert read_action({"spec": "b", "action": "download"}, BOARD) == ("b", "download")
    for message in (
        {"spec": "b", "action": "retry"},
        {"spec": "a", "action": ""},
        {"spec": "a", "action": "load"},
        None,
    ):
        assert read_action(message, BOARD) is None
