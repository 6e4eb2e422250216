"""DeLong, McNemar and the sign test against their definitions, scipy and published figures."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from core.stats.comparison import delong_test, mcnemar_test, sign_test
from core.stats.discrimination import LabelledScores
from core.stats.statistic import Mask, Values
from tests.doubles.released import BUMP, needs

RNG = np.random.default_rng(5)
LABELS = RNG.random(90) < 0.4
FIRST = (RNG.integers(0, 12, 90) + 4 * LABELS).astype(np.float64)  # many ties
SECOND = FIRST + RNG.normal(size=90) * 5


def labelled(scores: Values, labels: Mask = LABELS) -> LabelledScores:
    return LabelledScores(scores, labels, np.arange(len(labels)))


def by_definition(first: Values, second: Values, labels: Mask) -> float:
    """DeLong et al. (1988), equations 4 to 8: every consistent summary against every inconsistent one."""
    wins = [
        (scores[labels][:, None] > scores[~labels]) + (scores[labels][:, None] == scores[~labels]) / 2
        for scores in (first, second)
    ]
    v10, v01 = np.array([won.mean(axis=1) for won in wins]), np.array([won.mean(axis=0) for won in wins])
    covariance = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    contrast = np.array([1.0, -1.0])
    z = contrast @ v10.mean(axis=1) / math.sqrt(contrast @ covariance @ contrast)
    return float(2 * stats.norm.sf(abs(z)))


def test_delong_is_what_comparing_every_two_summaries_gives() -> None:
    assert delong_test(labelled(FIRST), labelled(SECOND)) == pytest.approx(by_definition(FIRST, SECOND, LABELS))


def test_delong_leaves_out_what_one_of_the_metrics_did_not_score_and_turns_those_that_fall() -> None:
    lacking = np.where(np.arange(90) % 7 == 0, np.nan, FIRST)
    kept = ~np.isnan(lacking)
    turned = LabelledScores(-SECOND, LABELS, np.arange(90), "lower")
    expected = by_definition(FIRST[kept], SECOND[kept], LABELS[kept])
    assert delong_test(labelled(lacking), turned) == pytest.approx(expected)


def test_delong_by_hand() -> None:
    # areas 4/4 and 2/4; placements of the consistent (1, 1) and (1, 0), of the inconsistent (1, 1) and (.5, .5):
    # differences (0, 1) and (.5, .5), variance .5 / 2 + 0, z = .5 / .5
    labels = np.array([True, True, False, False])
    found = delong_test(
        labelled(np.array([3.0, 4.0, 1.0, 2.0]), labels), labelled(np.array([4.0, 1.0, 2.0, 3.0]), labels)
    )
    assert found == pytest.approx(0.3173105)


def test_equal_scores_are_equal_and_one_summary_of_a_kind_is_too_few() -> None:
    assert delong_test(labelled(FIRST), labelled(FIRST)) == 1.0
    assert (
        delong_test(labelled(FIRST[:2], np.array([True, False])), labelled(SECOND[:2], np.array([True, False]))) is None
    )


@needs("bump")
def test_delong_finds_nothing_on_the_intrinsic_predicates_of_bump_where_resampling_pairs_does() -> None:
    records = [
        one
        for one in json.loads(BUMP.read_text(encoding="utf-8"))
        if one["corrected_error_type"].startswith("Intrinsic Predicate")
    ]
    labels = np.repeat([True, False], len(records))
    ours = [
        labelled(
            np.array([one["scores"][f"{metric}_{side}"] for side in ("reference", "edited") for one in records]), labels
        )
        for metric in ("QAFactEval", "DAE")
    ]
    found = delong_test(*ours)
    assert found == pytest.approx(by_definition(ours[0].scores, ours[1].scores, labels))
    assert found == pytest.approx(0.081, abs=5e-4)


def test_mcnemar_counts_the_cases_that_only_one_has_right() -> None:
    # 8 only the first, 2 only the second: 2 · (1 + 10 + 45) / 2¹⁰
    first = np.array([1.0] * 8 + [0.0] * 2 + [1.0] * 5 + [0.0] * 3 + [np.nan])
    second = np.array([0.0] * 8 + [1.0] * 2 + [1.0] * 5 + [0.0] * 3 + [1.0])
    assert mcnemar_test(first, second) == pytest.approx(112 / 1024)
    assert mcnemar_test(first, second) == pytest.approx(stats.binomtest(8, 10, 0.5).pvalue)
    assert mcnemar_test(first[10:], second[10:]) == 1.0
    assert mcnemar_test(np.array([np.nan]), np.array([1.0])) is None


def test_the_sign_test_leaves_ties_out() -> None:
    assert sign_test(np.array([0.1, 0.2, 3.0, 4.0, -1.0, 0.0, np.nan])) == pytest.approx(12 / 32)
    assert sign_test(np.zeros(4)) == 1.0
    assert sign_test(np.array([np.nan])) is None
