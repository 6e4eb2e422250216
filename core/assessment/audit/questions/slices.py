"""Audit question: whom does it fail? The area under the ROC curve by domain, source, system, slice, language, and length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    Needs,
    format_figure,
    worst_level,
)
from core.assessment.audit.questions.sees_errors import SCALE
from core.assessment.audit.shown_pairs import labelled_case
from core.results import MetricColumn, Slice, labelled_in_slice, slice_cases
from core.scoring import METRICS
from core.stats import (
    MIN_TEST_DOCUMENTS,
    SIGNIFICANCE_LEVEL,
    Estimate,
    Mask,
    auc,
    compare_on_documents,
    format_p,
    holm_correction,
)
from core.text import count_unverified, language_of, words
from core.types import Result

_CHANCE = 0.5
_FIELDS = ("domain", "source", "system", "dataset", "slice")


@QUESTIONS.add
class SlicesQuestion(AuditQuestion):
    """The worst slice of those with ten documents or more, where it differs from the whole by more than chance."""

    name: ClassVar[str] = "slices"
    title: ClassVar[str] = "Whom does it fail?"
    axis: ClassVar[str] = "all slices"
    place: ClassVar[int] = 12
    needs: ClassVar[Needs] = "scores"
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "measures"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        """The worst slice, with a warning where texts are in a language that the metric is not for."""
        finding = self._worst_slice(evidence, metric)
        is_given = metric in evidence.released  # of which nobody knows the languages
        marked = (
            [] if is_given else count_unverified(metric, METRICS.parse(metric).verified_languages, evidence.data.texts)
        )
        return replace(finding, warning=" ".join([*marked, finding.warning]).strip())

    def _worst_slice(self, evidence: Evidence, metric: str) -> AuditAnswer:
        column = evidence.column(metric)
        if column is None:
            return self.not_measured("It has no score of these summaries.")
        every, slices = _slice_areas(evidence, metric, column)
        if every.value is None or not slices:
            return self.not_measured("The data have no slices with labels of both kinds.")
        large = [part for part in slices if part.area.documents >= MIN_TEST_DOCUMENTS]
        details = tuple(AuditFigure(f"AUC, {part.name}", part.area) for part in slices)
        if not large:
            sentence = f"None of {len(slices)} slices has {MIN_TEST_DOCUMENTS} documents."
            return replace(self.found(Level.TOO_FEW, sentence), details=details)
        whole = AuditFigure("AUC overall", every)
        small = f" {len(slices) - len(large)} smaller slices do not count." if len(slices) > len(large) else ""
        worse = _worse_slices(large)
        if not worse:
            lowest = min(large, key=lambda part: part.area.value or 0.0)
            sentence = (
                f"None of {len(large)} slices differs significantly from the whole, {whole}: the lowest is {lowest.name}, "
                f"{format_figure(lowest.area, 'area')}.{small}"
            )
            finding = self.found(SCALE.level(every), sentence, whole, SCALE)
            return replace(finding, details=details, command=evidence.audit_command(metric))
        worst = min(worse, key=lambda part: part.area.value or 0.0)
        figure = AuditFigure(f"AUC, {worst.name}", worst.area)
        inverted = worst.area.high is not None and worst.area.high < _CHANCE
        level = worst_level([SCALE.level(worst.area), SCALE.level(every)])
        sentence = (
            f"Of {len(large)} slices it is worst on {worst.name}: {figure}, overall {whole} "
            f"(p {format_p(worst.p)}, corrected for {len(large)} slices).{' There it is inverted.' if inverted else ''}{small}"
        )
        brief = f"{'inverted' if inverted else 'fails'} on {worst.name}"
        return replace(
            self.found(level, sentence, figure, SCALE),
            brief=brief if level is Level.FAILS and SCALE.level(every) is not Level.FAILS else "",
            details=(whole, *details),
            command=evidence.cases_command(f"python cli.py study measures --by {worst.field}", metric)
            if worst.field
            else evidence.audit_command(metric),
            by=worst.field,
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every labelled summary with what puts it into the slices that Evaluate does not offer."""
        column = evidence.column(metric)
        if column is None:
            return ()
        documents = {text.id: len(words(text.document)) for text in evidence.data.texts}
        cut = _cut_tokens(evidence, metric)
        return [
            labelled_case(
                sample,
                float(score),
                {
                    "words of the summary": len(words(sample.item.example.summary)),
                    "words of the document": documents.get(sample.stored),
                    "language": language_of(sample.item.example.summary) or None,
                    "tokens cut": cut.get(sample.stored),
                },
            )
            for sample, score, label in zip(evidence.cases.samples, column.values, evidence.cases.labels, strict=True)
            if not np.isnan(label)
        ]


@dataclass(frozen=True, slots=True)
class SliceArea:
    """The area of a slice beside that of all summaries."""

    name: str
    field: str  # of `study measures --by`, "" for none
    group: str  # of slices that part the summaries by the same thing
    area: Estimate
    gap: Estimate  # the area minus that of all
    p: float | None  # of no gap, corrected by Holm for all slices with enough documents


def _slice_areas(evidence: Evidence, metric: str, column: MetricColumn) -> tuple[Estimate, list[SliceArea]]:
    """The area of all labelled summaries, and those of the slices that have one."""
    cases = evidence.cases_with(column)
    parts = list(_parts(evidence, metric))
    every, *areas = evidence.drawn.of_each([auc(labelled_in_slice(cases, part, column)) for part, *_ in parts])
    gaps = [compare_on_documents(area, every) for area in areas]
    tested = [gap.p if area.documents >= MIN_TEST_DOCUMENTS else None for gap, area in zip(gaps, areas, strict=True)]
    slices = [
        SliceArea(part.name, field, group, area.estimate(), gap.difference, p)
        for (part, field, group), area, gap, p in zip(parts[1:], areas, gaps, holm_correction(tested), strict=True)
        if area.value is not None
    ]
    return every.estimate(), slices


def _worse_slices(large: Sequence[SliceArea]) -> list[SliceArea]:
    """The slices that are significantly worse than the whole, of the field whose slices differ most from it; none where none is."""
    worse = [
        part for part in large if part.p is not None and part.p < SIGNIFICANCE_LEVEL and (part.gap.value or 0.0) < 0
    ]
    spreads = {
        group: float(
            np.average(
                [(part.gap.value or 0.0) ** 2 for part in large if part.group == group],
                weights=[part.area.n for part in large if part.group == group],
            )
        )
        for group in {part.group for part in worse}
    }
    return [part for part in worse if spreads[part.group] == max(spreads.values())]


def _parts(evidence: Evidence, metric: str) -> Iterator[tuple[Slice, str, str]]:
    """Everything, then the values of every field that has several, then languages and lengths; each with its field and its group."""
    cases = evidence.cases
    [every, *_] = slice_cases(cases)
    yield every, "", ""
    for field in _FIELDS:
        parts = slice_cases(cases, field)[1:]
        if len(parts) > 1 or (parts and field == "slice"):
            yield from ((replace(part, name=f"{field} {part.name}"), field, field) for part in parts)
    summary_words = np.array([len(words(sample.item.example.summary)) for sample in cases.samples])
    middle = int(np.median(summary_words)) if len(summary_words) else 0
    summary_lengths = [
        (f"summaries of at most {middle} words", summary_words <= middle),
        (f"longer summaries, from {middle + 1} words", summary_words > middle),
    ]
    # texts of which the metric read all, and those of which it cut some, by what it says of each
    cut = _cut_tokens(evidence, metric)
    tokens = np.array([cut.get(sample.stored, np.nan) for sample in cases.samples], dtype=np.float64)
    limits = [("texts that it reads to the end", tokens == 0), ("texts of which it cuts a part", tokens > 0)]
    if not (tokens > 0).any() or not (tokens == 0).any():
        limits = []
    # the languages of the summaries where there are several; one whose language is not sure is in none
    language = np.array([language_of(sample.item.example.summary) for sample in cases.samples], dtype=np.str_)
    names = sorted({*language.tolist()} - {""})
    languages = [(f"summaries in language {name}", language == name) for name in names] if len(names) > 1 else []
    groups = {
        "language": languages,
        "summary length": summary_lengths,
        "document length": _document_lengths(evidence),
        "cut": limits,
    }
    for group, masks in groups.items():
        for name, mask in masks:
            yield Slice(name, mask[cases.pairs[:, 1]], every.summaries & mask, mask), "", group


def _document_lengths(evidence: Evidence) -> list[tuple[str, Mask]]:
    """Thirds of the documents by their words; samples without a text are in none, and equal documents have no thirds."""
    texts = {text.id: text.document for text in evidence.data.texts}
    counts = {document: len(words(document)) for document in set(texts.values())}
    if not counts:
        return []
    lengths = np.array([counts.get(texts.get(sample.stored, ""), np.nan) for sample in evidence.cases.samples])
    low, high = (int(edge) for edge in np.quantile(list(counts.values()), [1 / 3, 2 / 3]))
    if not min(counts.values()) <= low < high < max(counts.values()):
        return []
    return [
        (f"documents of at most {low} words", lengths <= low),
        (f"documents of {low + 1} to {high} words", (lengths > low) & (lengths <= high)),
        (f"documents from {high + 1} words", lengths > high),
    ]


def _cut_tokens(evidence: Evidence, metric: str) -> dict[str, int]:
    """By the id of the text."""
    return {
        outcome.example_id: outcome.seen.cut
        for outcome in evidence.outcomes
        if isinstance(outcome, Result) and outcome.metric == metric
    }
