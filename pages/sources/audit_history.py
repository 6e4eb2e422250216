"""Finished audits into the store and out of it, for the command and the page."""

from __future__ import annotations

from datetime import UTC, datetime

from annotations.store.records import AuditRecord
from annotations.store.store import Store
from core.assessment import AuditReport, KeptAudit, data_name, data_sha256, read_report, report_json, reports_to_keep


def keep_audits(store: Store, report: AuditReport) -> None:
    """Keep the audit of each metric of a report as finished now."""
    now = datetime.now(UTC)
    store.save_audits(
        [
            AuditRecord(
                metric=audit.metrics[0].metric,
                signature=audit.metrics[0].signature,
                data=data_name(audit),
                data_sha256=data_sha256(audit),
                version=audit.version,
                report=report_json(audit),
                created_at=now,
            )
            for audit in reports_to_keep(report)
        ]
    )


def kept_audits(store: Store, metric: str) -> list[KeptAudit]:
    """The kept audits of a metric, oldest first."""
    return [
        KeptAudit(row.created_at, read_report(row.report, f"The audit of {row.created_at:%Y-%m-%d %H:%M}"))
        for row in store.audits(metric)
    ]
