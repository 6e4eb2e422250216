"""The answer in short: the metric that is best overall, where it and others see errors, and where none does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.report import Column, Report, Table
from core.evaluation.studies.measures import best_sentence, measure_charts
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results.cases.measures import FIGURE_TITLES, MetricRow, available_measures, metric_rows
from core.scoring.metric import metric_title
from core.stats.statistic import Estimate
from core.stats.text_tables import format_percent

_CHANCE = 0.5  # of AUC, and of consistency, for a metric that does not read
_MIN_CASES = 10  # of a slice, with fewer of which nothing is said of it
_MOST_NAMED = 6  # slices in a sentence


@dataclass(frozen=True, slots=True)
class SliceAnswer:
    """A slice: the metric with the best figure, and how many of the metrics are above chance with their whole interval."""

    slice: str
    best: str
    figure: Estimate
    above_chance: int
    among: int


@STUDIES.add
@dataclass(frozen=True)
class Overview(Study):
    """The best metric overall and in each slice, and the slices in which no metric is above chance."""

    name: ClassVar[str] = "overview"
    title: ClassVar[str] = "Overview"
    does: ClassVar[str] = "Say which metric is best overall, and on which errors none is better than chance."
    group: ClassVar[Group] = "Compare"
    place: ClassVar[int] = 1
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    sliced: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "It compares metrics, an audit is of one.",
            "pack": "Its figures are those of the measures, which are packed.",
        }
    )
    measure: str = setting("auc", "The measure to compare by.", choices=("auc", "consistency"), labels=FIGURE_TITLES)

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"measure": available_measures(data.scored, ("auc", "consistency"))}

    def run(self, data: StudyData) -> Report:
        rows = list(metric_rows(data.scored, data.parts, data.draws, [self.measure]))
        valued = [row for row in rows if row.figures[self.measure].estimate.value is not None]
        title = FIGURE_TITLES[self.measure]
        if not valued:
            raise TouchstoneError(
                f"{title} is undefined here: it takes consistent and inconsistent summaries with scores."
            )
        answers = list(slice_answers(valued, self.measure))
        few = [
            part for part in dict.fromkeys(row.slice for row in valued) if part not in {one.slice for one in answers}
        ]
        table = Table(
            "slices",
            f"Best metric of each slice by {title}",
            (
                Column("slice"),
                Column("best", "best metric", "metric"),
                Column("figure", title, "percent"),
                Column("n", format="count"),
                Column(
                    "above_chance",
                    "above chance",
                    "count",
                    f"Metrics whose whole interval is above {100 * _CHANCE:.0f} %.",
                ),
                Column("among", "of", "count", "Metrics that have a figure in the slice."),
            ),
            tuple((one.slice, one.best, one.figure, one.figure.n, one.above_chance, one.among) for one in answers),
        )
        return self.report(
            data,
            [table] if answers else [],
            charts=measure_charts([row for row in rows if row.slice == rows[0].slice], self.measure),
            sentences=[
                _overall_sentence(valued, self.measure),
                *slice_sentences([one for one in answers if one.slice != rows[0].slice]),
            ],
            notes=[
                f"With the 95 % interval of {data.resamples:,} resamples of whole documents.",
                *([f"Fewer than {_MIN_CASES} cases: {', '.join(few)}."] if few else []),
            ],
        )


def _overall_sentence(rows: Sequence[MetricRow], measure: str) -> str:
    """The best metric overall, where there are enough cases to say so."""
    n = max(row.figures[measure].estimate.n for row in rows)
    if n < _MIN_CASES:
        return f"Too few cases ({n}) to say which metric is best: it takes {_MIN_CASES}."
    return best_sentence(rows, measure)


def slice_answers(rows: Sequence[MetricRow], measure: str) -> Iterator[SliceAnswer]:
    """The answer of each slice in which the best metric has enough cases; `rows` have a value."""
    for part in dict.fromkeys(row.slice for row in rows):
        estimates = {row.metric: row.figures[measure].estimate for row in rows if row.slice == part}
        best = max(estimates, key=lambda metric: estimates[metric].value or 0.0)
        if estimates[best].n >= _MIN_CASES:
            above = sum(one.low is not None and one.low > _CHANCE for one in estimates.values())
            yield SliceAnswer(part, best, estimates[best], above, len(estimates))


def slice_sentences(answers: Sequence[SliceAnswer]) -> Iterator[str]:
    """The slice that is seen best with its metric, then those that no metric sees."""
    seen = [one for one in answers if one.above_chance]
    if seen:
        best = max(seen, key=lambda one: one.figure.value or 0.0)
        yield f"Seen best: {best.slice}, by {metric_title(best.best)} {format_percent(best.figure)} %."
    unseen = [one.slice for one in answers if not one.above_chance and one.figure.low is not None]
    if unseen:
        more = f" and {len(unseen) - _MOST_NAMED} more" if unseen[_MOST_NAMED:] else ""
        yield f"No metric is above chance in {', '.join(unseen[:_MOST_NAMED])}{more}."
