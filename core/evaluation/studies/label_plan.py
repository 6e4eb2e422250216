"""The number of labels that an interval of a given width takes, alone and with scores, from the labels at hand or from assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import draw_of_labels
from core.stats import MIN_ERRORS, expected_margin, explained_share, label_grid, labels_needed

_MARGINS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0)  # points, besides the one that is asked for
_FEW_PILOT = 30  # labels, with fewer of which a pilot says little
_UNKNOWN_SIZE = 10_000  # summaries of a pool that nobody named


@dataclass(frozen=True, slots=True)
class _Basis:
    """Basis of a plan: a rate, the share of its variance that scores explain, the effect of documents, and the pool's size."""

    rate: float
    explained: float
    design: float
    pool: int
    sentence: str


@STUDIES.add
@dataclass(frozen=True)
class LabelPlan(Study):
    """The labels that a margin takes, with the hours and the pay of it, and the curve from which to choose."""

    name: ClassVar[str] = "label-plan"
    title: ClassVar[str] = "Labels needed"
    does: ClassVar[str] = (
        "Say how many labels make the rate of inconsistent summaries certain to some points, from a pilot or from assumptions."
    )
    group: ClassVar[Group] = "How many are wrong?"
    place: ClassVar[int] = 2
    may_take: ClassVar[tuple[Input, ...]] = (Input.POOL,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "It plans labels, and an audit judges a metric by labels that are there.",
            "pack": "A plan is made before the labels, and no result of them.",
        }
    )
    margin: float = setting(
        3.0, "Half the width of the interval to reach, in points.", low=0.1, high=50, title="± points"
    )
    assumed_rate: float = setting(
        0.0, "Assumed share of inconsistent summaries in percent; 0 for that of the labels at hand.", low=0, high=99
    )
    assumed_auc: float = setting(
        0.0,
        "Assumed area under the ROC curve of the metric in percent; 0 for that of the scores at hand.",
        low=0,
        high=100,
        title="Assumed ROC AUC",
    )
    summaries: int = setting(0, "Summaries in the pool; 0 for those at hand.", low=0)
    minutes_a_label: float = setting(2.0, "Minutes that a label takes.", low=0)
    hourly_pay: float = setting(0.0, "Pay of an hour of labelling, in any currency; 0 to leave it out.", low=0)

    def run(self, data: StudyData) -> Report:
        basis = self._basis(data)
        margins = sorted({*_MARGINS, self.margin})
        needed = self._needed(basis, self.margin)
        columns = [
            Column("margin", "± points", "number"),
            Column("alone", "labels alone", "count"),
            Column("with_scores", "labels with scores", "count"),
            Column("hours", "hours with scores", "number"),
            *([Column("pay", "pay with scores", "number")] if self.hourly_pay else []),
        ]
        rows: list[tuple[Cell, ...]] = []
        for margin in margins:
            alone, powered = self._needed(basis, margin)
            hours = round(powered * self.minutes_a_label / 60, 1)
            rows.append(
                (margin, alone, powered, hours, *([round(hours * self.hourly_pay, 2)] if self.hourly_pay else []))
            )
        return self.report(
            data,
            [Table("plan", "Labels by margin", tuple(columns), tuple(rows))],
            charts=[_curve(basis, self.margin, needed)],
            sentences=[self._answer(basis, needed)],
            notes=[
                basis.sentence,
                f"With fewer than {MIN_ERRORS} inconsistent labels expected, here {MIN_ERRORS / min(basis.rate, 1 - basis.rate):,.0f} "
                "labels, the interval is the exact one of the labels alone, and scores have no part in it.",
                "The margin is expected, not promised: the labels that are drawn give more or less.",
            ],
        )

    def _needed(self, basis: _Basis, points: float) -> tuple[int, int]:
        alone, powered = (
            labels_needed(points / 100, basis.rate, basis.pool, explained, basis.design)
            for explained in (0.0, basis.explained)
        )
        return alone, powered

    def _answer(self, basis: _Basis, needed: tuple[int, int]) -> str:
        alone, powered = needed
        hours = powered * self.minutes_a_label / 60
        cost = f", and {hours * self.hourly_pay:,.0f} of pay" if self.hourly_pay else ""
        without = f"; without scores {alone:,}" if powered < alone else "; scores save none"
        return (
            f"± {self.margin:g} points take {powered:,} labels of {basis.pool:,} summaries{without}. "
            f"At {self.minutes_a_label:g} minutes a label that is {hours:,.1f} hours{cost}."
        )

    def _basis(self, data: StudyData) -> _Basis:
        """The pilot's figures, those that are assumed in their place. Raises TouchstoneError where neither gives a rate."""
        at_hand = data.pool is not None or data.cases is not None
        size = self.summaries or (len(data.summaries.ids) if at_hand else _UNKNOWN_SIZE)
        if not at_hand or not len(data.summaries.labelled):
            if not self.assumed_rate:
                raise TouchstoneError(
                    "There are no labels from which to take the rate. Assume one with assumed_rate, as 10 for 10 %, and an area "
                    "under the ROC curve with assumed_auc, as 75; or label about 50 summaries as a pilot."
                )
            explained = explained_share(self.assumed_auc / 100, self.assumed_rate / 100) if self.assumed_auc else 0.0
            return _Basis(self.assumed_rate / 100, explained, 1.0, size, self._assumption())
        draw = draw_of_labels(data.summaries)
        alone, powered = draw.alone, draw.powered
        if not 0 < alone.value < 1 and not self.assumed_rate:
            raise TouchstoneError(
                f"All {alone.n} labels are {'in' if alone.value else ''}consistent, which gives no plan. Assume one with assumed_rate, as 3 for 3 %."
            )
        spread = alone.value * (1 - alone.value)
        design = max(1.0, alone.n / alone.size) if spread else 1.0
        explained = draw.explained
        assumed = []
        if self.assumed_auc:
            explained = explained_share(self.assumed_auc / 100, self.assumed_rate / 100 or alone.value)
            assumed.append("the area under the ROC curve")
        if self.assumed_rate:
            assumed.append("the rate")
        few = " They are few: plan again when there are more." if alone.n < _FEW_PILOT or powered.exact else ""
        besides = f"; {' and '.join(assumed)} as assumed" if assumed else ""
        return _Basis(
            self.assumed_rate / 100 or alone.value,
            explained,
            design,
            size,
            f"From {alone.n:,} labels at hand: {100 * alone.value:.1f} % inconsistent, and scores explain {100 * explained:.0f} % of "
            f"the variance{besides}.{few}",
        )

    def _assumption(self) -> str:
        of_metric = (
            f"a metric with an area under the ROC curve of {self.assumed_auc:g} %" if self.assumed_auc else "no metric"
        )
        return f"Assumed: {self.assumed_rate:g} % inconsistent, {of_metric}, and labels drawn summary by summary."


def _curve(basis: _Basis, margin: float, needed: tuple[int, int]) -> Chart:
    labels = label_grid(min(basis.pool, max(200, round(1.6 * max(needed)))))
    lines = []
    for name, explained in (("labels alone", 0.0), ("labels and scores", basis.explained)):
        margins = [expected_margin(float(n), basis.rate, basis.pool, explained, basis.design) for n in labels]
        texts = tuple(
            f"{n:.0f} labels: ± {100 * half_width:.1f} points" for n, half_width in zip(labels, margins, strict=True)
        )
        lines.append(Series(name, tuple(float(n) for n in labels), tuple(margins), texts))
    ends = (float(labels[0]), float(labels[-1]))
    target = Series(f"± {margin:g} points", ends, (margin / 100, margin / 100))
    return Chart(
        "margin",
        "lines",
        "Half the width of the 95 % interval by the number of labels",
        Axis("labels", format="count"),
        Axis("± points", format="percent"),
        (*lines, target),
    )
