"""Models of annotators against loops that are written from the definitions, and against a crowd whose answers are known."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from core.stats.annotators.agreement import LabelMatrix
from core.stats.annotators.annotator_model import (
    MODELS,
    UNKNOWN,
    competence_estimates,
    fit_dawid_skene,
    fit_mace,
    fit_model,
    vote_shares,
)
from core.stats.statistic import Numbers, Values

CLASSES = 3


def crowd(items: int = 300, each: int = 4, seed: int = 0) -> tuple[LabelMatrix, Numbers]:
    """Labels by six people, of whom the fifth guesses and the sixth always says 0, and the right answers."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(CLASSES, size=items)
    accuracy = np.array([0.9, 0.85, 0.75, 0.7, 1 / CLASSES, 0.0])
    labels = np.full((items, len(accuracy)), np.nan)
    for item in range(items):
        for person in rng.choice(len(accuracy), each, replace=False):
            right = rng.random() < accuracy[person]
            wrong = [one for one in range(CLASSES) if one != truth[item]]
            labels[item, person] = 0 if person == 5 else truth[item] if right else rng.choice(wrong)
    return LabelMatrix(labels, np.arange(items), tuple(map(float, range(CLASSES)))), truth


def none_known(items: int) -> Numbers:
    return np.full(items, UNKNOWN)


def naive_dawid_skene(labels: Values, rounds: int) -> tuple[Values, Values]:
    """Posterior and confusions by loops: each cell has a third of a label added, each share one."""
    items, people = labels.shape
    votes = np.array([[np.sum(row == answer) for answer in range(CLASSES)] for row in labels], dtype=float)
    posterior = votes / votes.sum(axis=1, keepdims=True)
    confusions = np.zeros((people, CLASSES, CLASSES))
    for _ in range(rounds):
        shares = [posterior[:, right].sum() + 1 for right in range(CLASSES)]
        shares = [share / sum(shares) for share in shares]
        for person in range(people):
            for right in range(CLASSES):
                counts = [1 / CLASSES] * CLASSES
                for item in range(items):
                    if not np.isnan(labels[item, person]):
                        counts[int(labels[item, person])] += posterior[item, right]
                confusions[person, right] = np.array(counts) / sum(counts)
        for item in range(items):
            logs = [log(share) for share in shares]
            for person in range(people):
                if not np.isnan(labels[item, person]):
                    for right in range(CLASSES):
                        logs[right] += log(confusions[person, right, int(labels[item, person])])
            likelihoods = np.exp(np.array(logs) - max(logs))
            posterior[item] = likelihoods / likelihoods.sum()
    return posterior, confusions


def naive_mace(labels: Values, rounds: int) -> tuple[Values, Values]:
    """Posterior and competence by loops over right answers and over knowing or guessing; a tenth of a label is added."""
    items, people = labels.shape
    votes = np.array([[np.sum(row == answer) for answer in range(CLASSES)] for row in labels], dtype=float)
    posterior = votes / votes.sum(axis=1, keepdims=True)
    knows, guesses = np.full(people, 0.5), np.full((people, CLASSES), 1 / CLASSES)
    for _ in range(rounds):
        knew, guessed = np.full(people, 0.1), np.full((people, CLASSES), 0.1)
        for item in range(items):
            for person in range(people):
                if np.isnan(labels[item, person]):
                    continue
                answer = int(labels[item, person])
                for right in range(CLASSES):
                    chance = (1 - knows[person]) * guesses[person, answer]
                    of_knowing = knows[person] / (knows[person] + chance) if right == answer else 0.0
                    knew[person] += posterior[item, right] * of_knowing
                    guessed[person, answer] += posterior[item, right] * (1 - of_knowing)
        totals = guessed.sum(axis=1) - 0.1 * CLASSES + 0.1
        knows, guesses = knew / (knew + totals), guessed / guessed.sum(axis=1, keepdims=True)
        for item in range(items):
            likelihoods = np.ones(CLASSES)
            for person in range(people):
                if not np.isnan(labels[item, person]):
                    answer = int(labels[item, person])
                    for right in range(CLASSES):
                        known = knows[person] if right == answer else 0.0
                        likelihoods[right] *= known + (1 - knows[person]) * guesses[person, answer]
            posterior[item] = likelihoods / likelihoods.sum()
    return posterior, knows


def test_dawid_skene_is_the_published_one() -> None:
    ratings, _ = crowd(items=40)
    found = fit_dawid_skene(ratings, none_known(40), np.ones(40))
    posterior, confusions = naive_dawid_skene(ratings.labels, rounds=120)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-4)
    np.testing.assert_allclose(found.confusions, confusions, atol=1e-4)


def test_mace_is_the_published_one() -> None:
    ratings, _ = crowd(items=40)
    found = fit_mace(ratings, none_known(40), np.ones(40))
    posterior, competence = naive_mace(ratings.labels, rounds=150)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-3)
    np.testing.assert_allclose(found.competence, competence, atol=1e-3)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_model_errs_less_than_votes_and_knows_who_guesses(name: str) -> None:
    ratings, truth = crowd()
    model = fit_model(name, ratings, none_known(300))
    voted = vote_shares(ratings, none_known(300)).argmax(axis=1)
    assert np.mean(model.posterior.argmax(axis=1) != truth) < 0.8 * np.mean(voted != truth)
    assert min(model.competence[:4]) > max(model.competence[4:])


def test_known_answers_are_kept_and_tell_who_is_right() -> None:
    ratings, truth = crowd(items=60, each=2)
    known = np.where(np.arange(60) < 20, truth, UNKNOWN)
    model = fit_model("dawid-skene", ratings, known)
    assert (model.posterior[:20].argmax(axis=1) == truth[:20]).all()
    assert model.posterior[:20].max() == 1


def test_an_item_weighed_twice_is_an_item_that_comes_twice() -> None:
    ratings, _ = crowd(items=30)
    weights = np.ones(30)
    weights[:10] = 2
    twice = LabelMatrix(np.vstack([ratings.labels, ratings.labels[:10]]), np.arange(40), ratings.offered)
    for fit in MODELS.values():
        weighed = fit(ratings, none_known(30), weights, None)
        np.testing.assert_allclose(
            weighed.competence, fit(twice, none_known(40), np.ones(40), None).competence, atol=1e-4
        )


@pytest.mark.slow
def test_intervals_hold_the_share_of_right_answers_of_a_person() -> None:
    ratings, truth = crowd(seed=2)
    model = fit_model("dawid-skene", ratings, none_known(300))
    found = competence_estimates("dawid-skene", ratings, none_known(300), model)
    assert [one.n for one in found] == ratings.labelled.sum(axis=0).tolist()
    for person, one in enumerate(found):
        given = ratings.labelled[:, person]
        assert one.low is not None
        assert one.high is not None
        assert one.low < np.mean(ratings.labels[given, person] == truth[given]) < one.high


def test_the_probabilities_of_one_item_are_its_row_of_the_posterior() -> None:
    ratings, _ = crowd(items=50)
    model = fit_model("dawid-skene", ratings, none_known(50))
    given = [(person, int(code)) for person, code in enumerate(ratings.labels[7]) if not np.isnan(code)]
    np.testing.assert_allclose(model.probabilities(given), model.posterior[7], atol=1e-4)
