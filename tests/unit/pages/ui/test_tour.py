"""The script of the tour: as long as it may be, and about pages and an edit that exist."""

from __future__ import annotations

import pytest

from core.data.datasets.bundled import bundled_items
from core.types import Verdict
from pages.ui.probe.opening import OPENING
from pages.ui.tour import MARKS, STEPS, play_seconds

WORDS_A_MINUTE = 150  # of somebody who presents


def test_the_tour_is_told_in_two_minutes() -> None:
    words = sum(len(f"{step.title} {step.text}".split()) for step in STEPS)
    assert 1.5 < words / WORDS_A_MINUTE <= 2.1


def test_the_tour_that_runs_by_itself_takes_a_minute_and_gives_each_step_time_to_be_read() -> None:
    seconds = play_seconds(STEPS)
    assert sum(seconds) == pytest.approx(60)
    assert min(seconds) > 5


def test_the_tour_goes_over_probe_stress_and_evaluate_in_this_order_and_the_marks_stay_on_probe() -> None:
    assert list(dict.fromkeys(step.page for step in STEPS)) == ["Probe", "Stress test", "Evaluate"]
    assert [mark.title for mark in MARKS] == ["The edit", "The shift", "The evidence", "Keep it"]
    assert {mark.page for mark in MARKS} == {"Probe"}


def test_the_opening_scene_is_one_edit_that_breaks_its_summary() -> None:
    [opening] = [item for item in bundled_items() if item.example.id == OPENING]
    assert (opening.intended, len(opening.edits)) == (Verdict.INCONSISTENT, 1)
