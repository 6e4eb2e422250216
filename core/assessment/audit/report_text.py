"""The report as text: Markdown for a model card, lines for a terminal, and a badge."""

from __future__ import annotations

from collections import Counter

from core.assessment.audit.audit_report import AuditReport, FindingChange, failure_lines, warnings_of
from core.assessment.audit.judge_card import JudgeCard, judge_cards
from core.assessment.audit.question import JUDGED_LEVELS, LEVEL_MARKS, AuditAnswer, Level, MetricAudit
from core.assessment.audit.report_html import TEMPLATES
from core.data import format_dataset
from core.stats import align_columns, markdown_table

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
