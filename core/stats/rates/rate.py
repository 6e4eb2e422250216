"""A rate among all summaries of a pool from labels of a few of them, with intervals that hold for few labels and for labels clustered in documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.stats.proportion import MIN_ERRORS, NOT_LEVEL, SIZE_ROUNDING, exact_interval, independent_cases, wilson
from core.stats.statistic import Estimate, Numbers, Values, cluster_documents

ALL_LABELLED = "All summaries have a label: the rate is known."
ONE_DOCUMENT = "All labels are of one document: there is no interval."


@dataclass(frozen=True, eq=False)
class LabelSample:
    """Labels drawn from a pool: `outcomes` 1 or 0, (n,), `documents` numbering what was drawn together, (n,).

    `weights`, (n,), sum to 1, inverse to the probability of selection (Hájek 1971). `unseen`, (n,), is 1 minus that
    probability, by which a draw from a finite pool varies less (Horvitz and Thompson 1952).
    """

    outcomes: Values
    documents: Numbers
    weights: Values
    unseen: Values

    @classmethod
    def equal(cls, outcomes: Values, documents: Numbers, pool: int) -> LabelSample:
        """Labels of a simple random sample of `pool` summaries."""
        n = len(outcomes)
        return cls(outcomes, documents, np.full(n, 1 / n), np.full(n, 1 - n / pool))

    @classmethod
    def weighted(cls, outcomes: Values, documents: Numbers, probabilities: Values) -> LabelSample:
        """Labels with their probabilities of selection, (n,), in 0..1, none of them 0."""
        inverse = 1 / probabilities
        return cls(outcomes, documents, inverse / inverse.sum(), 1 - probabilities)

    def part(self, rows: Numbers) -> LabelSample:
        """The labels in these rows."""
        weights = self.weights[rows]
        return LabelSample(self.outcomes[rows], self.documents[rows], weights / weights.sum(), self.unseen[rows])

    @property
    def n(self) -> int:
        return len(self.outcomes)

    @cached_property
    def places(self) -> Numbers:
        """The place of each label's document among those that occur, (n,)."""
        return cluster_documents(self.documents)[1]

    @cached_property
    def clusters(self) -> int:
        return int(self.places.max()) + 1 if self.n else 0

    @cached_property
    def rate(self) -> float:
        return float(self.weights @ self.outcomes)

    @property
    def errors(self) -> int:
        """The number of labels in the rarer class."""
        ones = int(self.outcomes.sum())
        return min(ones, self.n - ones)

    def sums(self, values: Values, *, finite: bool = True) -> Values:
        """The sums by document of the weighted deviations of (n,) values from their mean, (clusters,).

        Their sum of squares estimates the variance of the mean; that of a `finite` pool has no part of what was drawn.
        """
        deviations = self.weights * (values - self.weights @ values)
        scaled = deviations * np.sqrt(self.unseen) if finite else deviations
        sums: Values = np.bincount(self.places, weights=scaled, minlength=self.clusters).astype(np.float64)
        return sums

    def variance(self, values: Values, *, finite: bool = True, fitted: int = 0) -> float:
        """The variance of the weighted mean of values of which `fitted` parameters were chosen on the same labels."""
        sums = self.sums(values, finite=finite)
        return self.clusters / max(1, self.clusters - 1 - fitted) * float(sums @ sums)


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its variance, from `n` labels and the number of their documents.

    An `exact` one is of the labels alone: `size` independent labels tell as much, and the interval is Clopper and
    Pearson's (1934). Of any other it is Wilson's (1927).
    """

    value: float
    variance: float
    n: int
    documents: int
    exact: bool = False
    size: float = 0.0

    def interval(self, error: float = NOT_LEVEL) -> tuple[float, float]:
        """The interval that misses the rate in that share of draws; nan of labels that were drawn in one document."""
        from scipy.special import stdtrit  # scipy takes half a second, and most commands estimate nothing

        if not self.exact and self.variance <= 0:
            return self.value, self.value
        if self.documents < 2:
            return math.nan, math.nan
        if self.exact:
            return exact_interval(self.value, self.size, self.n, self.documents, error)
        value = min(max(self.value, 0.0), 1.0)
        size = value * (1 - value) / self.variance
        return wilson(value, size, float(stdtrit(self.documents - 1, 1 - error / 2))) if size else (value, value)

    def estimate(self) -> Estimate:
        low, high = self.interval()
        if math.isnan(low) or low == high:
            error = ONE_DOCUMENT if self.variance > 0 or self.exact else ALL_LABELLED
            return Estimate(self.value, None, None, self.n, error, self.documents)
        return Estimate(min(max(self.value, 0.0), 1.0), low, high, self.n, documents=self.documents)


def labels_alone(sample: LabelSample) -> Rate:
    """The rate by the labels alone: Wilson's interval of the effective number of labels, or the exact one of few errors."""
    rate, variance = sample.rate, sample.variance(sample.outcomes)
    size = independent_cases(sample.outcomes, sample.weights, sample.places)
    alike = float(sample.weights @ sample.unseen) * rate * (1 - rate) / size
    if variance < SIZE_ROUNDING * alike:  # documents that happen to have the same share each show no effect
        variance = alike
    few = sample.errors * size / sample.n < MIN_ERRORS - SIZE_ROUNDING
    return Rate(rate, variance, sample.n, sample.clusters, few and bool(sample.unseen.any()), size)
