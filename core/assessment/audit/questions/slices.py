"""Audit question: whom does it fail? The area under the ROC curve by domain, source, system, slice, language, and length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence, overall_row
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, AuditQuestion, FigureCase, Level
from core.assessment.audit.questions.sees_errors import SCALE
from core.assessment.audit.shown_pairs import labelled_case
from core.results import OVERALL_SLICE, MeasuresRow, Slice, slice_cases
from core.scoring import METRICS
from core.stats import MIN_TEST_DOCUMENTS, Mask
from core.text import count_unverified, language_of, words
from core.types import Result

_FIELDS = ("domain", "source", "system", "dataset", "slice")


@QUESTIONS.add
class SlicesQuestion(AuditQuestion):
    """The worst slice of those with ten documents or more."""

    name: ClassVar[str] = "slices"
    title: ClassVar[str] = "Whom does it fail?"
    axis: ClassVar[str] = "all slices"
    place: ClassVar[int] = 9
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
        parts = dict(_parts(evidence, metric))
        rows = evidence.rows(metric, list(parts), ("auc",))
        overall = overall_row(rows)
        measured = [row for row in rows if row.slice != OVERALL_SLICE and row.figures["auc"].estimate.value is not None]
        large = [row for row in measured if row.figures["auc"].estimate.documents >= MIN_TEST_DOCUMENTS]
        if overall is None or not measured:
            return self.not_measured("The data have no slices with labels of both kinds.")
        if not large:
            sentence = f"None of {len(measured)} slices has {MIN_TEST_DOCUMENTS} documents."
            return replace(self.found(Level.TOO_FEW, sentence), details=_figures(measured))
        worst = min(large, key=lambda row: row.figures["auc"].estimate.value or 0.0)
        figure = AuditFigure(f"AUC, {worst.slice}", worst.figures["auc"].estimate)
        whole = AuditFigure("AUC overall", overall.figures["auc"].estimate)
        small = f" {len(measured) - len(large)} smaller slices do not count." if len(measured) > len(large) else ""
        field = {part.name: field for part, field in parts.items()}[worst.slice]
        return replace(
            self.found(
                SCALE.level(figure.estimate),
                f"Of {len(large)} slices it is worst on {worst.slice}: {figure}, overall {whole}.{small}",
                figure,
            ),
            brief=f"fails on {worst.slice}"
            if SCALE.level(figure.estimate) is Level.FAILS and SCALE.level(whole.estimate) is not Level.FAILS
            else "",
            details=(whole, *_figures(measured)),
            command=evidence.cases_command(f"python cli.py study measures --by {field}", metric)
            if field
            else evidence.audit_command(metric),
            by=field,
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


def _figures(rows: list[MeasuresRow]) -> tuple[AuditFigure, ...]:
    return tuple(AuditFigure(f"AUC, {row.slice}", row.figures["auc"].estimate) for row in rows)


def _parts(evidence: Evidence, metric: str) -> Iterator[tuple[Slice, str]]:
    """Everything, then the values of every field that has several, then languages and lengths; each with the field of `meta --by`, "" for none."""
    cases = evidence.cases
    [every, *_] = slice_cases(cases)
    yield every, ""
    for field in _FIELDS:
        parts = slice_cases(cases, field)[1:]
        if len(parts) > 1 or (parts and field == "slice"):
            yield from ((replace(part, name=f"{field} {part.name}"), field) for part in parts)
    summary_words = np.array([len(words(sample.item.example.summary)) for sample in cases.samples])
    middle = int(np.median(summary_words)) if len(summary_words) else 0
    summary_lengths = [
        (f"summaries of at most {middle} words", summary_words <= middle),
        (f"longer summaries, from {middle + 1} words", summary_words > middle),
    ]
    lengths = (*summary_lengths, *_document_lengths(evidence))
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
    for name, mask in (*languages, *lengths, *limits):
        yield Slice(name, mask[cases.pairs[:, 1]], every.summaries & mask, mask), ""


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
