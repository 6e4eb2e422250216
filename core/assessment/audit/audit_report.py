"""The report of an audit: every metric's findings with a one-line summary, as a value that JSON keeps whole."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from pydantic import TypeAdapter, ValidationError

from core.assessment.audit.evidence import MOST_MISSING, Evidence
from core.assessment.audit.label_doubt import with_label_doubt
from core.assessment.audit.question import (
    JUDGED_LEVELS,
    QUESTIONS,
    AuditAnswer,
    Level,
    MetricAudit,
    Needs,
    judge_questions,
    ordered_questions,
)
from core.edits import NOT_RECORDED, Battery
from core.errors import TouchstoneError
from core.models import document_key
from core.results import DataFacts, StressRun, training_overlaps
from core.settings import VERSION


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The audits of one or several metrics on the same data, and what repeats them."""

    data: tuple[DataFacts, ...]
    """Name, size and SHA-256 of each dataset."""
    metrics: tuple[MetricAudit, ...]
    """Audit of each metric, in the order of the report."""
    command: str
    """Command line that repeats the audit."""
    seed: int = 0
    """Seed of the samples, the edits and the resamples."""
    resamples: int = 0
    """Bootstrap resamples of the labelled summaries."""
    variants_sha256: str = ""
    """SHA-256 of all edited summaries; another value means that the rules made other edits. Empty in older reports."""
    version: str = VERSION
    """Version of Touchstone that computed it."""
    battery: Battery | None = None
    """Edits of the stress run; None in reports older than the names of batteries."""
    record: str = "touchstone-audit-1"
    """Format of the file."""

    @property
    def battery_label(self) -> str:
        return self.battery.signature if self.battery else NOT_RECORDED


_LEARNED = "Learned from these texts."
_NEED_READING = ("reading", "gaming", "layout", "stillness")
_UNREAD = "It orders pairs as well without their document, so that this is no merit."
_NEED_HARMLESS = ("sees-errors", "slices", "threshold")
_ANY_CHANGE = (
    "Every edit of these data is an error, and by rule it tells changes rather than errors, so that this is no merit."
)
_REPORT: TypeAdapter[AuditReport] = TypeAdapter(AuditReport)


Answers = dict[str, dict[str, AuditAnswer]]
"""Answers by metric and name of the question."""


def answer_early(evidence: Evidence, metrics: Sequence[str], needs: Needs, answers: Answers) -> Generator[AuditAnswer]:
    """Answer the questions that need no more than this part of the evidence, into `answers`, one after the other."""
    for metric in metrics:
        judge = evidence.judges.get(metric)
        answered = answers.setdefault(metric, {})
        for question in (*ordered_questions(), *(judge_questions() if judge else ())):
            if question.needs == needs and question.name not in answered:
                not_asked = question.scores and metric in evidence.released
                answered[question.name] = question.not_asked() if not_asked else question.finding(evidence, metric)
                yield answered[question.name]


def audit_metrics(evidence: Evidence, metrics: Sequence[str], answers: Answers | None = None) -> Generator[MetricAudit]:
    """The findings of each metric on the same evidence, in the order of the questions; none is good where many scores are missing.

    `answers` are those that `answer_early` gave.
    """
    answers = {} if answers is None else answers
    for metric in metrics:
        judge = evidence.judges.get(metric)
        for needs in get_args(Needs):
            for _ in answer_early(evidence, [metric], needs, answers):
                pass
        questions = (*ordered_questions(), *(judge_questions() if judge else ()))
        findings = tuple(answers[metric][question.name] for question in questions)
        if evidence.misses_too_many(metric):
            error = f"More than {MOST_MISSING:.0%} of the summaries have no score, so that no verdict is good."
            findings = tuple(
                replace(finding, level=Level.WEAK, warning=" ".join(filter(None, [finding.warning, error])))
                if finding.level is Level.GOOD
                else finding
                for finding in findings
            )
        findings = with_label_doubt(_without_praise(findings, evidence), evidence, metric)
        model = judge.model if judge else None
        summary = summarize(findings)
        if learned := learning_sentences(evidence, metric):
            findings = tuple(
                replace(finding, warning=" ".join(filter(None, [*learned, finding.warning])))
                if finding.question == "sees-errors"
                else finding
                for finding in findings
            )
            summary = f"★ {_LEARNED} {summary}"
        yield MetricAudit(metric, evidence.signature(metric), summary, findings, model)


def learning_sentences(evidence: Evidence, metric: str) -> list[str]:
    """A sentence where the metric learned from some of these documents; none for any other."""
    return list(training_overlaps({document_key(text.document) for text in evidence.data.texts}, [metric]))


def _without_praise(findings: Sequence[AuditAnswer], evidence: Evidence) -> tuple[AuditAnswer, ...]:
    """The findings, of which some are not good where a metric orders pairs without their document, or where any change would do."""
    failed = {finding.question for finding in findings if finding.level is Level.FAILS}
    empty: dict[str, str] = {}
    if "reads-document" in failed:
        empty |= dict.fromkeys(_NEED_READING, _UNREAD)
    if "change-detector" in failed and len(evidence.cases.pairs) and not len(evidence.cases.harmless):
        empty |= dict.fromkeys(_NEED_HARMLESS, _ANY_CHANGE)
    return tuple(
        replace(
            finding,
            level=Level.MEASURED,
            brief="" if finding.question in _NEED_HARMLESS else finding.brief,
            warning=" ".join(filter(None, [finding.warning, empty[finding.question]])),
        )
        if finding.question in empty and finding.level is Level.GOOD
        else finding
        for finding in findings
    )


def build_report(evidence: Evidence, audits: Sequence[MetricAudit], command: str) -> AuditReport:
    """The report of these audits, with the hash of the variants that rules made."""
    variants = variants_sha256(evidence.run)
    return AuditReport(
        evidence.data.facts,
        tuple(audits),
        command,
        evidence.seed,
        evidence.resamples,
        variants,
        battery=evidence.data.battery,
    )


def variants_sha256(run: StressRun) -> str:
    """The hash of all variants of a run: another one says that rules make others today."""
    rows = sorted((source, kind, variant.summary or "") for (source, kind), variant in run.variants.items())
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def count_verdicts(findings: Sequence[AuditAnswer]) -> str:
    """Number of verdicts of each kind in words, as "2 good, 2 weak, 5 failed"."""
    counts = Counter(finding.level for finding in findings)
    return ", ".join(
        f"{counts[level]} {name}"
        for level, name in ((Level.GOOD, "good"), (Level.WEAK, "weak"), (Level.FAILS, "failed"))
        if counts[level]
    )


def summarize(findings: Sequence[AuditAnswer]) -> str:
    """One line: how many questions it passes, and what each finding adds to that."""
    judged = sum(finding.level in JUDGED_LEVELS for finding in findings)
    if not judged:
        return "Too little data for a verdict."
    verdicts = count_verdicts(findings)
    briefs = "; ".join(finding.brief for finding in findings if finding.brief)
    return f"{briefs[:1].upper()}{briefs[1:]}. Of {judged} questions: {verdicts}." if briefs else f"{verdicts}."


def warnings_of(audit: MetricAudit) -> list[str]:
    """A sentence for each finding that must be read with care."""
    return [f"{finding.title} {finding.warning}" for finding in audit.findings if finding.warning]


def failure_lines(audit: MetricAudit) -> list[str]:
    """A line for each reason why summaries have no score."""
    answers = audit.finding("answers")
    reasons = [figure for figure in answers.details if figure.unit == "count"] if answers else []
    return [f"{figure} summaries have no score: {figure.remark}" for figure in reasons]


def report_json(report: AuditReport) -> str:
    """The report as JSON; `read_report` gives it back."""
    return _REPORT.dump_json(report, indent=1, by_alias=True).decode()


def read_report(text: str | bytes, source: str = "The file") -> AuditReport:
    """The report that `report_json` wrote; raises TouchstoneError for anything else."""
    try:
        report = _REPORT.validate_json(text)
    except ValidationError as error:
        where = error.errors()[0]
        place = ".".join(map(str, where["loc"])) or "the file"
        raise TouchstoneError(
            f"{source} is no report of an audit ({place}: {where['msg']}). Give one that `audit --to REPORT.json` wrote."
        ) from None
    return report


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A figure of one metric in an earlier report and in this one."""

    metric: str
    question: str
    title: str
    before: AuditAnswer
    after: AuditAnswer

    @property
    def worse(self) -> bool:
        """True if the verdict fell, or the figure did beyond both intervals, whatever the verdict."""
        both = (self.before.level, self.after.level)
        fell = all(level in JUDGED_LEVELS for level in both) and JUDGED_LEVELS.index(both[1]) > JUDGED_LEVELS.index(
            both[0]
        )
        return fell or (self.moved and self._moved_to_the_bad_side)

    @property
    def _moved_to_the_bad_side(self) -> bool:
        question = QUESTIONS.get(self.question) if self.question in QUESTIONS.names() else None
        if question and question.zero_is_best and self.before.figure and self.after.figure:
            return abs(self.after.figure.estimate.value or 0.0) > abs(self.before.figure.estimate.value or 0.0)
        return (self.difference > 0) == bool(question and question.less_is_better)

    @property
    def difference(self) -> float:
        """The later figure minus the earlier one; 0 where one is missing, or they are figures of different things."""
        old, new = self.before.figure, self.after.figure
        if old is None or new is None or old.label != new.label:
            return 0.0
        if old.estimate.value is None or new.estimate.value is None:
            return 0.0
        return new.estimate.value - old.estimate.value

    @property
    def moved(self) -> bool:
        """True if the figures differ by more than their intervals allow, taken as those of independent samples."""
        if not self.difference or self.before.figure is None or self.after.figure is None:
            return False
        estimates = (self.before.figure.estimate, self.after.figure.estimate)
        low, high = sorted(estimates, key=lambda estimate: estimate.value or 0.0)
        if None in (low.low, low.high, high.low, high.high):
            return False
        margins = (high.low or 0.0) - (high.value or 0.0), (low.high or 0.0) - (low.value or 0.0)
        return abs(self.difference) > math.sqrt(math.fsum(margin**2 for margin in margins))


def same_battery(before: AuditReport, after: AuditReport) -> bool:
    """True if both were perturbed by the same kinds; where one has no battery recorded, whether the variants are the same."""
    if before.battery is None or after.battery is None:
        return before.battery == after.battery or before.variants_sha256 == after.variants_sha256
    return before.battery.sha256 == after.battery.sha256


def instrument_sentence(before: AuditReport, after: AuditReport) -> str:
    """Reason why figures of the stress run are of other edits than in an earlier report; empty where they are of the same."""
    if not same_battery(before, after):
        return (
            f"The earlier audit has another battery: {before.battery_label}, and this one {after.battery_label}. Figures of the "
            "stress run are of other edits."
        )
    if before.variants_sha256 != after.variants_sha256:
        return "The rules made other variants than in the earlier audit: figures of the stress run are of other edits."
    return ""


def compare_reports(before: AuditReport, after: AuditReport) -> list[FindingChange]:
    """The findings of the metrics that both have, in the order of the later report.

    Raises TouchstoneError where they rest on different data, or share no metric.
    """
    if before.data != after.data:
        names = [
            ", ".join(f"{facts.name} ({facts.sha256[:12]})" for facts in report.data) for report in (before, after)
        ]
        raise TouchstoneError(f"The two audits rest on different data: {names[0]} and {names[1]}. Audit the same data.")
    earlier = {audit.metric: audit for audit in before.metrics}
    common = [audit for audit in after.metrics if audit.metric in earlier]
    if not common:
        raise TouchstoneError(
            f"The two audits share no metric: {', '.join(earlier)} and {', '.join(audit.metric for audit in after.metrics)}."
        )
    return [
        FindingChange(audit.metric, finding.question, finding.title, old, finding)
        for audit in common
        for finding in audit.findings
        if (old := earlier[audit.metric].finding(finding.question))
    ]
