"""A gallery of audits: one static page that lets many metrics be compared, each with its strip, data and signature."""

from __future__ import annotations

from collections.abc import Sequence

from core.audit.question import Level, MetricAudit
from core.audit.report import AuditReport
from core.audit.report_html import TEMPLATES


def gallery_html(reports: Sequence[AuditReport]) -> str:
    """The page; a metric that was audited on several data has a card for each."""
    cards = sorted(
        ((audit, report) for report in reports for audit in report.metrics), key=lambda card: _order(card[0])
    )
    batteries = {report.battery.sha256 if report.battery else "": report.battery_label for report in reports}
    return TEMPLATES.get_template("gallery.html").render(cards=cards, batteries=list(batteries.values()))


def _order(audit: MetricAudit) -> tuple[int, int, str]:
    levels = [one.level for one in audit.findings]
    return -levels.count(Level.GOOD), levels.count(Level.FAILS), audit.metric
