"""The audits of the packaged metrics on the bundled examples, computed beforehand; `make audits` computes them again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.assessment.audit.audit_report import AuditReport, audit_metrics, build_report, read_report, report_json
from core.assessment.audit.data import AuditData, audit_command, kept_scores, samples_data
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import MetricAudit
from core.data import bundled_items
from core.results import OFFLINE_METRICS, Cases, bundled_samples, pool_cases
from core.scoring import METRICS
from core.settings import Settings
from core.types import PRECOMPUTED, Outcome

BUNDLED_SUMMARIES = 100
"""Largest number of summaries that are perturbed, as `cli.py audit` does by default."""

_FILE = Path(__file__).with_name("bundled_audits.json")
_OF_A_MACHINE = ("cost",)  # figures that another machine does not repeat


def audited_metrics() -> list[str]:
    """Those of the bundled dataset that have a better side, as they are by default; the audit marks one that learned from these texts."""
    return [spec for spec in OFFLINE_METRICS if "[" not in spec and METRICS.parse(spec).card.direction != "neutral"]


@cache
def bundled_audits() -> AuditReport:
    """The report as it lies in the repository, without texts and further figures."""
    return read_report(_FILE.read_bytes(), _FILE.name)


def bundled_audit(metric: str) -> MetricAudit | None:
    """Bundled audit of one metric, or None."""
    return next((audit for audit in bundled_audits().metrics if audit.metric == metric), None)


def bundled_data() -> AuditData:
    """The bundled examples with their labels."""
    samples = bundled_samples()

    def cases_of(outcomes: Sequence[Outcome]) -> Cases:
        scores = kept_scores(outcomes)
        return pool_cases([[replace(sample, kept=tuple(scores[sample.stored])) for sample in samples]])

    texts = [item.example for item in bundled_items()]
    return samples_data({PRECOMPUTED: samples}, texts, cases_of, BUNDLED_SUMMARIES, seed=0)


def write_bundled_audits() -> None:
    """Carry the audits out and put them into the repository."""
    from core.scoring import Engine  # takes seconds to import, and whoever reads the audits needs none

    specs, data, settings = audited_metrics(), bundled_data(), Settings.read()
    with closing(Engine.open(settings)) as engine:
        measured = EvidenceWork(engine, settings, data, [METRICS.parse(spec) for spec in specs])
        for _ in measured.work():
            pass
        audits = []
        for audit in audit_metrics(measured.evidence(), specs):
            # the verdicts and their figures, without what depends on the machine
            findings = [
                replace(finding, pairs=(), details=())
                for finding in audit.findings
                if finding.question not in _OF_A_MACHINE
            ]
            audits.append(replace(audit, findings=tuple(findings)))
    report = build_report(measured.evidence(), audits, audit_command(data, specs, 0))
    _FILE.write_text(report_json(report) + "\n", encoding="utf-8")
