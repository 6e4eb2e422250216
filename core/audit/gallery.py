"""A gallery of audits: one static page that lets many metrics be compared, each with its strip, data and signature."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.audit.question import Level
from core.audit.report import AuditReport, MetricAudit
from core.audit.report_html import html_page, level_strip

_NOTE = (
    "Metrics with the most good verdicts first, then those with the fewest failures. Verdicts of different data are not "
    "compared: the line below each metric says on which texts, and with which battery, it was audited."
)


def gallery_html(reports: Sequence[AuditReport]) -> str:
    """The page; a metric that was audited on several data has a card for each."""
    cards = sorted(
        ((audit, report) for report in reports for audit in report.metrics), key=lambda card: _order(card[0])
    )
    return html_page(
        "Audits of metrics",
        [
            "<h1>Which metric can be trusted?</h1>",
            f'<p class="soft">{_NOTE}</p>',
            _batteries_note(reports),
            *(_card(*card) for card in cards),
        ],
    )


def _batteries_note(reports: Sequence[AuditReport]) -> str:
    """A warning where metrics stand side by side that were not perturbed by the same kinds."""
    instruments = {report.battery.sha256 if report.battery else "": report.battery_label for report in reports}
    if len(instruments) < 2:
        return ""
    names = escape(" and ".join(instruments.values()))
    return f'<p class="warning">⚠ These audits are of different batteries, {names}: their figures of edits are not to be compared.</p>'


def _order(audit: MetricAudit) -> tuple[int, int, str]:
    levels = [one.level for one in audit.findings]
    return -levels.count(Level.GOOD), levels.count(Level.FAILS), audit.metric


def _card(audit: MetricAudit, report: AuditReport) -> str:
    data = "; ".join(
        f"{one.name}, {one.summaries:,} summaries of {one.documents:,} documents, {one.sha256[:12]}"
        for one in report.data
    )
    instrument = f"{data}; battery {report.battery_label}"
    return (
        f'<section class="finding"><h3>{escape(audit.metric)}</h3><p class="summary">{escape(audit.summary)}</p>'
        f'{level_strip(audit)}<p class="soft"><small>{escape(instrument)}<br><code>{escape(audit.signature)}</code></small></p></section>'
    )
