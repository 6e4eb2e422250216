"""Corrections and harmless edits beside each other, by metric and domain (Ramprasad and Wallace 2024, figure 4.2).

A correction leads from an inconsistent summary to its faithful side: a minimal pair of a dataset, or a perturbation that broke
the meaning, read backwards. A harmless edit keeps the meaning: an edited pair of which both sides are consistent, or a
perturbation that preserves it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.results import (
    OVERALL_SLICE,
    STRESS_RESAMPLES,
    Cases,
    Shift,
    StressRun,
    document_array,
    intent_of,
    score_array,
)
from core.scoring import METRICS, metric_title, metric_titles
from core.stats import (
    FEW_DOCUMENTS,
    Estimate,
    Resamples,
    ScorePairs,
    format_ratio,
    mean_absolute_shift,
    mean_correction,
    sensitivity,
)
from core.types import Direction


@dataclass(frozen=True, slots=True)
class ScoredEdit:
    """Scores of one metric for both sides of an edit, the faithful one and the other."""

    metric: str
    """Spec of the metric, or the name of a column of released scores."""
    signature: str
    """Distinguishes two forms of a metric; "" where no score succeeded."""
    direction: Direction
    """Side of the metric's scale that is more consistent."""
    document: str
    """Name of the document, the unit of resampling."""
    domain: str
    """Domain of the document; "" where it is not known."""
    corrects: bool
    """True where the other side is inconsistent; False where it says the same in other words."""
    faithful: float | None
    """Score of the faithful side; None where it failed."""
    other: float | None
    """Score of the other side; None where it failed."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """One metric on all edits or on those of one domain; intervals by document.

    `correction` is the mean gain by a correction, towards consistency, and `benign` the mean absolute shift by a harmless
    edit, both in the metric's own units; `ratio` is the one by the other, see `core.stats.score_pairs.sensitivity`.
    """

    metric: str
    slice: str
    correction: Estimate
    benign: Estimate
    ratio: Estimate

    @property
    def remark(self) -> str:
        """Remark that it rests on few documents, or the reason why there is no ratio."""
        documents = min(self.correction.documents, self.benign.documents)
        few = f"Few documents ({documents})." if 0 < documents <= FEW_DOCUMENTS else ""
        missing = self.ratio.error if self.ratio.value is None else ""
        return " ".join(filter(None, [few, missing]))


def edits_of_cases(cases: Cases) -> Iterator[ScoredEdit]:
    """The minimal pairs and harmless edits of datasets, for every metric whose scores are on one scale."""
    for column in cases.columns:
        for corrects, places in ((True, cases.pairs), (False, cases.harmless)):
            for faithful, other in places:
                sample = cases.samples[other]
                yield ScoredEdit(
                    metric=column.name,
                    signature=column.signature,
                    direction=column.direction,
                    # the name that a stress run of the dataset uses, so that both can be combined
                    document=sample.document or f"{sample.dataset}/{sample.item.group or sample.item.example.id}",
                    domain=sample.item.domain,
                    corrects=corrects,
                    faithful=_known(column.values[faithful]),
                    other=_known(column.values[other]),
                )


def edits_of_run(run: StressRun, shifts: Sequence[Shift]) -> Iterator[ScoredEdit]:
    """The shifts of a stress run under perturbations that preserve or break the meaning; the original is the faithful side."""
    intents = {kind: intent_of(kind) for kind in run.plan.kinds}
    signatures = {
        reading.metric: reading.signature for reading in run.readings.values() if reading.signature
    }  # a failed score has none
    directions = {metric: METRICS.parse(metric).card.direction for metric in run.plan.metrics}
    for shift in shifts:
        if intents[shift.kind] != "gaming":
            yield ScoredEdit(
                metric=shift.metric,
                signature=signatures.get(shift.metric, ""),
                direction=directions[shift.metric],
                document=shift.group,
                domain=shift.domain,
                corrects=intents[shift.kind] == "breaking",
                faithful=shift.before,
                other=shift.after,
            )


def metric_sensitivities(
    edits: Iterable[ScoredEdit], seed: int = 0, resamples: int = STRESS_RESAMPLES
) -> list[Sensitivity]:
    """Every metric on all edits and, where there are several, on those of each domain; the most sensitive metric first."""
    scored_edits = list(edits)
    numbers = {document: place for place, document in enumerate(dict.fromkeys(edit.document for edit in scored_edits))}
    draws = Resamples.draw(max(1, len(numbers)), resamples, seed)
    domains = list(dict.fromkeys(edit.domain for edit in scored_edits if edit.domain))
    by_metric: dict[str, list[ScoredEdit]] = defaultdict(list)
    for edit in scored_edits:
        by_metric[edit.signature or edit.metric].append(edit)
    slices = domains if len(domains) > 1 else []
    groups = []
    for of_metric in by_metric.values():
        parts = {OVERALL_SLICE: of_metric} | {
            name: [edit for edit in of_metric if edit.domain == name] for name in slices
        }
        rows = []
        for name, of_part in parts.items():
            if of_part:
                corrections, benign = (_score_pairs(of_part, corrects, numbers) for corrects in (True, False))
                rows.append(
                    Sensitivity(
                        metric=of_part[0].metric,
                        slice=name,
                        correction=draws.estimate(mean_correction(corrections)),
                        benign=draws.estimate(mean_absolute_shift(benign)),
                        ratio=draws.estimate(sensitivity(corrections, benign)),
                    )
                )
        groups.append(rows)
    groups.sort(key=lambda of: (of[0].ratio.value is None, -(of[0].ratio.value or 0.0), of[0].metric))
    return [row for of_metric in groups for row in of_metric]


def _score_pairs(edits: Sequence[ScoredEdit], corrects: bool, numbers: Mapping[str, int]) -> ScorePairs:
    kind_edits = [edit for edit in edits if edit.corrects == corrects]
    return ScorePairs(
        score_array(edit.faithful for edit in kind_edits),
        score_array(edit.other for edit in kind_edits),
        document_array((edit.document for edit in kind_edits), numbers),
        edits[0].direction,
    )


def _known(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def sensitivity_report(study: Study, data: StudyData) -> Report:
    """Gain by corrections beside the shift by harmless edits, of datasets, of a stress run, or of both."""
    if data.run is None and data.cases is None:
        raise TouchstoneError("Name a run that `stress` wrote, a dataset with --dataset, or both.")
    edits = list(edits_of_cases(data.cases)) if data.cases is not None else []
    if data.run is not None:
        edits += edits_of_run(data.run, data.shifts)
    rows = metric_sensitivities(edits, resamples=min(data.resamples, STRESS_RESAMPLES))
    if not any(row.ratio.value is not None for row in rows):
        raise TouchstoneError(
            "Sensitivity needs corrections and harmless edits, both with scores: minimal pairs and harmless edits of datasets, "
            "or a stress run with perturbations that break the meaning and others that keep it."
        )
    overall = [row for row in rows if row.slice == OVERALL_SLICE and row.ratio.value is not None]
    return study.report(
        data,
        [_sensitivity_table(rows)],
        charts=sensitivity_charts(rows),
        sentences=[
            f"{metric_title(row.metric)}: a correction moves it {format_ratio(row.ratio)} times as much as a harmless edit."
            for row in (overall if len(overall) < 3 else [overall[0], overall[-1]])
        ],
        notes=[
            "Correction: mean gain towards consistency from the inconsistent to the faithful side; a summary that a "
            "perturbation broke, read backwards, counts as one. Harmless edit: mean size of the shift when the meaning is kept. "
            "Both in units of the metric, with 95 % intervals by document. A metric that measures consistency has a quotient far "
            "above 1; below 0 corrections lower it."
        ],
    )


def _sensitivity_table(rows: Sequence[Sensitivity]) -> Table:
    return Table(
        "sensitivities",
        "Corrections and harmless edits",
        (
            Column("metric", format="metric"),
            Column("slice", "domain"),
            Column("correction", format="units"),
            Column("corrections", format="count"),
            Column("benign", "harmless edit", "units"),
            Column("harmless_edits", format="count"),
            Column("ratio", "correction ÷ harmless", "units"),
            Column("remark"),
        ),
        tuple(
            (row.metric, row.slice, row.correction, row.correction.n, row.benign, row.benign.n, row.ratio, row.remark)
            for row in rows
        ),
    )


def sensitivity_charts(rows: Sequence[Sensitivity]) -> list[Chart]:
    """One chart with a panel for each metric with a quotient, the largest first: two points for all edits and for each domain.

    Each panel has the scale of its metric.
    """
    ratios = {row.metric: row.ratio.value for row in rows if row.slice == OVERALL_SLICE}
    metrics = dict.fromkeys(row.metric for row in rows if row.ratio.value is not None)
    if not metrics:
        return []
    series: list[Series] = []
    titles = metric_titles(sorted(metrics, key=lambda metric: (-(ratios.get(metric) or 0.0), metric)))
    for metric, title in titles.items():
        of_metric = [row for row in rows if row.metric == metric]
        names = tuple(map(_domain_name, of_metric))
        series += [
            Series("correction", names, tuple(row.correction for row in of_metric), panel=title),
            Series("harmless edit", names, tuple(row.benign for row in of_metric), panel=title),
        ]
    return [
        Chart(
            "sensitivity",
            "points",
            "Corrections and harmless edits, in units of each metric",
            Axis("", tuple(dict.fromkeys(map(_domain_name, rows))), reverse=True),
            Axis(""),
            tuple(series),
            sideways=True,
        )
    ]


def _domain_name(row: Sensitivity) -> str:
    return "all" if row.slice == OVERALL_SLICE else row.slice
