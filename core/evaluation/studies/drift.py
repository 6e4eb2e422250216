"""Drift of scores since the labels were made: which parts of a pool the old labels still tell of, and how many new ones it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import LabelDraw, PartDrift, labels_of_part, part_drifts, reference_part
from core.scoring import metric_title
from core.stats import CarriedRate, Estimate, Rate, format_p, labels_needed, percent_words

_LEVEL = 0.05


@STUDIES.add
@dataclass(frozen=True)
class Drift(Study):
    """Scores of later summaries beside those of the summaries that were labelled, with the rate to expect and the labels to add."""

    name: ClassVar[str] = "drift"
    title: ClassVar[str] = "Drift"
    does: ClassVar[str] = (
        "Say if the scores of later summaries drift from those that were labelled, the rate of inconsistent ones to expect, and "
        "how many new labels it takes; status 1 where there is drift."
    )
    group: ClassVar[Group] = "How many are wrong?"
    place: ClassVar[int] = 3
    takes: ClassVar[tuple[Input, ...]] = (Input.POOL,)
    sliced: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "An audit judges a metric on labelled data, and this watches summaries that have few labels.",
            "pack": "The pack is of labelled summaries, and this is of summaries that came after the labels.",
        }
    )
    reference: str = setting("", "The part with the labels, by its name; by default the first.", title="Labelled part")
    margin: float = setting(
        3.0, "Half the width of the interval to reach by new labels, in points.", low=0.1, high=50, title="± points"
    )

    def run(self, data: StudyData) -> Report:
        pool = data.summaries
        reference = reference_part(pool, self.reference)
        draw = labels_of_part(pool, pool.parts[reference])
        drifts = list(part_drifts(pool, reference, draw))
        metric_table = Table(
            "metrics",
            "Drift of scores",
            (
                Column("part"),
                Column("metric", format="metric"),
                Column(
                    "place", "percentile", "percent", "Mean share of the reference's scores below those of the part."
                ),
                Column("p", format="number", help="Corrected for metrics and parts."),
                Column("drift"),
            ),
            tuple(
                (
                    part.name,
                    metric.metric,
                    metric.place,
                    metric.p,
                    "yes" if metric.p is not None and metric.p < _LEVEL else "",
                )
                for part in drifts
                for metric in part.metrics
            ),
        )
        report = self.report(
            data,
            [metric_table, *([self._rate_table(drifts, draw)] if draw else [])],
            charts=[_place_chart(drifts, reference), *([_rate_chart(drifts, draw, reference)] if draw else [])],
            sentences=[*_drift_sentences(drifts, reference), *self._plan(drifts[-1], draw)],
            notes=[
                f"Parts come in the order of their names; the labels are those of {reference}.",
                "A percentile is the mean share of the reference's scores that are lower than those of a part: 50 without drift. Tested "
                "are mean and spread of the ranks, clustered by document, corrected by Holm and for the number of parts "
                "so far, so that looking at each part raises no more false alarms (p times k (k + 1) for the part of number k).",
                *(_rate_notes(drifts, draw) if draw else ["The reference has no labels, by which to tell a rate."]),
            ],
            problems=[
                *(draw.problems if draw else ()),
                *(f"{part.name}: {problem}" for part in drifts for problem in part.problems),
            ],
        )
        return replace(report, alarm=any(_has_drifted(part) or _has_other_rate(part) for part in drifts))

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"reference": list(data.summaries.parts)} if data.pool or data.cases else {}

    def _plan(self, last: PartDrift, draw: LabelDraw | None) -> list[str]:
        rates = [percent_words(rate.estimate()) for rate in (last.if_scores_hold, last.if_errors_hold) if rate]
        if not draw or not rates:
            return []
        return [
            f"{last.name}: {' or '.join(rates)} are to be expected inconsistent; {self._needed(last, draw):,} more labels among its "
            f"{last.summaries:,} summaries tell it to ± {self.margin:g} points."
        ]

    def _needed(self, part: PartDrift, draw: LabelDraw) -> int:
        """The labels that a part lacks, where its scores explain as much as those of the reference."""
        rate = part.observed or part.if_scores_hold or part.if_errors_hold or draw.powered
        value = float(np.clip(rate.value, 1 / part.summaries, 1 - 1 / part.summaries))
        needed = labels_needed(self.margin / 100, value, part.summaries, draw.explained)
        return max(0, needed - (part.observed.n if part.observed else 0))

    def _rate_table(self, drifts: Sequence[PartDrift], draw: LabelDraw) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (
                *(part.name, part.summaries),
                *(_cell(part.if_scores_hold), _cell(part.if_errors_hold), _cell(part.observed)),
                *(part.p, part.observed.n if part.observed else 0, self._needed(part, draw)),
            )
            for part in drifts
        ]
        return Table(
            "rates",
            "Rate of inconsistent summaries",
            (
                Column("part"),
                Column("summaries", format="count"),
                Column(
                    "if_scores_hold",
                    "to expect, scores of each kind as before",
                    "percent",
                    "By the labels of the reference, where consistent and inconsistent summaries score as there.",
                ),
                Column(
                    "if_errors_hold",
                    "to expect, errors at each score as before",
                    "percent",
                    "By the labels of the reference, where errors are as frequent at each score as there.",
                ),
                Column("observed", "by its labels", "percent", "By the labels of the part alone."),
                Column("p", format="number", help="Of the hypothesis that it is the nearer one to expect, corrected."),
                Column("labels", format="count"),
                Column("needed", "labels to add", "count", f"For ± {self.margin:g} points, drawn at random."),
            ),
            tuple(rows),
        )


def _has_drifted(part: PartDrift) -> bool:
    return any(metric.p is not None and metric.p < _LEVEL for metric in part.metrics)


def _has_other_rate(part: PartDrift) -> bool:
    return part.p is not None and part.p < _LEVEL


def _cell(rate: Rate | CarriedRate | None) -> Estimate | None:
    return None if rate is None else rate.estimate()


def _drift_sentences(drifts: Sequence[PartDrift], reference: str) -> list[str]:
    drifted = [part for part in drifts if _has_drifted(part)]
    other = [part for part in drifts if _has_other_rate(part)]
    tested = [part for part in drifts if part.p is not None or any(metric.p is not None for metric in part.metrics)]
    sentences = []
    if drifted:
        p, part, metric = min(
            ((metric.p, part, metric) for part in drifted for metric in part.metrics if metric.p is not None),
            key=lambda candidate: candidate[0],
        )
        sentences.append(
            f"Scores have drifted since {reference} in {_names(drifted)}: in {part.name} those of {metric_title(metric.metric)} lie at "
            f"percentile {100 * (metric.place or 0.0):.0f} on average (p {format_p(p)})."
        )
    if other and (observed := other[0].observed):
        part = other[0]
        rates = [percent_words(rate.estimate()) for rate in (part.if_scores_hold, part.if_errors_hold) if rate]
        sentences.append(
            f"Scores do not tell errors as before in {_names(other)}: of {part.name} {percent_words(observed.estimate())} are "
            f"inconsistent by its labels, where {' or '.join(rates)} were to be expected."
        )
    if tested and not sentences:
        sentences.append(f"No drift since {reference} is evident in {_names(tested)}.")
    if untested := [part for part in drifts if part not in tested]:
        sentences.append(f"Drift cannot be tested in {_names(untested)}: fewer than ten documents have scores.")
    return sentences


def _names(parts: Sequence[PartDrift]) -> str:
    return ", ".join(part.name for part in parts)


def _rate_notes(drifts: Sequence[PartDrift], draw: LabelDraw) -> list[str]:
    if not drifts[0].if_errors_hold:
        return [
            f"{draw.sample.n:,} labels in the reference, {draw.sample.errors} of the rarer kind, are too few to tell a rate of other "
            "parts by their scores."
        ]
    return [
        "Two rates are to be expected: one if consistent and inconsistent summaries score as in the reference, as where a system "
        "errs more often (Rogan and Gladen 1978, with predictions in place of decisions); the other if errors are as frequent "
        "at each score, as where the documents are others. Only new labels can tell which."
    ]


def _place_chart(drifts: Sequence[PartDrift], reference: str) -> Chart:
    names = (reference, *(part.name for part in drifts))
    lines = [
        Series(metric_title(first.metric), names, (0.5, *(part.metrics[number].place for part in drifts)))
        for number, first in enumerate(drifts[0].metrics)
    ]
    return Chart(
        "drift",
        "lines",
        f"Mean percentile among the scores of {reference}",
        Axis("", names),
        Axis("percentile", format="percent"),
        tuple(lines),
    )


def _rate_chart(drifts: Sequence[PartDrift], draw: LabelDraw, reference: str) -> Chart:
    names = tuple(part.name for part in drifts)
    expected = {
        "if scores of each kind are as before": [_cell(part.if_scores_hold) for part in drifts],
        "if errors at each score are as before": [_cell(part.if_errors_hold) for part in drifts],
    }
    series = [
        Series(title, (reference, *names), (draw.powered.estimate(), *rates))
        for title, rates in expected.items()
        if any(rates)
    ]
    observed = tuple(_cell(part.observed) for part in drifts)
    return Chart(
        "rates",
        "dots",
        "Rate of inconsistent summaries to expect, and by labels",
        Axis("", (reference, *names)),
        Axis("inconsistent", format="percent"),
        (*series, *([Series("by its labels", names, observed)] if any(observed) else [])),
    )
