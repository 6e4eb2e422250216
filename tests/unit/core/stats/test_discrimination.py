"""AUC and average precision are scikit-learn's, in the sample and in every resample of documents."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from core.errors import TouchstoneError
from core.stats.bootstrap import Resamples
from core.stats.discrimination import (
    LabelledScores,
    Threshold,
    auc,
    average_precision,
    balanced_accuracy,
    choose_threshold,
    measure_roc_curve,
    stratified_auc,
)
from core.stats.score_pairs import ScorePairs
from core.stats.statistic import Numbers
from core.types import Direction
from tests.unit.core.stats.naive import assert_the_same

RNG = np.random.default_rng(7)
DOCUMENTS = RNG.integers(0, 25, 150)
LABELS = RNG.random(150) < 0.4
SCORES = (RNG.integers(0, 9, 150) + 2 * LABELS) / 4  # many ties
SAMPLE = LabelledScores(SCORES, LABELS, DOCUMENTS)
RESAMPLES = Resamples.draw(25, 200, seed=1)


def test_auc_is_that_of_scikit_learn_in_every_resample_of_documents_of_one_kind() -> None:
    labels = DOCUMENTS % 3 == 0
    assert_the_same(
        auc(LabelledScores(SCORES, labels, DOCUMENTS)),
        lambda at: float(roc_auc_score(labels[at], SCORES[at])),
        DOCUMENTS,
        RESAMPLES,
    )


def test_copies_of_a_document_are_not_compared_with_each_other() -> None:
    """Every copy is a document of its own, except that it meets no other copy of the same."""

    def slow(column: int) -> float:
        cases = np.repeat(np.arange(150), RESAMPLES.counts[DOCUMENTS, column])
        copies = np.concatenate([np.arange(count) for count in RESAMPLES.counts[DOCUMENTS, column]])
        good, bad = LABELS[cases], ~LABELS[cases]
        scores, documents = SCORES[cases], DOCUMENTS[cases]
        met = (documents[good, None] != documents[bad]) | (copies[good, None] == copies[bad])
        won = (scores[good, None] > scores[bad]) + (scores[good, None] == scores[bad]) / 2
        return float(won[met].mean())

    found = RESAMPLES.of(auc(SAMPLE))
    assert found.value == pytest.approx(roc_auc_score(LABELS, SCORES))
    assert found.draws == pytest.approx([slow(column) for column in range(200)])


def test_the_draws_of_minimal_pairs_lie_around_their_area() -> None:
    """Documents differ far more than the sides of a pair: nearly all that counts is what meets inside a document."""
    level = RNG.normal(size=40) * 100
    pairs = ScorePairs(level + 0.01, level, np.arange(40))
    found = Resamples.draw(40, 2000).of(auc(LabelledScores.of(pairs)))
    assert found.value == pytest.approx(0.5 + 0.5 / 40)
    assert found.draws.mean() == pytest.approx(found.value, abs=1e-3)


def test_average_precision_is_that_of_scikit_learn() -> None:
    expected = average_precision_score(LABELS, SCORES)
    assert RESAMPLES.estimate(average_precision(SAMPLE)).value == pytest.approx(expected)


def test_average_precision_has_no_interval_since_resampled_documents_rank_among_their_copies() -> None:
    # 3 is consistent alone: precision 1; 1 is below 2, ties with 1: 2 of 4
    tied = LabelledScores(np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False]), np.array([0, 1, 0, 1]))
    found = RESAMPLES.estimate(average_precision(tied))
    assert (found.value, found.low, found.high, found.n) == (0.75, None, None, 4)
    assert "its own copies" in found.error


def test_ties_count_one_half() -> None:
    tied = LabelledScores(np.array([1.0, 1.0, 2.0]), np.array([True, False, True]), np.arange(3))
    assert RESAMPLES.of(auc(tied)).value == (0.5 + 1) / 2


def test_a_metric_that_falls_with_consistency_is_turned() -> None:
    turned = LabelledScores(-SCORES, LABELS, DOCUMENTS, "lower")
    assert RESAMPLES.estimate(auc(turned)) == RESAMPLES.estimate(auc(SAMPLE))
    assert RESAMPLES.estimate(average_precision(turned)) == RESAMPLES.estimate(average_precision(SAMPLE))


def test_both_sides_of_a_pair_are_a_sample_each() -> None:
    pairs = ScorePairs(np.array([3.0, 1.0, np.nan]), np.array([2.0, 1.0, 0.0]), np.array([0, 1, 2]))
    found = RESAMPLES.estimate(auc(LabelledScores.of(pairs)))
    # 3 is above 2, 1 and 0; 1 is below 2, ties with 1, is above 0
    assert (found.value, found.n) == (4.5 / 6, 5)


@pytest.mark.parametrize(
    ("scores", "labels", "direction", "why"),
    [
        ([1.0, 2.0], [True, True], "higher", "All 2 summaries are consistent."),
        ([1.0, 2.0], [False, False], "higher", "All 2 summaries are inconsistent."),
        ([1.0, np.nan], [True, False], "higher", "All 1 summaries are consistent."),
        ([np.nan, np.nan], [True, False], "higher", "No summary has a score."),
        ([1.0, 2.0], [True, False], "neutral", "The metric has no better side."),
    ],
)
def test_what_cannot_be_told_apart_says_why(
    scores: list[float], labels: list[bool], direction: Direction, why: str
) -> None:
    sample = LabelledScores(np.array(scores), np.array(labels), np.arange(2), direction)
    found = RESAMPLES.estimate(auc(sample))
    assert (found.value, found.low, found.error) == (None, None, why)
    assert measure_roc_curve(sample, RESAMPLES).area == found
    with pytest.raises(TouchstoneError, match=why):
        choose_threshold(sample)


def test_the_curve_is_that_of_scikit_learn_and_its_area_has_an_interval() -> None:
    false_alarms, hits, scores = roc_curve(LABELS, SCORES, drop_intermediate=False)
    found = measure_roc_curve(SAMPLE, RESAMPLES)
    assert found.false_alarms == pytest.approx(false_alarms)
    assert found.hits == pytest.approx(hits)
    assert found.scores == pytest.approx(scores)
    assert found.area.value == pytest.approx(np.trapezoid(found.hits, found.false_alarms))
    assert found.area.low is not None


def test_the_curve_of_a_falling_metric_keeps_its_own_units() -> None:
    found = measure_roc_curve(
        LabelledScores(np.array([1.0, 5.0]), np.array([True, False]), np.arange(2), "lower"), RESAMPLES
    )
    assert found.scores.tolist() == [-np.inf, 1.0, 5.0]
    assert (found.hits.tolist(), found.false_alarms.tolist()) == ([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])


def test_the_threshold_is_the_best_of_all_that_could_be_set() -> None:
    def balanced(value: float) -> float:
        return float(np.mean([(value <= SCORES)[LABELS].mean(), (value > SCORES)[~LABELS].mean()]))

    threshold = choose_threshold(SAMPLE)
    assert balanced(threshold.value) == max(balanced(value) for value in np.arange(-1, 5, 0.01))
    assert (threshold.n, threshold.documents) == (150, frozenset(DOCUMENTS.tolist()))


def test_the_threshold_lies_halfway_between_two_scores() -> None:
    sample = LabelledScores(np.array([1.0, 3.0, 4.0]), np.array([False, True, True]), np.arange(3))
    assert choose_threshold(sample).value == 2.0
    turned = LabelledScores(-sample.scores, sample.labels, sample.documents, "lower")
    assert choose_threshold(turned).value == -2.0


def test_balanced_accuracy_is_the_mean_over_both_kinds_in_every_resample() -> None:
    def balanced(at: Numbers) -> float:
        accepted, labels = SCORES[at] >= 1.4, LABELS[at]
        return float((accepted[labels].mean() + (~accepted)[~labels].mean()) / 2)

    statistic = balanced_accuracy(SAMPLE, Threshold(1.4, 10, frozenset({99})))
    assert_the_same(statistic, balanced, DOCUMENTS, RESAMPLES)


def test_balanced_accuracy_of_a_falling_metric_accepts_what_lies_below() -> None:
    turned = LabelledScores(-SCORES, LABELS, DOCUMENTS, "lower")
    found = [
        RESAMPLES.estimate(balanced_accuracy(sample, Threshold(value, 10, frozenset())))
        for sample, value in ((SAMPLE, 1.5), (turned, -1.5))
    ]
    assert found[0] == found[1]
    assert found[0].value is not None


def test_a_threshold_is_not_judged_on_the_documents_it_was_chosen_on() -> None:
    found = RESAMPLES.estimate(balanced_accuracy(SAMPLE, Threshold(1.4, 10, frozenset({1, 2, 99}))))
    assert (found.value, found.n) == (None, 150)
    assert found.error == "The threshold was chosen on 2 of these documents: it cannot be judged on them."


def test_within_strata_only_cases_of_one_stratum_meet() -> None:
    """A score that is the stratum and nothing else separates the labels overall, and nothing within a stratum."""
    strata = RNG.integers(0, 3, 150)
    labels = RNG.random(150) < (0.2 + 0.3 * strata)
    of_stratum = LabelledScores(strata.astype(np.float64), labels, DOCUMENTS)
    assert (RESAMPLES.estimate(auc(of_stratum)).value or 0.0) > 0.6
    assert RESAMPLES.estimate(stratified_auc(of_stratum, strata)).value == 0.5

    scores = SCORES + strata
    won = met = 0.0
    for stratum in range(3):
        good, bad = scores[labels & (strata == stratum)], scores[~labels & (strata == stratum)]
        won += float((good[:, None] > bad).sum() + 0.5 * (good[:, None] == bad).sum())
        met += good.size * bad.size
    estimate = RESAMPLES.estimate(stratified_auc(LabelledScores(scores, labels, DOCUMENTS), strata))
    assert estimate.value == pytest.approx(won / met)
    assert estimate.low is not None


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_failures_as_the_worst_scores_lose_every_comparison(direction: Direction) -> None:
    scores = np.array([0.9, np.nan, 0.1, np.nan]) * (-1 if direction == "lower" else 1)
    labelled = LabelledScores(scores, np.array([True, True, False, False]), np.arange(4), direction)
    drawn = Resamples.draw(4, 50)
    assert drawn.estimate(auc(labelled)).value == 1.0
    assert drawn.estimate(auc(labelled.with_failures_worst())).value == 0.25
