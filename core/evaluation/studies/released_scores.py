"""Our scores beside the released ones of the same metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.results import Cases


@dataclass(frozen=True, slots=True)
class ReleasedComparison:
    """A released metric and ours of the same name, on the summaries that both score."""

    released: str
    """Name of the column of released scores."""
    ours: str
    """Spec of our metric."""
    n: int
    """Summaries with both scores, at least one."""
    scale: float
    """Factor that brings our scores into the released unit: 100 or 0.01 where one of them is in percent, else 1."""
    mean: float
    """Mean absolute difference, in the released unit."""
    largest: float
    """Largest absolute difference, in the released unit."""
    correlation: float | None
    """Pearson's correlation; None where either side does not vary."""
    same_way: float | None
    """Share of minimal pairs, 0..1, that both move the same way; None without such a pair."""


def compare_with_released(cases: Cases) -> list[ReleasedComparison]:
    """Every released metric that one of ours bears the name of."""
    comparisons = []
    for released, ours in product(cases.columns, repeat=2):
        if not released.released or ours.released or _plain_name(released.name) != _plain_name(ours.name):
            continue
        both = ~np.isnan(released.values) & ~np.isnan(ours.values)
        if not both.any():
            continue
        theirs, mine = released.values[both], ours.values[both]
        # a hundred where one is given in percent and the other as a share
        scale, most, our_most = 1.0, float(np.abs(theirs).max()), float(np.abs(mine).max())
        if our_most <= 1.5 < most <= 150:
            scale = 100.0
        elif most <= 1.5 < our_most <= 150:
            scale = 0.01
        apart = np.abs(theirs - scale * mine)
        flat = not (np.ptp(theirs) and np.ptp(mine))
        good, bad = cases.pairs.T
        moved = np.array([np.sign(column.values[bad] - column.values[good]) for column in (released, ours)])
        paired = ~np.isnan(moved).any(axis=0)
        comparisons.append(
            ReleasedComparison(
                released=released.name,
                ours=ours.name,
                n=int(both.sum()),
                scale=scale,
                mean=float(apart.mean()),
                largest=float(apart.max()),
                correlation=None if flat else float(np.corrcoef(theirs, mine)[0, 1]),
                same_way=float(np.mean(moved[0, paired] == moved[1, paired])) if paired.any() else None,
            )
        )
    return comparisons


def _plain_name(name: str) -> str:
    """ROUGE-2 and rouge2[measured=precision] are the same metric."""
    return "".join(character for character in name.partition("[")[0].lower() if character.isalnum())


@STUDIES.add
class ReleasedScores(Study):
    """Our scores beside those that the authors of the data released, of the same metrics."""

    name: ClassVar[str] = "released-scores"
    title: ClassVar[str] = "Our scores and released ones"
    does: ClassVar[str] = (
        "Compare our scores with those that the authors of the data released, of metrics with the same name."
    )
    group: ClassVar[Group] = "Data"
    place: ClassVar[int] = 20
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "It checks an implementation by released numbers, which few data have; the audit judges what a score says."
        }
    )

    def run(self, data: StudyData) -> Report:
        comparisons = compare_with_released(data.scored)
        if not comparisons:
            raise TouchstoneError(
                "No released metric here has the name of one of ours. Score the data with a metric whose scores were released: "
                "cli.py score-dataset NAME --metric …"
            )
        columns = (
            Column("released"),
            Column("ours"),
            Column("n", format="count"),
            Column("scale", "our unit ×", "number", "The factor that brings ours onto the released unit."),
            Column("mean", "mean |difference|", "number"),
            Column("largest", "largest", "number"),
            Column("correlation", "Pearson", "number"),
            Column("same_way", "pairs the same way", "percent", "Share of minimal pairs that both move the same way."),
        )
        rows = tuple(tuple(getattr(comparison, column.name) for column in columns) for comparison in comparisons)
        farthest = max(comparisons, key=lambda comparison: comparison.largest)
        sentence = (
            f"{farthest.ours} departs most from the released {farthest.released}: by {farthest.mean:.4g} on average and at most "
            f"{farthest.largest:.4g} over {farthest.n} summaries."
        )
        return self.report(data, [Table("comparisons", self.title, columns, rows)], sentences=[sentence])
