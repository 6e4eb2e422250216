"""The report of an audit for its readers: one HTML file that needs no network, Markdown for a model card, lines and a badge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.assessment.audit.audit_judge import JudgeModel
from core.assessment.audit.audit_report import AuditReport, FindingChange, failure_lines, warnings_of
from core.assessment.audit.false_verdicts import false_verdicts
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
from core.data import format_dataset
from core.results import format_edge, mark_place
from core.stats import align_columns, markdown_table
from core.text import as_segments, recover, with_visible_controls


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """The audits of all metrics that ask one model at one endpoint."""

    model: JudgeModel
    audits: tuple[MetricAudit, ...]

    def rows(self) -> list[tuple[str, list[AuditAnswer | None]]]:
        """A row for each question of the card: its title, and the finding on each metric."""
        titles = {finding.question: finding.title for audit in self.audits for finding in audit.on_card}
        return [(title, [audit.finding(question) for audit in self.audits]) for question, title in titles.items()]


def judge_cards(audits: Sequence[MetricAudit]) -> list[JudgeCard]:
    """A card for each model and endpoint, in the order of the audits; none without a judge."""
    models = dict.fromkeys(audit.judge for audit in audits if audit.judge)
    return [JudgeCard(model, tuple(audit for audit in audits if audit.judge == model)) for model in models]


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


_COLOURS = {Level.GOOD: "#1f6b4f", Level.WEAK: "#8a5a00", Level.FAILS: "#a83214", Level.TOO_FEW: "#5a6475"}
_LETTER_PX = 6.6
_LABEL = "audit"


def report_markdown(report: AuditReport) -> str:
    """Sections for a model card: a table for each metric, its warnings, the data and the command."""
    data = "; ".join(
        f"{format_dataset(facts.name)} ({facts.summaries:,} summaries of {facts.documents:,} documents, SHA-256 `{facts.sha256}`)"
        for facts in report.data
    )
    sections = [
        *map(_metric_markdown, report.metrics),
        *(
            f"## {title}\n\n{markdown_table(head, rows)}\n"
            for title, head, rows in map(_card_table, judge_cards(report.metrics))
        ),
    ]
    repeat = f"Data: {data}. Battery: {report.battery_label}. Touchstone {report.version}, seed {report.seed}.\n\n```\n{report.command}\n```\n"
    return "\n".join([*sections, repeat])


def _metric_markdown(audit: MetricAudit) -> str:
    rows = [
        (finding.title, f"{LEVEL_MARKS[finding.level][1]} {finding.level.value}", _figure(finding), _n(finding))
        for finding in audit.common
    ]
    table = markdown_table(("question", "verdict", "figure [95 %]", "n"), rows)
    warnings = "".join(f"- {warning}\n" for warning in warnings_of(audit))
    return (
        f"## Audit of `{audit.metric}`\n\n**{audit.summary}**\n\n{table}\n{warnings}\nSignature: `{audit.signature}`\n"
    )


def format_report(report: AuditReport) -> str:
    """For a terminal: the summary, a line for each question, what must be read with care, the cards of judges, and the battery."""
    parts = []
    for audit in report.metrics:
        lines = [
            (LEVEL_MARKS[finding.level][1], finding.level.value, finding.title, _figure(finding), _n(finding))
            for finding in audit.common
        ]
        table = align_columns([("", "verdict", "question", "figure [95 %]", "n"), *lines])
        remarks = [f"! {remark}" for remark in (*warnings_of(audit), *failure_lines(audit))]
        parts.append("\n".join([f"{audit.metric}: {audit.summary}", "", table, *remarks]))
    parts += [
        f"{title}\n\n{align_columns([head, *rows])}"
        for title, head, rows in map(_card_table, judge_cards(report.metrics))
    ]
    return "\n\n".join([*parts, f"Battery: {report.battery_label}"])


def _card_table(card: JudgeCard) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Title, head and rows of the card of a judge: verdict and figure for each metric that asks it."""
    head = ("question", *(audit.metric for audit in card.audits))
    rows = []
    for title, findings in card.rows():
        verdicts = []
        for finding in findings:
            figure = f" {finding.figure} ({finding.figure.label})" if finding and finding.figure else ""
            verdicts.append(f"{LEVEL_MARKS[finding.level][1]} {finding.level.value}{figure}" if finding else "")
        rows.append((title, *verdicts))
    return f"Judge card: {card.model.title}", head, rows


def format_changes(changes: list[FindingChange]) -> str:
    """Changes since an earlier report, a line each; those that became worse first."""
    shown = sorted(
        (change for change in changes if change.worse or change.moved or change.before.level != change.after.level),
        key=lambda change: not change.worse,
    )
    if not shown:
        return "No verdict changed since the earlier audit, and no figure moved beyond the intervals."
    rows = [
        (
            "worse" if change.worse else "changed",
            change.metric,
            change.title,
            f"{change.before.level.value} → {change.after.level.value}",
            f"{_figure(change.before)} → {_figure(change.after)}",
        )
        for change in shown
    ]
    return align_columns([("", "metric", "question", "verdict", "figure [95 %]"), *rows])


def badge_svg(audit: MetricAudit) -> str:
    """A badge with the metric and how many of its questions are good, in the colour of the worst verdict."""
    counts = Counter(finding.level for finding in audit.findings)
    judged = sum(counts[level] for level in JUDGED_LEVELS)
    worst = max(
        (finding.level for finding in audit.findings if finding.level in JUDGED_LEVELS),
        key=JUDGED_LEVELS.index,
        default=Level.TOO_FEW,
    )
    label, value = f"{_LABEL} {audit.metric}", f"{counts[Level.GOOD]} of {judged} good" if judged else "too few pairs"
    label_width, value_width = (round(_LETTER_PX * len(text) + 12) for text in (label, value))
    return TEMPLATES.get_template("badge.svg").render(
        label=label,
        value=value,
        left=label_width,
        right=value_width,
        colour=_COLOURS[worst],
        title=f"{label}: {value}. {audit.summary}",
    )


def _figure(finding: AuditAnswer) -> str:
    return str(finding.figure) if finding.figure else "–"


def _n(finding: AuditAnswer) -> str:
    return str(finding.figure.estimate.n) if finding.figure else ""
