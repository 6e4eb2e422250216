"""Pins of studies, audits and pairs, from their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from core.assessment.audit.audit_report import AuditReport
from core.assessment.audit.question import AuditAnswer, MetricAudit, ShownPair
from core.assessment.audit.shown_pairs import shown_shifts
from core.assessment.pinned.pin import AuditSource, PairSource, Pin, PinnedPair, StudySource
from core.edits import PERTURBATIONS
from core.evaluation import Cell, Column, Report, Study, StudyData, Table
from core.scoring import metric_title
from core.types import StoredScore

_RESOURCES = ("seconds", "megabytes", "money")


def study_pin(study: Study, data: StudyData, report: Report, source: StudySource) -> Pin:
    """A report of a study, or the part of it that the source names, with pairs of a stress run where it names a cell."""
    content = _part(report, source)
    metric = source.cell.get("metric", "")
    # the signatures of the metrics that scored these data, or of one alone, by the names that they have there
    columns = data.cases.all_columns if data.cases else ()
    readings = data.run.readings.items() if data.run else ()
    all_signatures = {column.name: column.signature for column in columns if column.signature}
    all_signatures |= {name: reading.signature for (_, _, name), reading in readings if reading.signature}
    signatures = {name: signature for name, signature in all_signatures.items() if metric in ("", name)}
    pairs: tuple[PinnedPair, ...] = ()
    if data.run is not None and {"metric", "kind"} <= source.cell.keys():
        shifts = [shift for shift in data.shifts if shift.metric == metric and shift.kind == source.cell["kind"]]
        pairs = tuple(_pinned(pair) for pair in shown_shifts(data.run, shifts, abs))
    title = report.title
    if source.cell:
        title = f"{report.title}: {cell_title(source.cell)}"
    elif source.table or source.chart:
        titles = [*(table.title for table in content.tables), *(chart.title for chart in content.charts)]
        title = titles[0] if titles else report.title
    return Pin(
        title,
        replace(source, spec=study.spec),
        content,
        datetime.now(UTC).date(),
        pairs,
        signatures,
    )


def audit_pin(report: AuditReport, source: AuditSource) -> Pin:
    """An audit with a row for each metric and question, or those of one question, and the pairs behind its findings."""
    findings = [
        (audit, finding)
        for audit in report.metrics
        for finding in audit.findings
        if source.question in ("", finding.question)
    ]
    names = ", ".join(metric_title(audit.metric) for audit in report.metrics)
    if source.question:
        title = f"{findings[0][1].title} {names}" if findings else names
        sentences = tuple(f"{metric_title(audit.metric)}: {finding.sentence}" for audit, finding in findings)
    else:
        title = f"Audit of {names}"
        sentences = tuple(f"{metric_title(audit.metric)}: {audit.summary}" for audit in report.metrics)
    data = {
        "version": report.version,
        "datasets": [dataset.name for dataset in report.data],
        "samples": sum(dataset.summaries for dataset in report.data),
        "documents": sum(dataset.documents for dataset in report.data),
        "battery": report.battery_label,
    }
    content = Report(
        "audit",
        title,
        (_findings_table(findings),),
        sentences=sentences,
        notes=tuple(dict.fromkeys(finding.warning for _, finding in findings if finding.warning)),
        data=data,
        command=report.command,
    )
    pairs = [_pinned(pair, finding.title) for _, finding in findings for pair in finding.pairs]
    signatures = {audit.metric: audit.signature for audit in report.metrics}
    return Pin(title, source, content, datetime.now(UTC).date(), tuple(pairs), signatures)


def pair_pin(
    title: str,
    source: PairSource,
    scores: Sequence[tuple[StoredScore, StoredScore]],
    reactions: Mapping[str, str] = MappingProxyType({}),
) -> Pin:
    """A pair with the verdict on its edit, and a row for each metric: its score before and after, and its word of `reactions`."""
    table = Table(
        "scores",
        "Scores",
        (
            Column("metric", format="metric"),
            Column("before", "original", "number"),
            Column("after", "edited", "number"),
            Column("shift", format="units"),
            Column("reaction"),
        ),
        tuple(
            (
                before.metric,
                before.value,
                after.value,
                None if before.value is None or after.value is None else after.value - before.value,
                reactions.get(before.metric, ""),
            )
            for before, after in scores
        ),
    )
    meant = " · ".join(filter(None, [source.intended and f"meant as {source.intended}", source.error_type]))
    content = Report(
        "pair",
        title,
        (table,),
        sentences=(source.verdict,) if source.verdict else (),
        notes=(f"The edit is {meant}.",) if meant else (),
    )
    signatures = {score.metric: score.signature for sides in scores for score in sides if score.signature}
    pair = PinnedPair(source.original, source.edited, title, document=source.document)
    return Pin(title, source, content, datetime.now(UTC).date(), (pair,), signatures)


def _part(report: Report, source: StudySource) -> Report:
    """The whole report, or its table, chart or rows that the source names."""
    if source.chart:
        return replace(report, tables=(), charts=tuple(chart for chart in report.charts if chart.name == source.chart))
    if not source.table:
        return report
    table = report.table(source.table)
    records = [row for row in table.records() if all(str(row[name]) == value for name, value in source.cell.items())]
    rows = tuple(tuple(row.values()) for row in records)
    # a row alone is no grid, and the sentences of the report are on all rows
    table = replace(table, rows=rows, pivot=None if source.cell else table.pivot)
    return replace(report, tables=(table,), charts=(), sentences=() if source.cell else report.sentences)


def cell_title(cell: Mapping[str, str]) -> str:
    """The values of a cell for people, metrics and perturbations by their titles."""
    titles = {"kind": lambda value: PERTURBATIONS.parse(value).title, "metric": metric_title}
    return ", ".join(titles[name](value) if name in titles else value for name, value in cell.items())


def _pinned(pair: ShownPair, of: str = "") -> PinnedPair:
    scores = " → ".join(
        "failed" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after)
    )
    remark = " · ".join(filter(None, [of, pair.remark or pair.source]))
    return PinnedPair(pair.before, pair.after, remark, f"score {scores}")


def _findings_table(findings: Sequence[tuple[MetricAudit, AuditAnswer]]) -> Table:
    columns = (
        Column("metric", format="metric"),
        Column("question"),
        Column("verdict"),
        Column("figure", help="With its 95 % interval."),
        Column("resources", "time and memory"),
        Column("of", "figure of"),
        Column("n", format="count"),
    )
    rows = []
    for audit, finding in findings:
        cells: tuple[Cell, ...] = (None, None, None, None)
        if finding.figure and finding.figure.unit in _RESOURCES:
            cells = (None, str(finding.figure), finding.figure.label, None)
        elif finding.figure:
            cells = (str(finding.figure), None, finding.figure.label, finding.figure.estimate.n or None)
        rows.append((audit.metric, finding.title, finding.level.value, *cells))
    # a column in which nothing stands says nothing
    places = [place for place, _ in enumerate(columns) if place < 3 or any(row[place] is not None for row in rows)]
    return Table(
        "findings",
        "Findings",
        tuple(columns[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in rows),
    )
