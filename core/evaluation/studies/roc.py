"""ROC curves of the metrics on one slice, with the area under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.errors import UnknownNameError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results.cases.cases import Cases
from core.results.cases.measures import OVERALL_SLICE, Slice, labelled_in_slice, shown_columns
from core.scoring.metric import metric_title
from core.stats.bootstrap import Resamples
from core.stats.discrimination import RocCurve, measure_roc_curve
from core.stats.text_tables import format_percent

_RESAMPLES = 500  # of the areas beside the curves


@STUDIES.add
@dataclass(frozen=True)
class Roc(Study):
    """The share of consistent summaries that a threshold accepts, by the share of inconsistent ones."""

    name: ClassVar[str] = "roc"
    title: ClassVar[str] = "ROC curves"
    does: ClassVar[str] = "Draw the ROC curve of each metric on a slice, with the area under it."
    group: ClassVar[Group] = "Compare"
    place: ClassVar[int] = 20
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    sliced: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "The audit shows the area, by the question sees-errors; a curve is no figure with a verdict."}
    )
    slice: str = setting(OVERALL_SLICE, "The slice: Overall, or a value of the field that slices are by.")

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"slice": [part.name for part in data.parts]}

    def run(self, data: StudyData) -> Report:
        parts = {part.name: part for part in data.parts}
        if self.slice not in parts:
            raise UnknownNameError("slice", self.slice, parts)
        curves = roc_curves(data.scored, parts[self.slice])
        areas = Table(
            "areas",
            f"Area under the ROC curve, {self.slice}",
            (
                Column("metric", format="metric"),
                Column(
                    "auc", "ROC AUC", "percent", "Chance that a consistent summary scores above an inconsistent one."
                ),
                Column("n", format="count"),
            ),
            tuple((name, curve.area, curve.area.n) for name, curve in curves),
        )
        return self.report(
            data,
            [areas],
            charts=[roc_chart(curves, self.slice)] if curves else [],
            sentences=[]
            if curves
            else ["No metric has a curve here: it takes consistent and inconsistent summaries with scores."],
            notes=[f"Intervals of {_RESAMPLES} resamples of whole documents."],
        )


def roc_curves(cases: Cases, part: Slice) -> list[tuple[str, RocCurve]]:
    """The ROC curve of each metric on a slice, the largest area first; without those that are undefined."""
    resamples = Resamples.draw(max(1, cases.clusters), _RESAMPLES)
    curves = [
        (column.name, measure_roc_curve(labelled_in_slice(cases, part, column), resamples))
        for column in shown_columns(cases, [part])
    ]
    defined = [(name, curve) for name, curve in curves if curve.area.value is not None]
    return sorted(defined, key=lambda one: -(one[1].area.value or 0.0))


def roc_chart(curves: Sequence[tuple[str, RocCurve]], part: str) -> Chart:
    """All curves with the diagonal of chance."""
    lines = [
        Series(
            f"{metric_title(name)}: {format_percent(curve.area)}",
            tuple(map(float, curve.false_alarms)),
            tuple(map(float, curve.hits)),
        )
        for name, curve in curves
    ]
    return Chart(
        "roc",
        "lines",
        f"ROC curves, {part} (area in percent)",
        Axis("inconsistent summaries accepted"),
        Axis("consistent summaries accepted"),
        (*lines, Series("chance", (0.0, 1.0), (0.0, 1.0))),
        square=True,
    )
