"""A statistic as a function of how often each document counts, so that a bootstrap need not touch the cases again, and its estimate."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of `n` cases from `documents` documents, with its 95 % interval.

    `value` is None where the statistic is undefined, `low` and `high` where there is no interval; `error` gives the
    reason, also where the interval must not be trusted. Files and printed records call it `why`.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    error: Annotated[str, Field(alias="why")] = ""
    documents: int = 0

    @property
    def of_few_documents(self) -> bool:
        """True if the interval rests on at most 30 documents."""
        return self.low is not None and self.documents <= FEW_DOCUMENTS

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the interval, both the value where every resample gives it; None where there is no interval for another reason."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        return (self.value, self.value) if self.value is not None and self.error == NO_SPREAD else None

    def record(self) -> dict[str, Any]:
        """The fields by their names in files and printed JSON."""
        return {"why" if name == "error" else name: value for name, value in asdict(self).items()}

    def rescaled(self, scale: Callable[[float], float]) -> Estimate:
        """The same by a function that never falls, without an interval where its ends become equal."""
        value, low, high = (None if number is None else scale(number) for number in (self.value, self.low, self.high))
        if low == high:
            low = high = None
        return replace(self, value=value, low=low, high=high)


NO_SPREAD = "Every resample gives the same value: there is no interval."
"""Reason of a figure that no resample of eight documents or more moves."""

FEW_DOCUMENTS = 30
CONFIDENCE_LEVEL = 0.95
MIN_INTERVAL_DOCUMENTS = 8
"""Fewest documents of an interval: from this number on, 95 % intervals were measured to hold the truth in 93 % or more."""

Values = NDArray[np.float64]
Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]
WeighFunction = Callable[[Values], Values]
"""From how often each document counts, (documents, resamples), to a value each, (resamples,), nan where undefined."""
IntervalFunction = Callable[[float, float], tuple[float, float]]
"""From the value of a figure and its variance to its interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A statistic of cases, still to be weighed by document."""

    n: int
    """Number of cases."""
    documents: Numbers
    """Documents that the cases lie in, (documents,)."""
    weigh: WeighFunction
    """Weighs the documents; not called where `error` is set."""
    rows: int = 1
    """Height of the largest intermediate array, by which resamples are cut into chunks."""
    error: str = ""
    """Reason that the statistic is undefined for the cases as they are."""
    without_interval: str = ""
    """Reason that it is not resampled."""
    interval: IntervalFunction | None = None
    """Interval of a figure in 0..1; None for one on another scale, whose interval is that of the resamples."""
    least_documents: int = MIN_INTERVAL_DOCUMENTS
    """Number of documents that its interval takes."""


def too_few_documents(documents: int, least: int) -> str:
    """Reason that this number of documents gives no interval; empty from `least` on."""
    if documents >= least:
        return ""
    if documents < 2:
        return "All cases are of one document: there is no interval."
    return f"{documents} documents are too few for an interval, which takes {least}: {least - documents} more."


def undefined(n: int, error: str) -> Statistic:
    return Statistic(n, np.zeros(0, dtype=np.intp), lambda weights: weights[0], error=error)


def mean(values: Values, documents: Numbers) -> Statistic:
    """The mean of (n,) values; those that are nan have failed and do not count."""
    has_value = ~np.isnan(values)
    if not has_value.any():
        return undefined(0, "No case has a value.")
    return quotient(values[has_value], np.ones(has_value.sum()), documents[has_value])


def quotient(parts: Values, wholes: Values, documents: Numbers) -> Statistic:
    """The sum of `parts` by the sum of `wholes`, both (n,), none of them nan."""
    numbers, places = cluster_documents(documents)
    sums = sums_by(places, np.column_stack([parts, wholes]), len(numbers))

    def weigh(weights: Values) -> Values:
        above, below = sums.T @ weights
        return ratio(above, below)

    return Statistic(len(parts), numbers, weigh, len(numbers))


def cluster_documents(documents: Numbers) -> tuple[Numbers, Numbers]:
    """The documents that occur, (documents,), and the place of each case among them, (n,)."""
    numbers, places = np.unique(documents, return_inverse=True)
    return numbers, places


FOLDS = 5
"""Parts of the documents for a figure that judges none of them by what was fitted on it."""


def deal_folds(documents: Numbers, number: int, seed: int = 0) -> Numbers:
    """The fold of each case, one of `number`, (n,): documents stay together and are spread evenly over folds."""
    numbers, places = cluster_documents(documents)
    dealt: Numbers = np.random.default_rng(seed).permutation(len(numbers)) % number
    return dealt[places]


def number_documents(marks: Iterable[Iterable[Hashable]]) -> Numbers:
    """The number of each case's document, (n,), counted from 0 in order of first appearance.

    `marks` are what each case has of its document, such as its text and its group: cases that share one share the
    document, also by way of a third; a case without a mark stands alone.
    """
    names: dict[Hashable, int] = {}
    cases, named, number = array("q"), array("q"), 0
    for number, of in enumerate(marks, start=1):
        for mark in of:
            cases.append(number - 1)
            named.append(names.setdefault(mark, len(names)))
    return number_linked(np.array(cases, dtype=np.intp), np.array(named, dtype=np.intp), number)


def number_linked(cases: Numbers, marks: Numbers, number: int) -> Numbers:
    """The same of `number` cases, of which each of `cases` has the mark in its place, (links,) both, numbered from 0."""
    from scipy.sparse.csgraph import connected_components  # scipy takes half a second, and most commands count nothing

    size = number + int(marks.max(initial=-1)) + 1
    edges = count_matrix(cases, marks + number, (size, size))
    _, components = connected_components(edges, directed=False)
    numbers: Numbers = np.unique(components[:number], return_inverse=True)[1]
    return numbers


def sums_by(places: Numbers, values: Values, number: int) -> Values:
    """The sums of the columns of (n, columns) over the cases at each of `number` places, (number, columns)."""
    sums: Values = count_matrix(places, np.arange(len(places)), (number, len(places))) @ values
    return sums


def count_matrix(rows: Numbers, columns: Numbers, shape: tuple[int, int], amounts: Values | None = None) -> csr_array:
    """A sparse matrix that adds up amounts, or counts, at the cells that are named."""
    from scipy.sparse import csr_array

    counted = np.ones(len(rows)) if amounts is None else amounts
    return csr_array((counted, (rows, columns)), shape=shape)


def ratio(above: Values, below: Values) -> Values:
    """The quotient; nan where the divisor is 0."""
    quotient: Values = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
    return quotient
