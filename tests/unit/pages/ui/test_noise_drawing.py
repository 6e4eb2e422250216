"""What the score board prints of a shift before its null band."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.results.runs.noise_strip import format_edge, mark_place
from core.results.runs.null_bands import NullBand
from core.results.runs.stress_run import Plan, StressRun
from core.stats.score_pairs import Move, classify_move
from pages.ui.metrics.metric_evidence import batteries_sentence
from pages.ui.probe.board_rows import BoardRow, Noise, RowState, noise_data, shift_move

BAND = NullBand(-0.1, 0.2, 0.05, 12)


def row(after: float | None, told: Noise, state: RowState = "ready") -> BoardRow:
    return BoardRow("m", "Metric", "family", state=state, before=0.5, after=after, low=0.0, high=1.0, noise=told)


@pytest.mark.parametrize(
    ("after", "text", "side"), [(0.65, "0.8", "within"), (0.0, "5.0", "outside"), (0.5, "0.0", "within")]
)
def test_a_shift_is_a_distance_to_the_edge_of_the_noise_on_its_side(after: float, text: str, side: str) -> None:
    drawn = noise_data(row(after, Noise(BAND)))
    assert drawn["text"] == text
    assert str(drawn["about"]).endswith(f"This shift lies {side}, at {text} of the way to the edge.")


@pytest.mark.parametrize(
    ("edge", "text"), [(0.0, "0.0"), (0.62, "0.6"), (0.96, "0.96"), (1.04, "1.04"), (23.7, "23.7"), (400.0, "> 100")]
)
def test_a_distance_near_the_edge_is_told_precisely_enough_for_its_side(edge: float, text: str) -> None:
    assert format_edge(edge) == text


def test_the_distance_and_the_colour_agree_on_what_is_noise() -> None:
    for shift in (-0.3, -0.1001, -0.0999, 0.0, 0.1, 0.1999, 0.2001, 1.0):
        edge = BAND.edge(shift)
        assert edge is not None
        assert (edge <= 1.0) == (classify_move(shift, BAND.range, "higher", preserving=False) is Move.STILL)


def test_every_shift_has_a_place_on_the_strip_and_the_edges_always_the_same() -> None:
    shifts = (-50.0, -0.1, 0.0, 0.2, 50.0)
    places = [mark_place(BAND.edge(shift), shift) for shift in shifts]
    assert places == pytest.approx([0.02, 0.25, 0.5, 0.75, 0.98], abs=0.002)


@pytest.mark.parametrize(("n", "share"), [(12, "all shift"), (30, "95 % shift")])
def test_a_band_says_what_it_rests_on(n: int, share: str) -> None:
    assert noise_data(row(0.9, Noise(replace(BAND, n=n))))["about"] == (
        f"Of {n} harmless edits of about the same size, {share} the score by −0.1 to +0.2. "
        "This shift lies outside, at 2.0 of the way to the edge."
    )


def test_a_band_says_how_many_of_its_edits_are_of_other_pairs() -> None:
    about = str(noise_data(row(0.9, Noise(replace(BAND, n=30, elsewhere=18))))["about"])
    assert about.startswith("Of 30 harmless edits of about the same size (18 of bundled pairs), 95 % shift the score")


def test_a_band_names_the_battery_of_its_edits() -> None:
    about = str(noise_data(row(0.9, Noise(BAND, battery="touchstone-1:1cfe863d")))["about"])
    assert about.endswith(" of the way to the edge. Battery: touchstone-1:1cfe863d.")


def test_noise_of_different_batteries_side_by_side_is_said() -> None:
    runs = [
        StressRun(Plan(name, (), (), battery=battery)) for name, battery in (("a", "one:1"), ("b", "one:1"), ("c", ""))
    ]
    assert batteries_sentence(runs[:2]) == ""
    assert batteries_sentence(runs).startswith("These runs are of different batteries, one:1 and none named:")


def test_a_band_of_edits_of_any_size_is_marked() -> None:
    drawn = noise_data(row(0.65, Noise(NullBand(-0.1, 0.2, 0.05, 12, any_size=True))))
    assert drawn["text"] == "≈ 0.8"
    assert "any size" in str(drawn["about"])


def test_too_few_harmless_edits_leave_the_noise_unknown() -> None:
    drawn = noise_data(row(0.9, Noise(NullBand(None, None, None, 3))))
    assert (drawn["text"], drawn["place"]) == ("unknown", None)
    assert "Only 3 harmless edits" in str(drawn["about"])


@pytest.mark.parametrize("words", ["measuring", "not measured"])
def test_what_is_not_known_yet_says_why(words: str) -> None:
    drawn = noise_data(row(0.9, Noise(words=words)))
    assert (drawn["text"], drawn["place"]) == (words, None)
    assert drawn["about"]


def test_harmless_edits_that_move_nothing_leave_the_noise_unknown() -> None:
    one = row(0.9, Noise(NullBand(0.0, 0.0, 0.0, 12)))
    assert (noise_data(one)["text"], noise_data(one)["place"]) == ("unknown", None)
    assert "none moves the score" in str(noise_data(one)["about"])
    assert shift_move(one, preserving=False) is Move.UNKNOWN


def test_without_a_shift_there_is_nothing_to_compare() -> None:
    for one in (row(None, Noise(BAND)), row(0.9, Noise(BAND), "running"), row(0.9, Noise())):
        assert (noise_data(one)["text"], noise_data(one)["place"]) == ("", None)
