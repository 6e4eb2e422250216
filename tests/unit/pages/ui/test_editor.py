"""What the editor believes of what a browser sends."""

from __future__ import annotations

import pytest

from core.types import Span
from pages.ui.probe.text_panes import MAX_CHARACTERS, Replacement, read_replacement, read_text

AFTER = "The 😀 council rejected it."
SENT = {"start": 14, "end": 22, "old": "approved", "new": "rejected", "explanation": "It said no.", "doc_rev": 3}


def test_the_text_of_the_current_revision_is_read() -> None:
    assert read_text({"value": "A 😀.", "doc_rev": 3}, 3) == "A 😀."


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        {},
        {"value": "older", "doc_rev": 2},
        {"value": 5, "doc_rev": 3},
        {"value": "no revision"},
        {"value": "x" * (MAX_CHARACTERS + 1), "doc_rev": 3},
    ],
)
def test_a_text_that_is_malformed_too_long_or_of_an_older_revision_is_dropped(message: object) -> None:
    assert read_text(message, 3) is None


def test_the_longest_text_is_still_read() -> None:
    assert read_text({"value": "x" * MAX_CHARACTERS, "doc_rev": 3}, 3) == "x" * MAX_CHARACTERS


def test_a_replacement_is_read_in_code_points() -> None:
    assert read_replacement(SENT, 3, AFTER) == Replacement(Span(14, 22), "approved", "rejected", "It said no.")


@pytest.mark.parametrize(
    "change",
    [
        {"doc_rev": 2},
        {"start": -1},
        {"end": 23},
        {"start": 22, "end": 14},
        {"old": "approve"},
        {"new": "refused"},
        {"old": "rejected"},
        {"explanation": None},
        {"start": "14"},
    ],
)
def test_a_replacement_that_cannot_have_led_to_the_text_is_dropped(change: dict[str, object]) -> None:
    assert read_replacement({**SENT, **change}, 3, AFTER) is None


def test_a_deletion_is_a_replacement_by_nothing() -> None:
    sent = {**SENT, "start": 3, "end": 5, "old": " x", "new": "", "explanation": ""}
    assert read_replacement(sent, 3, "The end.") == Replacement(Span(3, 5), " x", "", "")
