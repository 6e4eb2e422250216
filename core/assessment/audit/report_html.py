"""The report as one HTML file that needs no network: a strip for each metric, a table side by side, and every finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from core.assessment.audit.audit_report import AuditReport
from core.assessment.audit.false_verdicts import false_verdicts
from core.assessment.audit.judge_card import judge_cards
from core.assessment.audit.question import (
    JUDGED_LEVELS,
    LEVEL_MARKS,
    AuditAnswer,
    AuditFigure,
    Level,
    MetricAudit,
    ShownPair,
)
from core.base import open_templates
from core.results import format_edge, mark_place
from core.text import as_segments, recover, with_visible_controls


def report_html(report: AuditReport) -> str:
    """The whole file."""
    return TEMPLATES.get_template("report.html").render(report=report)


def level_strip(findings: Sequence[AuditAnswer], style: str = "strip") -> str:
    """A cell for each question with its verdict and the figure, readable at a glance; `style` is its class."""
    return TEMPLATES.get_template("strip.html").render(findings=findings, style=style)


def format_verdicts(findings: Sequence[AuditAnswer]) -> str:
    """Number of verdicts of each kind, by their signs, as ✓2 ~2 ✗5."""
    counts = Counter(finding.level for finding in findings)
    return " ".join(f"{LEVEL_MARKS[level][1]}{counts[level]}" for level in JUDGED_LEVELS if counts[level])


def shared_label(audits: Sequence[MetricAudit], question: str) -> str:
    """Label of the figures of a question where all metrics have the same; empty where they differ, as in their worst slices."""
    findings = (audit.finding(question) for audit in audits)
    labels = {finding.figure.label for finding in findings if finding and finding.figure}
    return labels.pop() if len(labels) == 1 else ""


def range_places(figure: AuditFigure | None) -> dict[str, float] | None:
    """Horizontal places of an interval and its figure, an area or a share between 0 and 1, on a line of 150 px: low, high, value.

    None for figures on other scales.
    """
    if figure is None or figure.unit not in ("area", "share") or figure.estimate.value is None:
        return None
    estimate = figure.estimate
    low, high = (estimate.value if bound is None else bound for bound in (estimate.low, estimate.high))
    shares = {"low": low, "high": high, "value": estimate.value}
    return {name: 5 + 140 * min(1.0, max(0.0, share or 0.0)) for name, share in shares.items()}


def strip_mark(figure: AuditFigure) -> float | None:
    """Horizontal place of a mean shift on its strip of 120 px; None for what is no shift, or one of unknown noise."""
    place = None if figure.estimate.value is None else mark_place(figure.edge, figure.estimate.value)
    return None if place is None else 120 * place


def pair_segments(pair: ShownPair) -> list[tuple[int, str]]:
    """Deleted (-1), kept (0) and inserted (1) text of a pair, characters that are not seen made visible."""
    segments = as_segments(pair.before, recover(pair.before, pair.after))
    return [(op, with_visible_controls(text)) for op, text in segments]


def short_figure(figure: AuditFigure | None) -> str:
    """The value alone, as it fits into a cell of the strip."""
    if figure is None or figure.estimate.value is None:
        return ""
    # a difference of shares, and a gain by errors, may be negative: in a cell that says no more than zero does
    value = max(0.0, figure.estimate.value) if figure.unit in ("share", "quotient") else figure.estimate.value
    formats = {
        "area": "{:.2f}",
        "share": "{:.0%}",
        "quotient": "×{:.1f}",
        "deviations": "{:+.2f} sd",
        "seconds": "{:,.0f} s",
        "money": "{:.2g}",
        "count": "{:,.0f}",
    }
    text = formats.get(figure.unit, "{:.2f}").format(value)
    return "0.00" if text == "-0.00" else text.replace("-", "−")


TEMPLATES = open_templates(Path(__file__).with_name("templates"))
"""Templates of the report, the gallery and the badge."""

TEMPLATES.filters["short"] = short_figure
TEMPLATES.filters["edge"] = format_edge
TEMPLATES.globals |= {
    "false_verdicts": false_verdicts,
    "judge_cards": judge_cards,
    "judged_levels": JUDGED_LEVELS,
    "level_marks": LEVEL_MARKS,
    "range_places": range_places,
    "segments": pair_segments,
    "shared_label": shared_label,
    "strip_mark": strip_mark,
}


def gallery_html(reports: Sequence[AuditReport]) -> str:
    """The page; a metric that was audited on several data has a card for each."""
    cards = [(audit, report) for report in reports for audit in report.metrics]
    cards.sort(
        key=lambda card: (
            -sum(int(finding.level == Level.GOOD) for finding in card[0].findings),
            sum(int(finding.level == Level.FAILS) for finding in card[0].findings),
            card[0].metric,
        )
    )
    batteries = {report.battery.sha256 if report.battery else "": report.battery_label for report in reports}
    return TEMPLATES.get_template("gallery.html").render(cards=cards, batteries=list(batteries.values()))
