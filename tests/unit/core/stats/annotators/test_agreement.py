"""Agreement against definitions written out, published examples and scikit-learn, with its reasons for silence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from core.stats.annotators.agreement import (
    Distance,
    LabelMatrix,
    cohen_kappa,
    group_alike,
    gwet_ac1,
    interval_distance,
    krippendorff_alpha,
    label_prevalence,
    linear_distance,
    nominal_distance,
    ordinal_distance,
    raw_agreement,
)
from core.stats.bootstrap import Resamples, distributions_of_alike
from core.stats.statistic import Numbers, Values
from tests.unit.core.stats.naive import assert_the_same

RNG = np.random.default_rng(9)
DOCUMENTS = RNG.integers(0, 15, 60)
TRUTH = RNG.integers(0, 3, 60)
LABELS = np.where(RNG.random((60, 4)) < 0.7, TRUTH[:, None], RNG.integers(0, 3, (60, 4))).astype(float)
LABELS[RNG.random((60, 4)) < 0.25] = np.nan
SAMPLE = LabelMatrix(LABELS, DOCUMENTS, (0.0, 1.0, 2.0))
RESAMPLES = Resamples.draw(15, 60, seed=2)

_ = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T
"""Four observers, twelve units, five values: the example of Krippendorff (2011)."""


def pairs_of(row: Values) -> list[tuple[float, float]]:
    """Ordered pairs of the labels of one item."""
    return list(permutations(row[~np.isnan(row)], 2))


def slow_raw(at: Numbers) -> float:
    pairs = [pair for row in LABELS[at] for pair in pairs_of(row)]
    return float(np.mean([one == two for one, two in pairs]))


def slow_alpha(apart: Callable[[float, float, list[float]], float], at: Numbers) -> float:
    """Krippendorff's alpha from its definition: every pair of labels of one item, and every pair of labels at all."""
    rows = [row[~np.isnan(row)] for row in LABELS[at]]
    rows = [row for row in rows if len(row) > 1]
    values = sorted(np.concatenate(rows).tolist())
    within = sum(sum(apart(a, b, values) for a, b in permutations(row, 2)) / (len(row) - 1) for row in rows)
    counts = {value: values.count(value) for value in set(values)}
    anyhow = sum(counts[a] * counts[b] * apart(a, b, values) for a, b in permutations(counts, 2))
    return 1 - (len(values) - 1) * within / anyhow


def slow_ordinal(one: float, two: float, values: list[float]) -> float:
    low, high = sorted((one, two))
    between = sum(low <= value <= high for value in values)
    return (between - (values.count(low) + values.count(high)) / 2) ** 2


def slow_ac1(at: Numbers) -> float:
    """Gwet (2008): agreement of items with two labels, chance from the mean shares of the categories."""
    rows = [row[~np.isnan(row)] for row in LABELS[at]]
    rows = [row for row in rows if len(row)]
    agreed = np.mean([np.mean([a == b for a, b in permutations(row, 2)]) for row in rows if len(row) > 1])
    shares = [np.mean([np.mean(row == category) for row in rows]) for category in range(3)]
    chance = sum(share * (1 - share) for share in shares) / 2
    return float((agreed - chance) / (1 - chance))


def test_raw_agreement_counts_pairs_of_labels_in_every_resample() -> None:
    assert_the_same(raw_agreement(SAMPLE), slow_raw, DOCUMENTS, RESAMPLES)


def test_raw_agreement_counts_the_items_with_two_labels() -> None:
    assert RESAMPLES.estimate(raw_agreement(SAMPLE)).n == sum(len(pairs_of(row)) > 0 for row in LABELS)


@pytest.mark.parametrize(
    ("distance", "apart"),
    [
        (nominal_distance, lambda one, two, _values: float(one != two)),
        (interval_distance, lambda one, two, _values: (one - two) ** 2),
        (ordinal_distance, slow_ordinal),
    ],
)
def test_alpha_is_its_definition_in_every_resample(
    distance: Distance, apart: Callable[[float, float, list[float]], float]
) -> None:
    assert_the_same(krippendorff_alpha(SAMPLE, distance), lambda at: slow_alpha(apart, at), DOCUMENTS, RESAMPLES)


@pytest.mark.parametrize(
    ("distance", "value"), [(nominal_distance, 0.743), (ordinal_distance, 0.815), (interval_distance, 0.849)]
)
def test_alpha_is_that_of_krippendorffs_example(distance: Distance, value: float) -> None:
    found = RESAMPLES.estimate(krippendorff_alpha(LabelMatrix(KRIPPENDORFF, np.arange(12)), distance))
    assert (found.value, found.n) == (pytest.approx(value, abs=5e-4), 11)
    assert found.low is not None


def test_ac1_is_its_definition_in_every_resample() -> None:
    assert_the_same(gwet_ac1(SAMPLE), slow_ac1, DOCUMENTS, RESAMPLES)


def test_ac1_holds_where_one_class_is_rare_and_kappa_collapses() -> None:
    """118 of 125 items yes by both, 5 by the first alone, 2 by the second; chance is .9453 for kappa, .0544 for AC1."""
    labels = np.array([[1.0, 1.0]] * 118 + [[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 2)
    ratings = LabelMatrix(labels, np.arange(125) % 15)
    values = [
        RESAMPLES.of(part).value
        for part in (raw_agreement(ratings), gwet_ac1(ratings), cohen_kappa(ratings, 0, 1, nominal_distance))
    ]
    assert values == [pytest.approx(0.944), pytest.approx(0.9408, abs=1e-4), pytest.approx(-0.0234, abs=1e-4)]


@pytest.mark.parametrize(
    ("distance", "weights"), [(nominal_distance, None), (linear_distance, "linear"), (interval_distance, "quadratic")]
)
def test_kappa_is_that_of_scikit_learn_in_every_resample(distance: Distance, weights: str | None) -> None:
    def slow(at: Numbers) -> float:
        both = LABELS[at][:, [1, 3]]
        one, two = both[~np.isnan(both).any(axis=1)].T
        return float(cohen_kappa_score(one, two, labels=[0.0, 1.0, 2.0], weights=weights))

    assert_the_same(cohen_kappa(SAMPLE, 1, 3, distance), slow, DOCUMENTS, RESAMPLES)


def test_kappa_counts_steps_between_categories_whatever_their_numbers() -> None:
    spread = LabelMatrix(np.array([0.0, 10.0, 11.0])[np.nan_to_num(LABELS).astype(int)], DOCUMENTS)
    even = LabelMatrix(np.nan_to_num(LABELS), DOCUMENTS)
    found = [RESAMPLES.estimate(cohen_kappa(ratings, 0, 1, linear_distance)) for ratings in (spread, even)]
    assert found[0] == found[1]


def test_kappa_counts_the_items_that_both_labelled() -> None:
    both = [int((~np.isnan(LABELS[:, [one, two]])).all(axis=1).sum()) for one, two in combinations(range(4), 2)]
    found = [
        RESAMPLES.estimate(cohen_kappa(SAMPLE, one, two, nominal_distance)).n for one, two in combinations(range(4), 2)
    ]
    assert found == both


def test_the_prevalences_of_all_categories_add_up_to_one() -> None:
    found = [RESAMPLES.estimate(label_prevalence(SAMPLE, category)) for category in range(3)]
    assert sum(estimate.value or 0 for estimate in found) == pytest.approx(1)
    assert {estimate.n for estimate in found} == {int((~np.isnan(LABELS)).sum())}
    assert_the_same(
        label_prevalence(SAMPLE, 1),
        lambda at: float((LABELS[at] == 1).sum() / (~np.isnan(LABELS[at])).sum()),
        DOCUMENTS,
        RESAMPLES,
    )


def test_one_class_only_leaves_agreement_beyond_chance_undefined() -> None:
    ratings = LabelMatrix(np.ones((4, 2)), np.arange(4))
    found = [
        RESAMPLES.estimate(part)
        for part in (krippendorff_alpha(ratings, nominal_distance), cohen_kappa(ratings, 0, 1, nominal_distance))
    ]
    assert {(estimate.value, estimate.n, estimate.error) for estimate in found} == {
        (None, 4, "All 8 labels are of one class: agreement beyond chance is undefined.")
    }
    assert RESAMPLES.estimate(gwet_ac1(ratings)).error == "Only one class is known: say which others were offered."


def test_one_class_of_several_that_were_offered_is_full_agreement_by_ac1() -> None:
    assert RESAMPLES.of(gwet_ac1(LabelMatrix(np.ones((4, 2)), np.arange(4), (0.0, 1.0)))).value == 1.0


def test_labels_that_never_meet_say_so() -> None:
    ratings = LabelMatrix(np.array([[1.0, np.nan], [np.nan, 0.0]]), np.arange(2))
    parts = (
        raw_agreement(ratings),
        krippendorff_alpha(ratings, nominal_distance),
        gwet_ac1(ratings),
        cohen_kappa(ratings, 0, 1, nominal_distance),
    )
    assert {(found.value, found.n, found.error) for found in map(RESAMPLES.estimate, parts)} == {
        (None, 0, "No item was labelled by two people.")
    }


def test_two_people_who_never_agree_have_no_agreement_beyond_chance() -> None:
    ratings = LabelMatrix(np.tile([1.0, 0.0], (6, 1)), np.arange(6))
    assert RESAMPLES.of(cohen_kappa(ratings, 0, 1, nominal_distance)).value == 0.0


@pytest.mark.parametrize("documents", ["an item each", "several items each"])
def test_documents_with_the_same_labels_are_drawn_together_and_give_the_same_draws(documents: str) -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, (90, 3)).astype(float)
    labels[rng.random(labels.shape) < 0.4] = np.nan
    of_items = (
        np.arange(90) if documents == "an item each" else np.unique(rng.integers(0, 200, 90), return_inverse=True)[1]
    )
    ratings = LabelMatrix(labels, of_items, (0.0, 1.0, 2.0))
    groups, of_groups = group_alike(ratings)
    every, in_groups = (
        [
            raw_agreement(matrix),
            gwet_ac1(matrix),
            krippendorff_alpha(matrix, ordinal_distance),
            label_prevalence(matrix, 1.0),
            cohen_kappa(matrix, 0, 2, nominal_distance),
        ]
        for matrix in (ratings, of_groups)
    )
    assert len(np.unique(of_groups.documents)) == groups.max() + 1 < len(groups)
    each = Resamples.draw(len(groups), 300, seed=5).of_each(every)
    together = distributions_of_alike(every, groups, in_groups, 300, seed=5)
    for one, same in zip(each, together, strict=True):
        # thirds of a label are added in another order
        assert same.draws == pytest.approx(one.draws, rel=1e-12, nan_ok=True)
        assert (same.value, same.n, same.documents) == (one.value, one.n, one.documents)
