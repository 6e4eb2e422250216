"""Whom the metric fails: the area under the ROC curve by domain, source, system, and length of the summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.audit.evidence import Evidence, overall_row
from core.audit.question import QUESTIONS, Figure, Finding, Level, Question
from core.audit.questions.sees_errors import SCALE
from core.meta.cases import Cases
from core.meta.measures import OVERALL_SLICE, MetricRow, Slice, slice_cases
from core.stats.comparison import MIN_TEST_DOCUMENTS
from core.text import words

_FIELDS = ("domain", "source", "system", "dataset")


@QUESTIONS.add
@dataclass(frozen=True)
class Slices(Question):
    """The worst slice of those with ten documents or more."""

    name: ClassVar[str] = "slices"
    title: ClassVar[str] = "Whom does it fail?"
    axis: ClassVar[str] = "all slices"
    place: ClassVar[int] = 8

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        column = evidence.column(metric)
        if column is None:
            return self.not_measured("It has no score of these summaries.")
        parts = list(_parts(evidence.cases_with(column)))
        rows = evidence.rows(metric, parts, ("auc",))
        overall = overall_row(rows)
        known = [row for row in rows if row.slice != OVERALL_SLICE and row.figures["auc"].estimate.value is not None]
        large = [row for row in known if row.figures["auc"].estimate.documents >= MIN_TEST_DOCUMENTS]
        if overall is None or not known:
            return self.not_measured("The data have no slices with labels of both kinds.")
        if not large:
            sentence = f"None of {len(known)} slices has {MIN_TEST_DOCUMENTS} documents."
            return replace(self.found(Level.TOO_FEW, sentence), details=_figures(known))
        worst = min(large, key=lambda row: row.figures["auc"].estimate.value or 0.0)
        figure = Figure(f"AUC, {worst.slice}", worst.figures["auc"].estimate)
        whole = Figure("AUC overall", overall.figures["auc"].estimate)
        small = f" {len(known) - len(large)} smaller slices do not count." if len(known) > len(large) else ""
        return replace(
            self.found(
                SCALE.level(figure.estimate), f"It is worst on {worst.slice}: {figure}, overall {whole}.{small}", figure
            ),
            brief=f"fails on {worst.slice}"
            if SCALE.level(figure.estimate) is Level.FAILS and SCALE.level(whole.estimate) is not Level.FAILS
            else "",
            details=(whole, *_figures(known)),
            command=evidence.cases_command("python cli.py meta --by domain", metric),
        )


def _figures(rows: list[MetricRow]) -> tuple[Figure, ...]:
    return tuple(Figure(f"AUC, {row.slice}", row.figures["auc"].estimate) for row in rows)


def _parts(cases: Cases) -> Iterator[Slice]:
    """Everything, then the values of every field that has several, then short and long summaries."""
    [every, *_] = slice_cases(cases)
    yield every
    for field in _FIELDS:
        found = slice_cases(cases, field)[1:]
        if len(found) > 1:
            yield from (replace(part, name=f"{field} {part.name}") for part in found)
    lengths = np.array([len(words(sample.item.example.summary)) for sample in cases.samples])
    middle = float(np.median(lengths)) if len(lengths) else 0.0
    for name, chosen in (
        (f"summaries of at most {middle:.0f} words", lengths <= middle),
        (f"longer summaries, from {middle + 1:.0f} words", lengths > middle),
    ):
        yield Slice(name, chosen[cases.pairs[:, 1]], every.summaries & chosen, chosen)
