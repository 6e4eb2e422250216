"""Weights of judges by people's grades find out who is to be believed."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.evaluation.explanations.judge_agreement import JudgedExplanation
from core.evaluation.explanations.panel_weights import estimate_weights
from core.types import Grade

GRADES: tuple[Grade, ...] = ("entirely", "partially", "not")
JUDGES = ("good", "random", "idle", "upside down")


def judged(count: int, known: int, seed: int = 0) -> list[JudgedExplanation]:
    """Grades of a judge who is right in 9 of 10, of one who guesses, one with one grade for all, and one who inverts."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        right = int(rng.integers(3))
        good = right if rng.random() < 0.9 else int(rng.integers(3))
        given = (good, int(rng.integers(3)), 0, 2 - right)
        grades = {judge: GRADES[place] for judge, place in zip(JUDGES, given, strict=True)}
        rows.append(JudgedExplanation((str(number),), "d", grades, GRADES[right] if number < known else None))
    return rows


def test_a_judge_counts_by_how_it_grades_what_people_graded() -> None:
    weights = estimate_weights(judged(300, known=300), JUDGES)
    assert weights.graded == 300
    assert weights.confusions["good"].diagonal().min() > 0.8
    assert np.abs(weights.confusions["random"] - 1 / 3).max() < 0.15
    two_against_one = {"good": "not", "random": "entirely", "idle": "entirely"}
    found = weights.probabilities(two_against_one)  # type: ignore[arg-type]  # a table of plain texts
    assert found["not"] > 0.7
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_judge_who_inverts_every_grade_is_as_good_as_one_who_is_right() -> None:
    weights = estimate_weights(judged(300, known=300), JUDGES)
    assert weights.probabilities({"upside down": "entirely"})["not"] > 0.9


def test_what_people_did_not_grade_counts_by_the_judges() -> None:
    few, more = (estimate_weights(judged(count, known=30), JUDGES) for count in (30, 400))
    error = [np.abs(one.confusions["upside down"] - np.eye(3)[::-1]).max() for one in (few, more)]
    assert error[1] < error[0]
    assert few.digest != more.digest


def test_too_few_grades_of_people_are_refused() -> None:
    with pytest.raises(TouchstoneError, match="People graded 9 of the explanations that good grades"):
        estimate_weights(judged(100, known=9), JUDGES)
    with pytest.raises(TouchstoneError, match="People graded 0 of the explanations that stranger grades"):
        estimate_weights(judged(100, known=100), ("stranger",))
