"""The audits of a metric over time: each figure with its interval, and what was another one than at the audit before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from core.assessment.audit.audit_report import AuditReport, same_battery
from core.assessment.audit.question import LEVEL_MARKS, AuditAnswer, MetricAudit
from core.stats import align_columns

LAST = "LAST"
"""Stands for the last kept audit of the same metrics on the same data, where a report is asked for."""


@dataclass(frozen=True, slots=True)
class KeptAudit:
    """The report of one metric, and when it was finished."""

    finished: datetime
    report: AuditReport

    @property
    def audit(self) -> MetricAudit:
        [audit] = self.report.metrics
        return audit


def data_name(report: AuditReport) -> str:
    """The names of its data, as one."""
    return " + ".join(facts.name for facts in report.data)


def data_sha256(report: AuditReport) -> str:
    """One hash of all its data."""
    return hashlib.sha256(json.dumps([asdict(facts) for facts in report.data]).encode()).hexdigest()


def reports_to_keep(report: AuditReport) -> list[AuditReport]:
    """A report of each metric, without the texts of pairs: a history is of figures."""
    return [
        replace(
            report, metrics=(replace(audit, findings=tuple(replace(finding, pairs=()) for finding in audit.findings)),)
        )
        for audit in report.metrics
    ]


def last_report(history: Sequence[KeptAudit], report: AuditReport) -> AuditReport | None:
    """The last kept audits of the metrics of a report, on the same data; None where there is none.

    All are of one battery, that of the newest of them, as its variants are.
    """
    metrics = [audit.metric for audit in report.metrics]
    same = [entry for entry in history if entry.report.data == report.data and entry.audit.metric in metrics]
    if not same:
        return None
    newest = max(same, key=lambda entry: entry.finished)
    last = {entry.audit.metric: entry.audit for entry in same if entry.report.battery == newest.report.battery}
    return replace(newest.report, metrics=tuple(last[metric] for metric in metrics if metric in last))


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One question at one audit; `changes` names what differs from the audit before, as the signature."""

    finished: datetime
    finding: AuditAnswer
    changes: tuple[str, ...]


def history_points(history: Sequence[KeptAudit], question: str) -> list[HistoryPoint]:
    """The findings of a question in the audits of one metric, oldest first; audits that did not ask it are left out."""
    befores: list[KeptAudit | None] = [None, *history]
    return [
        HistoryPoint(entry.finished, finding, setup_changes(before, entry))
        for before, entry in zip(befores, history, strict=False)
        if (finding := entry.audit.finding(question)) is not None
    ]


def setup_changes(before: KeptAudit | None, after: KeptAudit) -> tuple[str, ...]:
    """Differences between the setups of two audits, of the battery both names: a figure may have moved for that."""
    if before is None:
        return ()
    old, new = before.report, after.report
    equal = {
        "signature": before.audit.signature == after.audit.signature,
        "version": old.version == new.version,
        "data": old.data == new.data,
        f"battery {old.battery_label} → {new.battery_label}": same_battery(old, new),
        "variants": old.variants_sha256 == new.variants_sha256,
    }
    return tuple(name for name, same in equal.items() if not same)


def by_data(history: Sequence[KeptAudit]) -> dict[str, list[KeptAudit]]:
    """The audits by the names of their data, in the order of their first one."""
    by_name: dict[str, list[KeptAudit]] = {}
    for entry in history:
        by_name.setdefault(data_name(entry.report), []).append(entry)
    return by_name


def format_history(history: Sequence[KeptAudit]) -> str:
    """For a terminal: for each data a line for each audit and question, oldest first, with what had changed before it."""
    parts = []
    for name, of_data in by_data(history).items():
        rows = [("question", "finished (UTC)", "verdict", "figure [95 %]", "n", "changed")]
        questions = {finding.question: finding.title for entry in of_data for finding in entry.audit.findings}
        for question, title in questions.items():
            for place, point in enumerate(history_points(of_data, question)):
                finding = point.finding
                figure, n = (str(finding.figure), str(finding.figure.estimate.n)) if finding.figure else ("–", "")
                verdict = f"{LEVEL_MARKS[finding.level][1]} {finding.level.value}"
                finished = f"{point.finished:%Y-%m-%d %H:%M}"
                rows.append((title if place == 0 else "", finished, verdict, figure, n, ", ".join(point.changes)))
        heading = f"{history[0].audit.metric} on {name}, battery {' and '.join(battery_labels(of_data))}"
        parts.append(f"{heading}\n{align_columns(rows)}")
    return "\n\n".join(parts)


def battery_labels(history: Sequence[KeptAudit]) -> list[str]:
    """The batteries of audits, each once, the oldest first."""
    return list(dict.fromkeys(entry.report.battery_label for entry in history))
