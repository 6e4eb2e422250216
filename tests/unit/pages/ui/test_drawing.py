"""What the score board prints for a row of numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.results.runs.null_bands import NullBand
from core.stats.score_pairs import Move
from core.types import Direction, Intention, Verdict
from pages.ui.probe.board_rows import (
    Board,
    BoardRow,
    Noise,
    board_data,
    format_duration,
    format_number,
    format_score,
    heat_steps,
    relative_position,
    shift_words,
)


def row(
    before: float | None, after: float | None, direction: Direction = "higher", high: float | None = 1.0
) -> BoardRow:
    low = None if high is None else 0.0
    return BoardRow("m", "Metric", "family", before=before, after=after, low=low, high=high, direction=direction)


def drawn(one: BoardRow) -> dict[str, object]:
    rows = board_data(Board((one,), ()))["rows"]
    assert isinstance(rows, list)
    return rows[0]


@pytest.mark.parametrize(
    ("value", "high", "text"),
    [
        (0.4321, 1.0, "0.432"),
        (-0.5, 1.0, "−0.500"),
        (41.26, 100.0, "41.3"),
        (-123.45, None, "−123.5"),
        (None, 1.0, "–"),
    ],
)
def test_a_number_has_the_decimals_that_its_range_deserves(value: float | None, high: float | None, text: str) -> None:
    assert format_number(value, None if high is None else 0.0, high) == text


@pytest.mark.parametrize(
    ("direction", "before", "after", "words"),
    [
        ("higher", 0.2, 0.9, "more consistent"),
        ("higher", 0.9, 0.2, "less consistent"),
        ("lower", 0.2, 0.9, "less consistent"),
        ("lower", 0.9, 0.2, "more consistent"),
        ("neutral", 0.2, 0.9, ""),
        ("higher", 0.5, 0.5, ""),
    ],
)
def test_the_words_of_a_shift_follow_the_direction_of_the_metric(
    direction: Direction, before: float, after: float, words: str
) -> None:
    assert shift_words(row(before, after, direction), Move.UNKNOWN) == words


def test_a_shift_within_noise_says_so() -> None:
    assert shift_words(row(0.9, 0.2), Move.STILL) == "within noise"


@pytest.mark.parametrize(
    ("intended", "moves"),
    [
        (None, ["right way", "wrong way", "within noise", "noise unknown"]),
        (Verdict.INCONSISTENT, ["right way", "wrong way", "within noise", "noise unknown"]),
        (Verdict.CONSISTENT, ["wrong way", "wrong way", "within noise", "noise unknown"]),
    ],
)
def test_a_board_marks_the_shifts_beyond_noise_by_what_the_edit_was_meant_to_do(
    intended: Verdict | None, moves: list[str]
) -> None:
    noise = Noise(NullBand(-0.1, 0.1, 0.05, 30))
    rows = [replace(row(0.5, after), noise=noise) for after in (0.3, 0.7, 0.45)]
    board = board_data(
        Board((*rows, replace(row(0.5, 0.3), noise=Noise(words="measuring"))), (), meant=Intention(intended))
    )
    assert [one["shift"]["move"] for one in board["rows"]] == moves  # type: ignore[attr-defined]  # a record for the browser


def test_there_is_no_shift_without_both_scores() -> None:
    assert drawn(row(None, 0.4))["shift"] == {"text": "–", "words": "", "arrow": "", "move": ""}


def test_a_shift_is_signed_and_points_where_the_number_went() -> None:
    assert drawn(row(0.2, 0.9, "lower"))["shift"] == {
        "text": "+0.700",
        "words": "less consistent",
        "arrow": "▲",
        "move": "",
    }


@pytest.mark.parametrize("after", [0.5, 0.5 - 1e-9])
def test_a_shift_of_nothing_has_no_sign(after: float) -> None:
    assert drawn(row(0.5, after))["shift"] == {"text": "0.000", "words": "", "arrow": "", "move": ""}


def test_a_place_on_the_range_never_leaves_the_range() -> None:
    assert [relative_position(value, 0.0, 2.0) for value in (-1.0, 1.0, 9.0)] == [0.0, 0.5, 1.0]


def test_an_unbounded_row_has_no_range() -> None:
    assert drawn(row(1.0, 2.0, high=None))["range"] is None


def test_heat_is_strongest_where_support_is_lowest() -> None:
    assert heat_steps([0.0, 0.5, 1.0, None], 0.0, 1.0, "higher") == [4, 2, 0, None]
    assert heat_steps([0.0, 0.5, 1.0], 0.0, 1.0, "lower") == [0, 2, 4]


def test_a_score_without_a_declared_range_or_a_better_side_has_no_heat() -> None:
    assert heat_steps([-9.0, -1.0], None, 0.0, "higher") == [None, None]
    assert heat_steps([0.1, 0.9], 0.0, 1.0, "neutral") == [None, None]


def test_the_heat_of_a_sentence_does_not_depend_on_the_others() -> None:
    assert heat_steps([0.9], 0.0, 1.0, "higher") == heat_steps([0.9, 0.95, 1.0], 0.0, 1.0, "higher")[:1] == [0]


def test_a_cell_holds_the_score_before_the_edit_where_it_prints_differently() -> None:
    parts = drawn(replace(row(0.5, 0.4), parts=(0.1, 0.5, 0.2, None), parts_before=(0.9, 0.5, None, 0.3)))["parts"]
    assert parts == [
        {"text": "0.10", "step": 4, "before": "0.90", "before_step": 0},
        {"text": "0.50", "step": 2, "before": "", "before_step": 2},
        {"text": "0.20", "step": 4, "before": "", "before_step": None},
        {"text": "", "step": None, "before": "0.30", "before_step": 3},
    ]


def test_a_sentence_that_no_claim_is_of_says_so_in_its_cell() -> None:
    parts = drawn(replace(row(0.5, 0.4), parts=(0.1, None, None), no_claim=frozenset({1})))["parts"]
    assert [part.get("missing") for part in parts] == [None, "no claim", None]  # type: ignore[attr-defined]  # a record for the browser


def test_a_surface_statistic_is_described_and_neither_coloured_nor_counted() -> None:
    noise = Noise(NullBand(-0.1, 0.1, 0.05, 30))
    one = BoardRow(
        "coverage", "Coverage", "Surface", before=0.9, after=0.1, low=0.0, high=1.0, parts=(0.1,), noise=noise
    )
    board = board_data(Board((one,), ("It rained.",)))
    [found] = board["rows"]  # type: ignore[misc]  # a record for the browser
    assert board["verdict"] == ""
    assert (found["hint"], found["shift"]["words"], found["shift"]["move"]) == ("describes the text", "", "")
    assert found["parts"][0]["step"] is None


def test_a_saved_score_is_told_only_where_it_prints_differently() -> None:
    same = BoardRow("m", "Metric", "family", after=0.51234, low=0.0, high=1.0, saved=0.51230)
    other = BoardRow("m", "Metric", "family", after=0.4, low=0.0, high=1.0, saved=0.512)
    assert (drawn(same)["saved"], drawn(other)["saved"]) == ("", "0.512")


def test_a_row_says_that_its_scores_are_unverified() -> None:
    mark = "unverified: not English (de)"
    marked = BoardRow("m", "Metric", "family", after=0.4, low=0.0, high=1.0, unverified=mark)
    assert (drawn(marked)["unverified"], drawn(replace(marked, unverified=""))["unverified"]) == (mark, "")


def test_short_times_are_told_in_milliseconds() -> None:
    assert [format_duration(seconds) for seconds in (None, 0.0004, 0.0042, 1.25)] == ["", "< 1 ms", "4 ms", "1.2 s"]


def test_a_score_too_small_to_print_shows_its_magnitude() -> None:
    assert [format_score(value, 0.0, 100.0) for value in (7.2e-5, 0.0, 7.25)] == ["7e\u221205", "0.0", "7.2"]


def test_two_rows_of_one_metric_are_told_apart_by_their_settings() -> None:
    spellings = ("rouge2", "rouge2[measured=f1,stemmer=false]", "retrieve[metric=rouge2[measured=f1]]")
    told = [drawn(BoardRow(spec, "ROUGE-2", "Overlap"))["settings"] for spec in spellings]
    assert told == ["", "measured=f1,stemmer=false", "metric=rouge2[measured=f1]"]
