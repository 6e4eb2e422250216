"""FRANK (Pagnoni et al. 2021): correlations of released metrics with people, the mean of each system taken from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.cases.measures import draw_resamples
from core.papers.paper import PAPERS, Computation, DataFile, Figures, Paper, ReleasedData
from core.studies.rating_correlation import metric_correlations

VALID = DataFile(
    "frank",
    "frank_valid",
    "copy data/human_annotations.json and data/baseline_factuality_metrics_outputs.json of https://github.com/artidoro/frank, the records of split valid",
)
_COLUMNS = {"Pearson": "Pearson, within systems", "Spearman": "Spearman, within systems"}


@PAPERS.add
@dataclass(frozen=True)
class Frank(Paper):
    """Released scores against released ratings."""

    name: ClassVar[str] = "frank"
    data: ClassVar[tuple[DataFile, ...]] = (VALID,)
    aspect: ClassVar[str] = "Factuality"

    def computations(self) -> Mapping[str, Computation]:
        return {"partial correlations": _partial_correlations, "summaries": _counts}


def _partial_correlations(data: ReleasedData) -> Figures:
    cases = data.cases(VALID)
    rows = metric_correlations(cases, Frank.aspect, draw_resamples(cases, 1), names=tuple(_COLUMNS.values()))
    return {
        (row.metric, column): value
        for row in rows
        for column, name in _COLUMNS.items()
        if (value := row.figures[name].estimate.value) is not None
    }


def _counts(data: ReleasedData) -> Figures:
    items = data.items(VALID)
    return {("valid", "summaries"): len(items), ("valid", "articles"): len({item.group for item in items})}
