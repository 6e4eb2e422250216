"""Pins of studies, audits and pairs, from their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from core.assessment.audit.question import Finding, MetricAudit, ShownPair
from core.assessment.audit.report import AuditReport
from core.assessment.audit.shown_pairs import shown_shifts
from core.assessment.pinned.pin import AuditSource, PairSource, Pin, PinnedPair, StudySource
from core.edits.perturbation import PERTURBATIONS
from core.evaluation.report import Cell, Column, Report, Table
from core.evaluation.study import Study, StudyData
from core.scoring.metric import metric_title

_RESOURCES = ("seconds", "megabytes", "money")


def study_pin(study: Study, data: StudyData, report: Report, source: StudySource) -> Pin:
    """A report of a study, or the part of it that the source names, with pairs of a stress run where it names a cell."""
    content = _part(report, source)
    metric = source.cell.get("metric", "")
    # the signatures of the metrics that scored these data, or of one alone, by the names that they have there
    columns = data.cases.all_columns if data.cases else ()
    readings = data.run.readings.items() if data.run else ()
    found = {column.name: column.signature for column in columns if column.signature}
    found |= {name: one.signature for (_, _, name), one in readings if one.signature}
    signatures = {name: signature for name, signature in found.items() if metric in ("", name)}
    pairs: tuple[PinnedPair, ...] = ()
    if data.run is not None and {"metric", "kind"} <= source.cell.keys():
        chosen = [one for one in data.shifts if one.metric == metric and one.kind == source.cell["kind"]]
        pairs = tuple(_pinned(pair) for pair in shown_shifts(data.run, chosen, abs))
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
    found = [
        (audit, one) for audit in report.metrics for one in audit.findings if source.question in ("", one.question)
    ]
    names = ", ".join(metric_title(audit.metric) for audit in report.metrics)
    if source.question:
        title = f"{found[0][1].title} {names}" if found else names
        sentences = tuple(f"{metric_title(audit.metric)}: {one.sentence}" for audit, one in found)
    else:
        title = f"Audit of {names}"
        sentences = tuple(f"{metric_title(audit.metric)}: {audit.summary}" for audit in report.metrics)
    data = {
        "version": report.version,
        "datasets": [one.name for one in report.data],
        "samples": sum(one.summaries for one in report.data),
        "documents": sum(one.documents for one in report.data),
        "battery": report.battery_label,
    }
    content = Report(
        "audit",
        title,
        (_findings_table(found),),
        sentences=sentences,
        notes=tuple(dict.fromkeys(one.warning for _, one in found if one.warning)),
        data=data,
        command=report.command,
    )
    pairs = [_pinned(pair, one.title) for _, one in found for pair in one.pairs]
    signatures = {audit.metric: audit.signature for audit in report.metrics}
    return Pin(title, source, content, datetime.now(UTC).date(), tuple(pairs), signatures)


@dataclass(frozen=True, slots=True)
class PairScore:
    """Scores of a metric for a summary before and after its edit; `reaction` is a word on their difference."""

    metric: str
    signature: str
    before: float | None
    after: float | None
    reaction: str = ""


def pair_pin(title: str, source: PairSource, scores: Sequence[PairScore]) -> Pin:
    """A pair with the verdict on its edit and a row for each metric."""
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
                one.metric,
                one.before,
                one.after,
                None if one.before is None or one.after is None else one.after - one.before,
                one.reaction,
            )
            for one in scores
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
    signatures = {one.metric: one.signature for one in scores if one.signature}
    pair = PinnedPair(source.original, source.edited, title, document=source.document)
    return Pin(title, source, content, datetime.now(UTC).date(), (pair,), signatures)


def _part(report: Report, source: StudySource) -> Report:
    """The whole report, or its table, chart or rows that the source names."""
    if source.chart:
        return replace(report, tables=(), charts=tuple(one for one in report.charts if one.name == source.chart))
    if not source.table:
        return report
    table = report.table(source.table)
    kept = [row for row in table.records() if all(str(row[name]) == value for name, value in source.cell.items())]
    rows = tuple(tuple(row.values()) for row in kept)
    # a row alone is no grid, and the sentences of the report are on all rows
    table = replace(table, rows=rows, pivot=None if source.cell else table.pivot)
    return replace(report, tables=(table,), charts=(), sentences=() if source.cell else report.sentences)


def cell_title(cell: Mapping[str, str]) -> str:
    """The values of a cell for people, metrics and perturbations by their titles."""
    titles = {"kind": lambda value: PERTURBATIONS.parse(value).title, "metric": metric_title}
    return ", ".join(titles[name](value) if name in titles else value for name, value in cell.items())


def _pinned(pair: ShownPair, of: str = "") -> PinnedPair:
    scores = " → ".join("failed" if one is None else f"{one:.3f}" for one in (pair.score_before, pair.score_after))
    remark = " · ".join(filter(None, [of, pair.remark or pair.source]))
    return PinnedPair(pair.before, pair.after, remark, f"score {scores}")


def _findings_table(found: Sequence[tuple[MetricAudit, Finding]]) -> Table:
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
    for audit, one in found:
        cells: tuple[Cell, ...] = (None, None, None, None)
        if one.figure and one.figure.unit in _RESOURCES:
            cells = (None, str(one.figure), one.figure.label, None)
        elif one.figure:
            cells = (str(one.figure), None, one.figure.label, one.figure.estimate.n or None)
        rows.append((audit.metric, one.title, one.level.value, *cells))
    # a column in which nothing stands says nothing
    kept = [place for place, _ in enumerate(columns) if place < 3 or any(row[place] is not None for row in rows)]
    return Table(
        "findings",
        "Findings",
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in rows),
    )
