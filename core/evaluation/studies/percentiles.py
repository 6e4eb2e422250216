"""The distribution of a metric's scores by label, and the percentile of a raw score in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.base.signatures import apart_from_code
from core.errors import BadSettingError
from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results.cases.cases import Cases, MetricColumn
from core.scoring.metric import metric_title
from core.stats.statistic import Values

_QUANTILES = (0, 5, 25, 50, 75, 95, 100)
_BINS = 40


@dataclass(frozen=True, slots=True)
class Percentile:
    """The percentile of a score, 0 to 100, among `n` scores: the share that lies below it and half of those equal to it."""

    percentile: float
    n: int


def score_percentiles(cases: Cases, column: MetricColumn, score: float) -> Mapping[str, Percentile]:
    """Among all summaries that the metric scored, the consistent and the inconsistent ones; without parts that are empty."""
    parts = scores_by_label(cases, column)
    known = {name: values for name, values in parts.items() if len(values)}
    below = {name: np.mean(values < score) + np.mean(values == score) / 2 for name, values in known.items()}
    return {name: Percentile(100 * float(below[name]), len(values)) for name, values in known.items()}


def scores_by_label(cases: Cases, column: MetricColumn) -> Mapping[str, Values]:
    """The scores of all summaries, of the consistent and of the inconsistent ones."""
    scored = ~np.isnan(column.values)
    return {
        "all": column.values[scored],
        "consistent": column.values[scored & (cases.labels == 1)],
        "inconsistent": column.values[scored & (cases.labels == 0)],
    }


def column_by_signature(cases: Cases, signature: str) -> MetricColumn | None:
    """The scores of this very signature, else of the same settings and weights in other code; others are no reference."""
    same_setup = [column for column in cases.columns if apart_from_code(column.signature) == apart_from_code(signature)]
    return max(same_setup, key=lambda column: column.signature == signature, default=None)


def format_percentiles(found: Mapping[str, Percentile]) -> str:
    """As: above 73 % of all 1386 summaries, 68 % of the 693 consistent, 78 % of the 693 inconsistent."""
    parts = [
        f"{rank.percentile:.0f} % of {'all' if name == 'all' else 'the'} {rank.n} "
        f"{'summaries' if name == 'all' else name}"
        for name, rank in found.items()
    ]
    return f"above {', '.join(parts)}"


@STUDIES.add
@dataclass(frozen=True)
class Percentiles(Study):
    """Quantiles of a metric's scores by label, and where a raw score lies among them."""

    name: ClassVar[str] = "percentiles"
    title: ClassVar[str] = "Score percentiles"
    does: ClassVar[str] = (
        "Show the distribution of a metric's scores by label, and the percentile of a raw score in it."
    )
    group: ClassVar[Group] = "Thresholds"
    place: ClassVar[int] = 20
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "A distribution has no better side, so that there is no verdict on it."}
    )
    score: str = setting("", "A raw score to place among them, a number; empty for none.")

    def run(self, data: StudyData) -> Report:
        columns, score = data.scored.columns, self._number()
        placed = [] if score is None else [(one, score_percentiles(data.scored, one, score)) for one in columns]
        rows: list[tuple[Cell, ...]] = [
            (one.name, label, len(values), *(float(value) for value in np.percentile(values, _QUANTILES)))
            for one in columns
            for label, values in scores_by_label(data.scored, one).items()
            if len(values)
        ]
        quantiles = Table(
            "quantiles",
            "Quantiles of the scores",
            (
                Column("metric", format="metric"),
                Column("label"),
                Column("n", format="count"),
                *(Column(f"p{share}", f"{share} %", "number") for share in _QUANTILES),
            ),
            tuple(rows),
        )
        sentences = [f"{score:g} is {format_percentiles(parts)} by {metric_title(one.name)}." for one, parts in placed]
        charts = [score_histogram(data.scored, one) for one in columns]
        return self.report(data, [quantiles], charts=charts, sentences=sentences, notes=["Ties count half."])

    def _number(self) -> float | None:
        try:
            return float(self.score) if self.score.strip() else None
        except ValueError:
            raise BadSettingError(f"The score must be a number, as 0.73; got {self.score!r}.") from None


def score_histogram(cases: Cases, column: MetricColumn) -> Chart:
    """Shares of the scores in bins of the same width, of the consistent and the inconsistent summaries, or of all without labels."""
    parts = scores_by_label(cases, column)
    shown = {label: values for label, values in parts.items() if label != "all" and len(values)} or {
        "all": parts["all"]
    }
    edges = np.histogram_bin_edges(parts["all"], _BINS)
    centres = tuple(float(value) for value in (edges[:-1] + edges[1:]) / 2)
    series = [
        Series(
            f"{label} (n = {len(values)})",
            centres,
            tuple(float(n) / len(values) for n in np.histogram(values, edges)[0]),
        )
        for label, values in shown.items()
    ]
    return Chart(
        f"scores-{column.name}",
        "bars",
        f"Scores of {metric_title(column.name)}",
        Axis(metric_title(column.name)),
        Axis("of these summaries", format="percent"),
        tuple(series),
    )
