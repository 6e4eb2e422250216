"""Models of annotators: how often each person is right, and which answer each item has, estimated together from labels alone or with known answers.

Dawid and Skene (1979) give each person a table of the answers to each right one; MACE (Hovy et al. 2013) gives each a
probability of answering right, and a distribution of answers when guessing. Both are fitted by expectation maximization from
the shares of the votes, so that equal labels give equal figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.stats.annotators.agreement import LabelMatrix
from core.stats.bootstrap import Distribution, Resamples
from core.stats.statistic import Estimate, Numbers, Values, count_matrix

_MAX_ROUNDS = 200
_SMALL = 1e-6
_SMOOTHING = 1.0  # labels counted into each cell: who was never seen to err is not without error
MODEL_RESAMPLES = 200
UNKNOWN = -1
"""The known answer of an item without one."""


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorModel:
    """A fitted model. `shares` of the right answers, (classes,); `confusions` are how often each person gives each answer to a right one, (people, right, given).

    `posterior` is the probability of each answer of each item, (items, classes); `competence`, (people,), the probability that a
    person answers right (Dawid-Skene) or does not guess (MACE).
    """

    shares: Values
    confusions: Values
    posterior: Values
    competence: Values

    def probabilities(self, labels: Iterable[tuple[int, int]]) -> Values:
        """The probability of each answer of an item by its labels, pairs of a person and the place of the answer, (classes,)."""
        logs = np.log(self.shares)
        for person, code in labels:
            logs = logs + np.log(self.confusions[person, :, code])
        posterior: Values = _normalized(logs[None])[0]
        return posterior


FitFunction = Callable[[LabelMatrix, Numbers, Values, Values | None], AnnotatorModel]
"""Fits a model to labels, with the known answers of items, (items,), how often each item counts, (items,), and where to begin, (items, classes)."""


def vote_shares(ratings: LabelMatrix, answers: Numbers) -> Values:
    """The share of the votes for each answer, (items, classes); 1 for a known one, equal shares for an item without a label."""
    votes: Values = (ratings.labels[..., None] == ratings.categories).sum(axis=1).astype(np.float64)
    votes = np.where(votes.sum(axis=1, keepdims=True) == 0, 1.0, votes)
    return _with_known(votes / votes.sum(axis=1, keepdims=True), answers)


def fit_dawid_skene(
    ratings: LabelMatrix, answers: Numbers, weights: Values, begin: Values | None = None
) -> AnnotatorModel:
    """The model of Dawid and Skene (1979), equations 2.3 to 2.5, each cell smoothed by one label shared among the answers."""
    (items, people), classes = ratings.labels.shape, len(ratings.categories)
    at, who = np.nonzero(ratings.labelled)
    codes = ratings.codes[at, who]
    cast = count_matrix(who * classes + codes, at, (people * classes, items))
    posterior = vote_shares(ratings, answers) if begin is None else begin
    shares, confusions = np.zeros(classes), np.zeros((people, classes, classes))
    for _ in range(_MAX_ROUNDS):
        counted = weights[:, None] * posterior
        shares = counted.sum(axis=0) + _SMOOTHING
        shares = shares / shares.sum()
        tables = (cast @ counted).reshape(people, classes, classes).swapaxes(1, 2) + _SMOOTHING / classes
        confusions = tables / tables.sum(axis=2, keepdims=True)
        logs = cast.T @ np.log(confusions.swapaxes(1, 2)).reshape(people * classes, classes)
        before, posterior = posterior, _with_known(_normalized(logs + np.log(shares)), answers)
        if np.abs(posterior - before).max(initial=0) < _SMALL:
            break
    competence = np.einsum("c,pcc->p", shares, confusions)
    return AnnotatorModel(shares, confusions, posterior, competence)


def fit_mace(ratings: LabelMatrix, answers: Numbers, weights: Values, begin: Values | None = None) -> AnnotatorModel:
    """MACE (Hovy et al. 2013): a person knows the answer with probability `competence`, or else draws it from a distribution of their own.

    Right answers are equally likely before any label. Counts are smoothed by a tenth of a label.
    """
    people, classes = ratings.labels.shape[1], len(ratings.categories)
    at, who = np.nonzero(ratings.labelled)
    codes = ratings.codes[at, who]
    cell, smoothing = who * classes + codes, _SMOOTHING / 10
    posterior = vote_shares(ratings, answers) if begin is None else begin
    known_share, guessed = np.full(people, 0.5), np.full((people, classes), 1 / classes)
    confusions, shares = np.zeros((people, classes, classes)), np.full(classes, 1 / classes)
    eye = np.eye(classes)
    for round_ in range(_MAX_ROUNDS):
        right = posterior[at, codes] * weights[at]
        by_chance = (1 - known_share[who]) * guessed[who, codes]
        knew = right * known_share[who] / (known_share[who] + by_chance)
        knowing = np.bincount(who, knew, people)
        guessing = np.bincount(cell, weights[at] - knew, people * classes).reshape(people, classes)
        total = knowing + guessing.sum(axis=1)
        known_share = (knowing + smoothing) / (total + 2 * smoothing)
        guessed = (guessing + smoothing) / (guessing + smoothing).sum(axis=1, keepdims=True)
        confusions = known_share[:, None, None] * eye + ((1 - known_share)[:, None] * guessed)[:, None, :]
        logs = np.zeros(posterior.shape)
        np.add.at(logs, at, np.log(confusions[who, :, codes]))
        before, posterior = posterior, _with_known(_normalized(logs), answers)
        if round_ and np.abs(posterior - before).max(initial=0) < _SMALL:
            break
    return AnnotatorModel(shares, confusions, posterior, known_share)


MODELS: Mapping[str, FitFunction] = MappingProxyType({"dawid-skene": fit_dawid_skene, "mace": fit_mace})
"""By name."""


def fit_model(name: str, ratings: LabelMatrix, answers: Numbers) -> AnnotatorModel:
    """A model of a name on labels of items with known answers, UNKNOWN where there is none, (items,)."""
    return MODELS[name](ratings, answers, np.ones(len(ratings.labels)), None)


def competence_estimates(name: str, ratings: LabelMatrix, answers: Numbers, model: AnnotatorModel) -> list[Estimate]:
    """The competence of each person with the 95 % interval of a bootstrap over documents; `n` counts their labels."""
    documents = np.unique(ratings.documents, return_inverse=True)[1]
    number = len(np.unique(documents))
    label_counts = ratings.labelled.sum(axis=0)
    if number < 2:
        error = "All items are of one document: there is no interval."
        return [
            Estimate(float(competence), None, None, int(n), error, number)
            for competence, n in zip(model.competence, label_counts, strict=True)
        ]
    counts = Resamples.draw(number, MODEL_RESAMPLES).counts.astype(np.float64)
    draws = np.array(
        [
            MODELS[name](ratings, answers, counts[documents, place], model.posterior).competence
            for place in range(MODEL_RESAMPLES)
        ]
    )
    return [
        Distribution(
            float(model.competence[person]), draws[:, person], int(label_counts[person]), "", number
        ).estimate()
        for person in range(len(label_counts))
    ]


def _normalized(logs: Values) -> Values:
    """Probabilities from their logarithms up to a constant, (items, classes)."""
    exponents = np.exp(logs - logs.max(axis=1, keepdims=True))
    probabilities: Values = exponents / exponents.sum(axis=1, keepdims=True)
    return probabilities


def _with_known(probabilities: Values, answers: Numbers) -> Values:
    """Probabilities with 1 at the answers that are known."""
    rows = np.flatnonzero(answers != UNKNOWN)
    if not len(rows):
        return probabilities
    probabilities = probabilities.copy()
    probabilities[rows] = 0
    probabilities[rows, answers[rows]] = 1
    return probabilities
