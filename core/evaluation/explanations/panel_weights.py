"""Weights of the judges of a panel by how they grade what people graded, too (Dawid & Skene 1979)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.errors import TouchstoneError
from core.evaluation.explanations.judge_agreement import JudgedExplanation
from core.types import Grade

_GRADES = tuple(Grade)
_LEAST_GRADES = 10  # of people, for each judge
_MAX_ROUNDS = 100
_SMALL = 1e-6
_SMOOTHING = 1.0  # added to each cell: a judge without an observed error is not infallible

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JudgeWeights:
    """The shares of the right grades, and by judge those of the grades that it gives for each right one, (right, given).

    `graded` explanations have the grade of a person.
    """

    shares: Floats
    confusions: Mapping[str, Floats]
    graded: int

    def probabilities(self, grades: Mapping[str, Grade]) -> dict[Grade, float]:
        """The probability that each grade is right, by the grades of the judges."""
        posterior = _posterior(
            self.shares, [self.confusions[judge][:, _GRADES.index(grade)] for judge, grade in grades.items()]
        )
        return dict(zip(_GRADES, posterior.tolist(), strict=True))

    @property
    def digest(self) -> str:
        """Hash of the weights, for signatures."""
        parts = chain(
            [self.shares.tobytes()],
            *((name.encode(), self.confusions[name].tobytes()) for name in sorted(self.confusions)),
        )
        return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def estimate_weights(judged: Sequence[JudgedExplanation], judges: Sequence[str]) -> JudgeWeights:
    """The weights of these judges by expectation maximization, in which the grades of people are the right ones.

    Explanations that no person graded count by what the judges say of them. Raises TouchstoneError where people graded
    too few explanations of a judge.
    """
    for judge in judges:
        graded = sum(explanation.human is not None and judge in explanation.grades for explanation in judged)
        if graded < _LEAST_GRADES:
            raise TouchstoneError(
                f"People graded {graded} of the explanations that {judge} grades in this file, and {_LEAST_GRADES} are needed "
                "to weigh it. Have it judge more of those that have a grade under “human”."
            )
    ratings = [
        {judge: explanation.grades[judge] for judge in judges if judge in explanation.grades} for explanation in judged
    ]
    rows = [number for number, grades in enumerate(ratings) if grades]
    guesses = []  # the grade of a person, else the shares of the judges' grades
    for number in rows:
        human = judged[number].human
        votes = [human] if human else list(ratings[number].values())
        guesses.append([votes.count(grade) / len(votes) for grade in _GRADES])
    right = np.array(guesses)  # (explanations, grades)
    people = np.array([judged[number].human is not None for number in rows])
    shares, confusions = _maximize(right, [ratings[number] for number in rows], judges)
    for _ in range(_MAX_ROUNDS):
        seen = (
            _posterior(shares, [confusions[judge][:, _GRADES.index(grade)] for judge, grade in ratings[number].items()])
            for number in rows
        )
        better = np.where(people[:, None], right, np.array(list(seen)))
        change = float(np.abs(better - right).max())
        right = better
        shares, confusions = _maximize(right, [ratings[number] for number in rows], judges)
        if change < _SMALL:
            break
    return JudgeWeights(shares, confusions, int(people.sum()))


def _maximize(
    right: Floats, ratings: Sequence[Mapping[str, Grade]], judges: Sequence[str]
) -> tuple[Floats, dict[str, Floats]]:
    shares = right.sum(axis=0) + _SMOOTHING
    confusions = {}
    for judge in judges:
        counts = np.full((len(_GRADES), len(_GRADES)), _SMOOTHING)
        for row, grades in zip(right, ratings, strict=True):
            if judge in grades:
                counts[:, _GRADES.index(grades[judge])] += row
        confusions[judge] = counts / counts.sum(axis=1, keepdims=True)
    return shares / shares.sum(), confusions


def _posterior(shares: Floats, likelihoods: Sequence[Floats]) -> Floats:
    """Probabilities of the right grade, (grades,); in logarithms, because the product over many judges underflows."""
    logs = np.log(np.array([shares, *likelihoods])).sum(axis=0)
    weights = np.exp(logs - logs.max())
    probabilities: Floats = weights / weights.sum()
    return probabilities
