"""A gallery of audits: one static page that lets many metrics be compared, each with its strip, data and signature."""

from __future__ import annotations

from collections.abc import Sequence

from core.assessment.audit.question import Level
from core.assessment.audit.report import AuditReport
from core.assessment.audit.report_html import TEMPLATES


def gallery_html(reports: Sequence[AuditReport]) -> str:
    """The page; a metric that was audited on several data has a card for each."""
    cards = [(audit, report) for report in reports for audit in report.metrics]
    cards.sort(
        key=lambda card: (
            -sum(finding.level == Level.GOOD for finding in card[0].findings),
            sum(finding.level == Level.FAILS for finding in card[0].findings),
            card[0].metric,
        )
    )
    batteries = {report.battery.sha256 if report.battery else "": report.battery_label for report in reports}
    return TEMPLATES.get_template("gallery.html").render(cards=cards, batteries=list(batteries.values()))
