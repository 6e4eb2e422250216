"""Detection, explanation and both at once, as SummExecEdit grades them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.evaluation.explanations.explainer_scores import (
    GradedDetections,
    detection_accuracy,
    detection_score,
    explanation_score,
    joint_score,
)
from core.stats.bootstrap import Resamples

ANSWERS = GradedDetections(
    inconsistent=np.array([True, True, True, True, False, False]),
    flagged=np.array([True, True, True, False, False, True]),
    grades=np.array([1.0, 0.5, 0.0, np.nan, np.nan, np.nan]),
    documents=np.arange(6),
)
RESAMPLES = Resamples.draw(6, 400)
PARTS = (detection_accuracy, detection_score, explanation_score, joint_score)


def found(answers: GradedDetections) -> list[tuple[float | None, int]]:
    return [(estimate.value, estimate.n) for estimate in (RESAMPLES.estimate(part(answers)) for part in PARTS)]


def test_every_score_counts_its_own_cases() -> None:
    assert found(ANSWERS) == [(4 / 6, 6), (3 / 4, 4), (1.5 / 3, 3), (1.5 / 4, 4)]


def test_the_joint_score_is_the_product_where_every_found_error_was_explained() -> None:
    _, (detected, _), (explained, _), (joint, _) = found(ANSWERS)
    assert detected is not None
    assert explained is not None
    assert joint == detected * explained


def test_an_explanation_that_nobody_graded_does_not_count_as_wrong() -> None:
    ungraded = replace(ANSWERS, grades=np.array([1.0, np.nan, 0.0, np.nan, np.nan, np.nan]))
    assert found(ungraded)[2:] == [(1 / 2, 2), (3 / 8, 4)]


@pytest.mark.parametrize(("graded", "joint"), [(8, 0.8), (4, 0.8), (0, None)])
def test_the_joint_score_does_not_fall_with_the_number_of_grades(graded: int, joint: float | None) -> None:
    """Eight of ten errors were found, and every explanation that was graded is right: DS .8, ES 1."""
    grades = np.array([1.0] * graded + [np.nan] * (10 - graded))
    ten = GradedDetections(np.ones(10, dtype=bool), np.arange(10) < 8, grades, np.arange(10))
    estimate = Resamples.draw(10, 50).estimate(joint_score(ten))
    assert estimate.value == joint
    assert bool(estimate.error) == (joint is None)


def test_given_detection_every_error_counts_as_found() -> None:
    given = replace(ANSWERS, flagged=ANSWERS.inconsistent, grades=np.array([1.0, 0.5, 0.0, 1.0, np.nan, np.nan]))
    assert found(given) == [(1.0, 6), (1.0, 4), (2.5 / 4, 4), (2.5 / 4, 4)]


def test_nothing_to_find_and_nothing_found_say_so() -> None:
    nothing = replace(ANSWERS, inconsistent=np.zeros(6, dtype=bool))
    assert RESAMPLES.estimate(joint_score(nothing)).error == "No summary is inconsistent."
    missed = replace(ANSWERS, flagged=np.zeros(6, dtype=bool))
    assert RESAMPLES.estimate(explanation_score(missed)).error == "No error was found."
    assert RESAMPLES.estimate(joint_score(missed)).value == 0.0
