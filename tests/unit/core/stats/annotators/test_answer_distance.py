"""Agreement on rankings, best-worst answers and soft labels, against evaluations of the definitions label by label."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import spearmanr

from core.stats.annotators.agreement import LabelMatrix, interval_distance, krippendorff_alpha
from core.stats.annotators.answer_distance import (
    AnswerDistance,
    distance_alpha,
    jensen_shannon_divergence,
    split_half_reliability,
    squared_distance,
)
from core.stats.bootstrap import Resamples
from core.stats.statistic import Numbers, Statistic, Values

RNG = np.random.default_rng(3)
ITEMS = np.repeat(np.arange(12), 3)[:-1]  # the last has two answers
DOCUMENTS = ITEMS // 2
RANKS = np.array([RNG.permutation(4) + 1.0 for _ in ITEMS])
SHARES = RNG.dirichlet(np.ones(3), len(ITEMS))
CHOICES = np.array([[1.0, -1.0, 0.0, 0.0][:: RNG.choice([-1, 1])] for _ in ITEMS])


def value(statistic: Statistic) -> float:
    found = Resamples.draw(len(statistic.documents), 8).estimate(statistic).value
    assert found is not None
    return found


def alpha_by_pairs(answers: Values, items: Numbers, apart: list[list[float]]) -> float:
    """Krippendorff (2011): pairs within items, each by the number of other answers there, against pairs of all answers."""
    total = len(answers)
    sizes = np.bincount(items)
    within = sum(
        apart[one][two] / (sizes[items[one]] - 1)
        for one, two in permutations(range(total), 2)
        if items[one] == items[two]
    )
    among = sum(apart[one][two] for one, two in permutations(range(total), 2))
    return 1 - (within / total) / (among / (total * (total - 1)))


@pytest.mark.parametrize(
    ("answers", "distance"),
    [(RANKS, squared_distance), (CHOICES, squared_distance), (SHARES, jensen_shannon_divergence)],
    ids=["ranking", "best-worst", "soft"],
)
def test_alpha_is_that_of_the_definition(answers: Values, distance: AnswerDistance) -> None:
    if distance is squared_distance:
        apart = [[float(((one - other) ** 2).sum()) for other in answers] for one in answers]
    else:
        apart = [[float(jensenshannon(one, other, base=2)) ** 2 for other in answers] for one in answers]
    assert value(distance_alpha(answers, ITEMS, DOCUMENTS, distance)) == pytest.approx(
        alpha_by_pairs(answers, ITEMS, apart)
    )


def test_numbers_have_the_alpha_of_an_interval_scale() -> None:
    numbers = RNG.integers(1, 6, len(ITEMS)).astype(float)
    matrix = np.full((12, 3), np.nan)
    matrix[ITEMS, np.arange(len(ITEMS)) % 3] = numbers
    known = value(krippendorff_alpha(LabelMatrix(matrix, np.arange(12) // 2), interval_distance))
    assert value(distance_alpha(numbers[:, None], ITEMS, DOCUMENTS, squared_distance)) == pytest.approx(known)


def test_the_distance_of_two_rankings_is_that_behind_spearmans_rho() -> None:
    for one, other in combinations(RANKS[:6], 2):
        distance = squared_distance(one[None], other[None])[0, 0]
        assert 1 - 6 * distance / (4 * 15) == pytest.approx(spearmanr(one, other).statistic)


def test_equal_answers_and_single_ones_have_no_alpha_and_say_why() -> None:
    same = distance_alpha(np.ones((4, 2)), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), squared_distance)
    assert "All 4 answers are the same" in same.error
    single = distance_alpha(RANKS[:2], np.array([0, 1]), np.array([0, 1]), squared_distance)
    assert single.error == "No item was labelled by two people."


def test_halves_that_agree_are_reliable_and_halves_by_chance_are_not() -> None:
    items = np.repeat(np.arange(40), 4)
    of_item = np.array([RNG.permutation([1.0, -1.0, 0.0, 0.0]) for _ in range(40)])
    agreed = split_half_reliability(of_item[items], items)
    assert agreed.value == pytest.approx(1)
    chance = np.array([RNG.permutation([1.0, -1.0, 0.0, 0.0]) for _ in items])
    by_chance = split_half_reliability(chance, items).value
    assert by_chance is not None
    assert abs(by_chance) < 0.25
    one = split_half_reliability(RANKS[:1], np.array([0]))
    assert (one.value, one.error) == (None, "No item was labelled by two people.")


def test_two_answers_to_each_item_are_one_in_each_half() -> None:
    items = np.repeat(np.arange(30), 2)
    scores = np.array([RNG.permutation([1.0, -1.0, 0.0]) for _ in items])
    rhos = []
    for halving in range(200):
        first = np.random.default_rng(halving).random(30) < 0.5
        one, other = (np.where(first[:, None], scores[place::2], scores[1 - place :: 2]).ravel() for place in (0, 1))
        rhos.append(spearmanr(one, other).statistic)
    assert split_half_reliability(scores, items).value == pytest.approx(np.mean(rhos), abs=0.02)
