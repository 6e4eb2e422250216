"""A combination that asks its most expensive member only where the others are unsure: accuracy by cost, on labels of other documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.errors import TouchstoneError
from core.results.cases.combining import TOLERANCE, Combining
from core.stats import Bags, Estimate, Mask, Values, accuracy_of_decisions, compare_paired, cross_log_odds, sigmoid

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Of summaries for which the last member is asked."""


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """The last member is asked where the probability without it is between `low` and `high`, for a `share` of summaries.

    `cost` is the mean of a summary, `area` that under the ROC curve, and `accuracy` the balanced accuracy at the share of consistent labels.
    """

    share: float
    low: float
    high: float
    cost: float
    area: Estimate
    accuracy: Estimate
    loss: Estimate


@dataclass(frozen=True, eq=False)
class Cascade:
    """The cascade of a combination; its last member is the most expensive one, of equally expensive ones that of the largest weight."""

    of: Combining

    @property
    def last(self) -> int:
        costs, weights = self.of.costs, self.of.weights
        return max(range(len(costs)), key=lambda place: (costs[place], weights[place]))

    @cached_property
    def cheap(self) -> Values:
        """Cross-fitted log odds without the last member, (n,)."""
        values = self.of.features.values.copy()
        values[:, self.last] = np.nan
        return cross_log_odds(self.of.fold_fits, Bags(values, self.of.features.owners), self.of.folds)

    @property
    def centre(self) -> float:
        """The share of consistent labels: where the probability is near it, the decision is open."""
        return float(np.clip(self.of.labels.mean(), 1e-6, 1 - 1e-6))

    @cached_property
    def points(self) -> tuple[CascadePoint, ...]:
        """One for each of SHARES, the cheapest first."""
        middle = np.log(self.centre / (1 - self.centre))
        distances, whole = np.abs(self.cheap - middle), self.of.complete
        always = cross_log_odds(self.of.fold_fits, self.of.features, self.of.folds)
        points: dict[float, CascadePoint] = {}
        for share in SHARES:
            width = float(np.quantile(distances[whole], share)) if share else 0.0
            low, high = (float(bound) for bound in sigmoid(np.array([middle - width, middle + width])))
            undecided: Mask = distances <= width
            taken = float(undecided[whole].mean())
            mixed = np.where(undecided, always, self.cheap)
            area = self.of.area(mixed)
            accuracy = accuracy_of_decisions(mixed[whole] >= middle, self.of.labels[whole], self.of.documents[whole])
            cost = float(self.of.costs.sum() - (1 - taken) * self.of.costs[self.last])
            loss = compare_paired(self.of.area(always), area).difference
            points[taken] = CascadePoint(
                taken, low, high, cost, area.estimate(), self.of.drawn.estimate(accuracy), loss
            )
        return tuple(points.values())

    def within(self, budget: float) -> CascadePoint:
        """The point with the largest area that costs at most `budget`; with 0 the cheapest that is as good as asking always.

        Raises TouchstoneError for a budget below the cost of the other members.
        """
        if not budget:
            return next(
                (
                    point
                    for point in self.points
                    if (point.loss.value or 0.0) <= TOLERANCE and (point.loss.low is None or point.loss.low <= 0)
                ),
                self.points[-1],
            )
        affordable = [point for point in self.points if point.cost <= budget]
        if not affordable:
            raise TouchstoneError(
                f"A budget of {budget:g} for a summary is below {self.points[0].cost:g}, the cost of the members that are always asked."
            )
        return max(affordable, key=lambda point: point.area.value or 0.0)
