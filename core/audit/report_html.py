"""The report as one HTML file that needs no network: a strip for each metric, a table side by side, and every finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path

from core.audit.question import JUDGED_LEVELS, Figure, Finding, Level, ShownPair
from core.audit.report import AuditReport, MetricAudit
from core.edits import as_segments, recover
from core.text import with_visible_controls

_CSS = Path(__file__).with_name("report.css")

LEVEL_MARKS = {
    Level.GOOD: ("good", "✓"),
    Level.WEAK: ("weak", "~"),
    Level.FAILS: ("fails", "✗"),
    Level.TOO_FEW: ("none", "?"),
    Level.MEASURED: ("none", "·"),
    Level.NOT_MEASURED: ("none", "–"),
}
"""The class of a level in the style sheet, and the sign that says the same without colour."""

_READING_NOTE = (
    "Verdicts: ✓ good, ~ weak, ✗ fails, ? too few pairs (below ten documents, where no verdict is given), – not measured. "
    "Good takes a figure beyond its bar whose 95 % interval, resampled by document, keeps clear of failing. The bars are "
    "conventions of Touchstone, the same for every metric; the figures beside them are what to report."
)


def report_html(report: AuditReport) -> str:
    """The whole file."""
    names = ", ".join(audit.metric for audit in report.metrics)
    data = " and ".join(one.name for one in report.data)
    return html_page(
        f"Audit of {names}",
        [
            f"<h1>Can {_text(names)} be trusted?</h1>",
            f'<p class="soft">Audit on {_text(data)}, battery {_text(report.battery_label)}</p>',
            *(_overview(audit) for audit in report.metrics),
            _comparison(report.metrics) if len(report.metrics) > 1 else "",
            f'<p class="soft"><small>{_READING_NOTE}</small></p>',
            *map(_metric_section, report.metrics),
            _provenance(report),
        ],
    )


def html_page(title: str, parts: Iterable[str]) -> str:
    """A page with our style sheet and nothing from elsewhere."""
    body = "\n".join(filter(None, parts))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_text(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<style>\n{_style_sheet()}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


@cache
def _style_sheet() -> str:
    return _CSS.read_text(encoding="utf-8")


def level_strip(audit: MetricAudit, style: str = "strip") -> str:
    """A cell for each question with its verdict and the figure, readable at a glance; `style` is its class."""
    cells = []
    for one in audit.findings:
        kind, sign = LEVEL_MARKS[one.level]
        value = _short_figure(one.figure)
        cells.append(
            f'<span class="{kind}" title="{_text(one.sentence)}"><b>{sign} {_text(value)}</b>{_text(one.axis)}</span>'
        )
    return f'<div class="{style}">{"".join(cells)}</div>'


def format_verdicts(findings: Sequence[Finding]) -> str:
    """Number of verdicts of each kind, by their signs, as ✓2 ~2 ✗5."""
    counts = Counter(one.level for one in findings)
    return " ".join(f"{LEVEL_MARKS[level][1]}{counts[level]}" for level in JUDGED_LEVELS if counts[level])


def _overview(audit: MetricAudit) -> str:
    return f'<h3>{_text(audit.metric)}</h3>\n<p class="summary">{_text(audit.summary)}</p>\n{level_strip(audit)}'


def _comparison(audits: Sequence[MetricAudit]) -> str:
    """Questions in rows, metrics in columns."""
    head = "".join(f"<th>{_text(audit.metric)}</th>" for audit in audits)
    rows = [
        f"<tr><td>{_text(one.title)}<br><small>{_text(shared_label(audits, one.question))}</small></td>"
        + "".join(f"<td>{_comparison_cell(audits, one.question, audit)}</td>" for audit in audits)
        + "</tr>"
        for one in audits[0].findings
    ]
    return f'<div class="table"><table><tr><th>Question</th>{head}</tr>{"".join(rows)}</table></div>'


def shared_label(audits: Sequence[MetricAudit], question: str) -> str:
    """Label of the figures of a question where all metrics have the same; empty where they differ, as in their worst slices."""
    findings = (audit.finding(question) for audit in audits)
    labels = {found.figure.label for found in findings if found and found.figure}
    return labels.pop() if len(labels) == 1 else ""


def _comparison_cell(audits: Sequence[MetricAudit], question: str, audit: MetricAudit) -> str:
    found = audit.finding(question)
    if found is None:
        return ""
    if found.figure is None:
        return _chip(found.level)
    label = "" if shared_label(audits, question) else f"<br>{_text(found.figure.label)}"
    return f"{_chip(found.level)}<br><small>{_text(str(found.figure))}{label}</small>"


def _metric_section(audit: MetricAudit) -> str:
    findings = "\n".join(map(_finding, audit.findings))
    return f"<h2>{_text(audit.metric)}</h2>\n<p><code>{_text(audit.signature)}</code></p>\n{findings}"


def _finding(found: Finding) -> str:
    n = f" <small>n = {found.figure.estimate.n:,}</small>" if found.figure and found.figure.estimate.n else ""
    parts = [
        f"<header>{_chip(found.level)}<h3>{_text(found.title)}</h3>{range_svg(found.figure)}{n}</header>",
        f"<p>{_text(found.sentence)}</p>",
        f'<p class="warning">⚠ {_text(found.warning)}</p>' if found.warning else "",
        _details(found.details),
        _pairs(found.pairs),
        f"<details><summary>Show it in full</summary><pre>{_text(found.command)}</pre></details>"
        if found.command
        else "",
    ]
    return f'<section class="finding">{"".join(parts)}</section>'


def _details(figures: Sequence[Figure]) -> str:
    if not figures:
        return ""
    rows = "".join(
        f'<tr><td>{_text(one.label)}</td><td class="number">{_text(str(one))}</td><td>{range_svg(one)}</td>'
        f'<td class="number">{one.estimate.n:,}</td><td><small>{_text(one.remark)}</small></td></tr>'
        for one in figures
    )
    head = '<tr><th></th><th class="number">figure [95 %]</th><th></th><th class="number">n</th><th></th></tr>'
    return f'<details><summary>{len(figures)} further figures</summary><div class="table"><table>{head}{rows}</table></div></details>'


def _pairs(pairs: Sequence[ShownPair]) -> str:
    if not pairs:
        return ""
    shown = "".join(map(_pair, pairs))
    return f"<details><summary>{len(pairs)} pairs behind it</summary>{shown}</details>"


def _pair(pair: ShownPair) -> str:
    scores = " → ".join(
        "failed" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after)
    )
    return (
        f'<div class="pair" dir="auto"><small>{_text(pair.source)} · {_text(pair.remark)} · score {scores}</small><br>'
        f"{diff_markup(pair.before, pair.after)}</div>"
    )


def diff_markup(before: str, after: str) -> str:
    """Markup of the deleted and inserted text, every text escaped."""
    tags = {-1: "del", 1: "ins"}
    pieces = ((op, _text(with_visible_controls(text))) for op, text in as_segments(before, recover(before, after)))
    return "".join(f"<{tags[op]}>{text}</{tags[op]}>" if op else text for op, text in pieces)


def range_svg(figure: Figure | None) -> str:
    """The interval of an area or a share on a line from 0 to 1; nothing for figures on other scales."""
    if figure is None or figure.unit not in ("area", "share") or figure.estimate.value is None:
        return ""
    estimate = figure.estimate
    low, high = (estimate.value if bound is None else bound for bound in (estimate.low, estimate.high))
    places = [5 + 140 * min(1.0, max(0.0, one or 0.0)) for one in (low, high, estimate.value)]
    return (
        f'<svg class="range" viewBox="0 0 150 16" role="img" aria-label="{_text(str(figure))}">'
        '<line class="track" x1="5" y1="8" x2="145" y2="8"/><line class="track" x1="75" y1="3" x2="75" y2="13"/>'
        f'<line class="span" x1="{places[0]:.1f}" y1="8" x2="{places[1]:.1f}" y2="8"/>'
        f'<circle cx="{places[2]:.1f}" cy="8" r="4"/></svg>'
    )


def _provenance(report: AuditReport) -> str:
    rows = "".join(
        f'<tr><td>{_text(one.name)}</td><td class="number">{one.summaries:,}</td><td class="number">{one.documents:,}</td>'
        f"<td><code>{_text(one.sha256)}</code></td></tr>"
        for one in report.data
    )
    head = '<tr><th>data</th><th class="number">summaries</th><th class="number">documents</th><th>SHA-256 of texts and labels</th></tr>'
    return (
        f'<h2>How to repeat it</h2><div class="table"><table>{head}{rows}</table></div><pre>{_text(report.command)}</pre>'
        f'<p class="soft">Touchstone {_text(report.version)}, seed {report.seed}, {report.resamples:,} resamples of documents '
        f"for figures of the data, 2,000 for those of the stress run, whose variants have the SHA-256 <code>{_text(report.variants_sha256)}</code>.</p>"
        f"{_battery(report)}"
    )


def _battery(report: AuditReport) -> str:
    if report.battery is None:
        return f'<p class="soft">Battery: {report.battery_label}.</p>'
    kinds = ", ".join(f"<code>{_text(kind)}</code>" for kind in report.battery.kinds)
    return (
        f'<p class="soft">Battery <code>{_text(report.battery.signature)}</code> of {report.battery.date}, '
        f"{_text(report.battery.title)}: {kinds}.</p>"
    )


def _chip(level: Level) -> str:
    kind, sign = LEVEL_MARKS[level]
    return f'<span class="chip {kind}">{sign} {level.value}</span>'


def _short_figure(figure: Figure | None) -> str:
    """The value alone, as it fits into a cell of the strip."""
    if figure is None or figure.estimate.value is None:
        return ""
    value = figure.estimate.value
    formats = {
        "area": "{:.2f}",
        "share": "{:.0%}",
        "quotient": "×{:.1f}",
        "deviations": "{:+.2f} sd",
        "seconds": "{:,.0f} s",
    }
    return formats.get(figure.unit, "{:.2f}").format(value).replace("-", "−")


def _text(text: str) -> str:
    return escape(text)
