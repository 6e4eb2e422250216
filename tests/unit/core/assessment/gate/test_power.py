"""A gate says before it runs which drops it can find, and afterwards which drop is ruled out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from core.assessment.gate.power import (
    auc_variance,
    design_effect,
    detection_chance,
    plan_sentences,
    ruled_out_sentences,
)
from core.assessment.gate.regression import Change, Limit
from core.results.cases.cases import Cases
from core.stats.statistic import Estimate
from tests.unit.core.assessment.gate.test_regression import cases_of


def cases(documents: int) -> Cases:
    return cases_of(documents)


def test_the_variance_of_an_area_is_that_of_drawn_scores() -> None:
    rng = np.random.default_rng(0)
    shift = 1.19  # of two normal distributions whose area is .8
    labels = np.r_[np.ones(100), np.zeros(60)]
    scores = rng.normal(size=(3_000, 160)) + shift * labels
    areas = (scores[:, :100, None] > scores[:, None, 100:]).mean(axis=(1, 2))
    assert areas[0] == pytest.approx(roc_auc_score(labels, scores[0]))
    assert np.mean(areas) == pytest.approx(0.8, abs=0.005)
    assert np.var(areas) == pytest.approx(auc_variance(100, 60), rel=0.1)


def test_the_variance_of_an_area_over_few_summaries_is_that_of_hanley_and_mcneil() -> None:
    """Three and two summaries, by hand: (.16 + 2 × (2/3 − .64) + 1 × (1.28/1.8 − .64)) / 6."""
    assert auc_variance(3, 2) == pytest.approx((0.16 + 2 * (2 / 3 - 0.64) + (1.28 / 1.8 - 0.64)) / 6)


def test_a_plan_of_accuracy_counts_the_summaries_of_both_kinds() -> None:
    [sentence] = plan_sentences(cases(101), [Limit("balanced_accuracy", -3.0)])
    assert sentence.startswith(
        "202 labelled summaries of 101 documents, as good as 179 independent ones: a drop of 3 points of balanced accuracy"
    )


def test_items_of_one_document_count_for_less_than_independent_ones() -> None:
    assert design_effect(np.arange(50)) == 1.0
    assert design_effect(np.repeat(np.arange(10), 5)) == pytest.approx(1 + 4 * 0.13)
    assert design_effect(np.array([0, 0, 0, 1])) == pytest.approx(1 + (10 / 4 - 1) * 0.13)
    assert design_effect(np.array([], dtype=np.int64)) == 1.0


def test_the_design_effect_is_that_of_a_mean_over_documents_that_share_as_much() -> None:
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(40), rng.integers(1, 9, size=40))
    shared = rng.normal(size=(20_000, 40))[:, documents] * np.sqrt(0.13)
    own = rng.normal(size=(20_000, len(documents))) * np.sqrt(1 - 0.13)
    assert np.var((shared + own).mean(axis=1)) * len(documents) == pytest.approx(design_effect(documents), rel=0.05)


def test_the_chance_of_finding_a_drop_is_that_of_drawn_differences() -> None:
    rng = np.random.default_rng(1)
    found = np.mean(rng.normal(0.03, 0.02, size=100_000) > 1.959964 * 0.02)
    assert detection_chance(0.03, 0.02) == pytest.approx(found, abs=0.005)


def test_a_plan_names_the_items_the_chance_and_the_items_that_it_takes() -> None:
    [area, pairs] = plan_sentences(cases(100), [Limit("auc", -3.0), Limit("consistency", -3.0)])
    assert area.startswith(
        "200 labelled summaries of 100 documents, as good as 177 independent ones: a drop of 3 points of auc is found in 14 to 52 % "
        "of such comparisons;"
    )
    assert pairs.startswith("100 minimal pairs: a drop of 3 points of consistency")


def test_the_number_that_it_takes_gives_the_chance_that_was_wanted() -> None:
    [sentence] = plan_sentences(cases(100), [Limit("auc", -3.0)])
    least = int(sentence.rpartition("takes ")[2].partition(" to ")[0].replace(",", ""))
    [again] = plan_sentences(cases(least // 2), [Limit("auc", -3.0)])
    assert " to 80 % of such comparisons" in again


def change(low: float, high: float, p: float) -> Change:
    middle = (low + high) / 2
    return Change(
        "rouge2", "auc", Estimate(0.8, 0.7, 0.9, 200), Estimate(0.8, 0.7, 0.9, 200), Estimate(middle, low, high, 200), p
    )


@pytest.mark.parametrize(
    ("low", "words"),
    [
        (
            -0.012,
            "a drop of 2 points is ruled out (at most 1.2), and so is a gain of as much (at most 1.0): equivalent.",
        ),
        (-0.05, "a drop of 2 points is not ruled out (at most 5.0)"),
    ],
)
def test_no_significant_drop_is_not_yet_no_drop(low: float, words: str) -> None:
    [sentence] = ruled_out_sentences([change(low, 0.01, 0.6)], [Limit("auc", -2.0)])
    assert words in sentence
    assert ("equivalent" in sentence) == ("equivalent" in words)


def test_a_side_that_may_be_better_by_more_than_the_limit_is_not_equivalent() -> None:
    [sentence] = ruled_out_sentences([change(-0.012, 0.04, 0.6)], [Limit("auc", -2.0)])
    assert sentence == "rouge2, auc: a drop of 2 points is ruled out (at most 1.2)."


def test_without_a_limit_the_largest_drop_that_is_left_is_named() -> None:
    assert ruled_out_sentences([change(-0.012, 0.02, 0.6)], []) == [
        "rouge2, auc: a drop of more than 1.2 points is ruled out."
    ]


def test_of_a_drop_that_was_found_nothing_is_ruled_out() -> None:
    assert ruled_out_sentences([change(-0.09, -0.02, 0.001)], [Limit("auc", -2.0)]) == []
