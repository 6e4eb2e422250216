"""A statistic as a function of how often each document counts, so that a bootstrap need not touch the cases again, and its estimate."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of `n` cases of so many `documents` with its 95 % interval.

    `value` is None where the statistic is undefined, `low` and `high` where there is no interval; `why` says for what
    reason, or why the interval must not be trusted.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str = ""
    documents: int = 0

    @property
    def of_few_documents(self) -> bool:
        """True if the interval is likely too narrow, because it rests on at most 30 documents."""
        return self.low is not None and self.documents <= FEW_DOCUMENTS


FEW_DOCUMENTS = 30  # with no more, 95 % intervals were measured to cover less: 93.6 % at 30

Values = NDArray[np.float64]
Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]
WeighFunction = Callable[[Values], Values]
"""From how often each document counts, (documents, resamples), to a value each, (resamples,), nan where undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A statistic of `n` cases that lie in `documents`, (documents,), still to be weighed.

    `rows` is the height of its largest intermediate array, by which resamples are cut into chunks. `why` says why it is
    undefined for the cases as they are; then `weigh` is not called. `without_interval` says why it is not resampled.
    """

    n: int
    documents: Numbers
    weigh: WeighFunction
    rows: int = 1
    why: str = ""
    without_interval: str = ""


def undefined(n: int, why: str) -> Statistic:
    return Statistic(n, np.zeros(0, dtype=np.intp), lambda weights: weights[0], why=why)


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
