"""What the score board prints of a shift before its null band."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.runs.null_bands import NullBand
from core.runs.run import Plan, Run
from pages.ui.metrics.metric_evidence import batteries_sentence
from pages.ui.probe.board_rows import BoardRow, Noise, RowState, noise_data

BAND = NullBand(-0.1, 0.2, 0.05, 12)


def row(after: float | None, told: Noise, state: RowState = "ready") -> BoardRow:
    return BoardRow("m", "Metric", "family", state=state, before=0.5, after=after, low=0.0, high=1.0, noise=told)


@pytest.mark.parametrize(
    ("after", "text", "side"), [(0.65, "3.0 ×", "within"), (0.0, "10.0 ×", "outside"), (0.5, "0.0 ×", "within")]
)
def test_a_shift_is_a_multiple_of_the_mean_harmless_one(after: float, text: str, side: str) -> None:
    drawn = noise_data(row(after, Noise(BAND)))
    assert drawn["text"] == text
    assert str(drawn["about"]).endswith(f"This shift lies {side}.")


def test_the_band_and_the_shift_share_a_scale_with_no_shift_in_the_middle() -> None:
    drawn = noise_data(row(0.9, Noise(BAND)))
    assert (drawn["low"], drawn["high"], drawn["mark"]) == pytest.approx((0.38, 0.74, 0.98))
    assert noise_data(row(0.5, Noise(BAND)))["mark"] == 0.5


@pytest.mark.parametrize(("n", "share"), [(12, "all shift"), (30, "95 % shift")])
def test_a_band_says_what_it_rests_on(n: int, share: str) -> None:
    assert noise_data(row(0.9, Noise(replace(BAND, n=n))))["about"] == (
        f"Of {n} harmless edits of about the same size, {share} the score by −0.1 to +0.2, by 0.05 on average. "
        "This shift lies outside."
    )


def test_a_band_says_how_many_of_its_edits_are_of_other_pairs() -> None:
    about = str(noise_data(row(0.9, Noise(replace(BAND, n=30, elsewhere=18))))["about"])
    assert about.startswith("Of 30 harmless edits of about the same size (18 of bundled pairs), 95 % shift the score")


def test_a_band_names_the_battery_of_its_edits() -> None:
    about = str(noise_data(row(0.9, Noise(BAND, battery="touchstone-1:1cfe863d")))["about"])
    assert about.endswith("This shift lies outside. Battery: touchstone-1:1cfe863d.")


def test_noise_of_different_batteries_side_by_side_is_said() -> None:
    runs = [Run(Plan(name, (), (), battery=battery)) for name, battery in (("a", "one:1"), ("b", "one:1"), ("c", ""))]
    assert batteries_sentence(runs[:2]) == ""
    assert batteries_sentence(runs).startswith("These runs are of different batteries, one:1 and none named:")


def test_a_band_of_edits_of_any_size_is_marked() -> None:
    drawn = noise_data(row(0.65, Noise(NullBand(-0.1, 0.2, 0.05, 12, any_size=True))))
    assert drawn["text"] == "≈ 3.0 ×"
    assert "any size" in str(drawn["about"])


def test_too_few_harmless_edits_leave_the_noise_unknown() -> None:
    drawn = noise_data(row(0.9, Noise(NullBand(None, None, None, 3))))
    assert (drawn["text"], drawn["mark"]) == ("unknown", None)
    assert "Only 3 harmless edits" in str(drawn["about"])


@pytest.mark.parametrize("words", ["measuring", "not measured"])
def test_what_is_not_known_yet_says_why(words: str) -> None:
    drawn = noise_data(row(0.9, Noise(words=words)))
    assert (drawn["text"], drawn["mark"]) == (words, None)
    assert drawn["about"]


def test_a_metric_that_no_harmless_edit_moves_has_no_noise() -> None:
    assert noise_data(row(0.9, Noise(NullBand(0.0, 0.0, 0.0, 12))))["text"] == "no noise"
    assert noise_data(row(0.5, Noise(NullBand(0.0, 0.0, 0.0, 12))))["mark"] == 0.5


def test_without_a_shift_there_is_nothing_to_compare() -> None:
    for one in (row(None, Noise(BAND)), row(0.9, Noise(BAND), "running"), row(0.9, Noise())):
        assert (noise_data(one)["text"], noise_data(one)["mark"]) == ("", None)
