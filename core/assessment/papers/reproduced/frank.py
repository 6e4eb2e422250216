"""FRANK (Pagnoni et al. 2021): correlations of released metrics with people, the mean of each system taken from both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from core.assessment.papers.paper import (
    PAPERS,
    Computation,
    DataFile,
    Figures,
    MissingDataError,
    Paper,
    ReleasedData,
    by_row,
)
from core.evaluation import metric_correlations
from core.results import build_cases, draw_resamples
from core.types import Sample, Split

VALID = DataFile(
    "frank",
    "frank_valid",
    "copy data/human_annotations.json and data/baseline_factuality_metrics_outputs.json of https://github.com/artidoro/frank; of both splits or of valid alone",
)
_SPLITS = {"valid": Split.DEV, "test": Split.TEST}
_COLUMNS = {"Pearson": "Pearson, within systems", "Spearman": "Spearman, within systems"}


@PAPERS.add
class FrankPaper(Paper):
    """Released scores against released ratings, of each split by itself: metrics are tuned on valid and reported on test."""

    name: ClassVar[str] = "frank"
    data: ClassVar[tuple[DataFile, ...]] = (VALID,)
    aspect: ClassVar[str] = "Factuality"

    def computations(self) -> Mapping[str, Computation]:
        return {
            "partial correlations": partial(_partial_correlations, "valid"),
            "partial correlations, test": partial(_partial_correlations, "test"),
            "summaries": partial(by_row, {split: partial(_split_counts, split) for split in _SPLITS}),
        }


def _split_samples(split: str, data: ReleasedData) -> list[Sample]:
    """The samples of a split, by their own field. Raises MissingDataError where there are none."""
    samples = [sample for sample in data.samples(VALID) if sample.item.split is _SPLITS[split]]
    if not samples:
        raise MissingDataError(
            f"Waits for data: {VALID.place} has no records of split {split}. Copy the files of the release as they are"
        )
    return samples


def _partial_correlations(split: str, data: ReleasedData) -> Figures:
    cases = build_cases(_split_samples(split, data))
    rows = metric_correlations(cases, FrankPaper.aspect, draw_resamples(cases, 1), names=tuple(_COLUMNS.values()))
    return {
        (row.metric, column): value
        for row in rows
        for column, name in _COLUMNS.items()
        if (value := row.figures[name].estimate.value) is not None
    }


def _split_counts(split: str, data: ReleasedData) -> Mapping[str, float]:
    items = [sample.item for sample in _split_samples(split, data)]
    return {"summaries": len(items), "articles": len({item.group for item in items})}
