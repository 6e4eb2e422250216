"""The grade of a panel: that of more than half of its judges, those without a grade included."""

from __future__ import annotations

import pytest

from core.evaluation.explanations.panel import PanelVote


@pytest.mark.parametrize(
    ("counts", "failed", "majority"),
    [
        ({"entirely": 2, "not": 1}, 0, "entirely"),
        ({"entirely": 2, "partially": 1, "not": 1}, 0, None),  # the most votes, and half of the panel
        ({"entirely": 1}, 2, None),
        ({"entirely": 2}, 1, "entirely"),
        ({"entirely": 2}, 2, None),
        ({"entirely": 1, "not": 1}, 0, None),
        ({}, 3, None),
    ],
)
def test_a_majority_is_more_than_half_of_the_whole_panel(
    counts: dict[str, int], failed: int, majority: str | None
) -> None:
    vote = PanelVote(counts, failed)  # type: ignore[arg-type]  # keys of the table are plain texts
    assert vote.majority == majority
    assert bool(vote.error) == (majority is None)


def test_a_panel_of_which_half_failed_has_no_mean() -> None:
    assert PanelVote({"entirely": 2, "not": 1}, failed=2).score == pytest.approx(2 / 3)
    assert PanelVote({"entirely": 2}, failed=2).score is None


def test_a_quorum_is_needed_for_a_grade() -> None:
    assert PanelVote({"entirely": 3}, failed=2, quorum=3).majority == "entirely"
    vote = PanelVote({"entirely": 3}, failed=2, quorum=4)
    assert (vote.majority, vote.score) == (None, None)
    assert vote.error == "3 of 5 judges gave a grade, and 4 are needed: entirely 3, failed 2."


def test_grades_without_a_majority_are_told_from_a_tie() -> None:
    assert PanelVote({"entirely": 1, "not": 1}).error == "The judges are tied: entirely 1, not 1."
    split = PanelVote({"entirely": 2, "partially": 1, "not": 1}).error
    assert split == "No grade is that of more than half of the 4 judges: entirely 2, partially 1, not 1."
