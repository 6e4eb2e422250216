"""The shifts of each metric under each kind of perturbation: which metrics move when they should not, and stay when they should move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from core.edits import PERTURBATIONS
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.studies.edit_discrimination import discrimination_report
from core.evaluation.studies.sensitivity import sensitivity_report
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, setting
from core.models import document_key
from core.results import (
    RUN_FIELDS,
    KindCoverage,
    MatrixCell,
    MetricBalance,
    NullBand,
    Shift,
    StressRun,
    balance_sentence,
    check_shares,
    kind_coverage,
    kind_verdicts,
    metric_balances,
    metric_verdicts,
    outside_note,
    rank_metrics,
    rank_sentences,
    run_problems,
    shift_matrix,
    shift_parts,
    training_documents,
    training_overlaps,
    with_harmless,
)
from core.scoring import SENTENCE_LABELS, is_surface, metric_title
from core.stats import FEW_PAIRS, Move

_VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "matrix": "Shifts",
        "discrimination": "Errors against harmless edits",
        "sensitivity": "Corrections and harmless edits",
    }
)


@STUDIES.add
@dataclass(frozen=True)
class Shifts(Study):
    """Shifts of scores by edits that break the meaning, against those that keep it."""

    name: ClassVar[str] = "shifts"
    title: ClassVar[str] = "Shifts by edits"
    does: ClassVar[str] = "Compare how errors move each metric with how harmless edits do."
    group: ClassVar[Group] = "Shifts"
    may_take: ClassVar[tuple[Input, ...]] = (Input.RUN, Input.SCORES)
    place: ClassVar[int] = 10
    audit: ClassVar[str] = "stillness"
    view: str = setting(
        "matrix",
        "matrix: the shift of each metric under each perturbation beside the noise of harmless edits; discrimination: the AUC of "
        "broken summaries against their originals and against harmless edits; sensitivity: the gain by a correction divided by the "
        "shift by a harmless edit, overall and by domain, of a run, of datasets, or of both.",
        choices=_VIEWS,
        labels=_VIEWS,
    )
    by: str = setting(
        "",
        "Field whose values have rows of their own: domain of the pairs, error_type or intent of the perturbation, words that it changes.",
        choices=("", *RUN_FIELDS),
        labels={"": "nothing"},
        title="Rows by",
        views=("matrix", "discrimination"),
    )

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:  # noqa: ARG003  # the same for all data
        return [cls(view="sensitivity")]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"view": [*_VIEWS] if data.run is not None else ["sensitivity"]}

    def run(self, data: StudyData) -> Report:
        match self.view:
            case "discrimination":
                return discrimination_report(self, data, self.by)
            case "sensitivity":
                return sensitivity_report(self, data)
        return _matrix_report(self, data, self.by)


def _matrix_report(study: Study, data: StudyData, by: str) -> Report:
    """Mean shifts of scores against the noise of harmless edits."""
    run = data.stress_run
    cells = shift_matrix(run, data.shifts)
    balances = metric_balances(cells)
    documents = {document_key(source.example.document) for source in run.sources.values()}
    learned = {spec for spec in run.plan.metrics if documents & training_documents(spec)}
    tables = [
        matrix_table(cells),
        noise_table(cells),
        _metrics_table(cells, balances),
        kinds_table(kind_coverage(run), kind_verdicts(cells)),
        *([parts_table(run, data.shifts, by)] if by else []),
        _checks_table(run),
    ]
    if not cells:
        sentences = ["No variant has a score yet."]
    elif not balances:
        sentences = [
            "Robustness and sensitivity need harmless and breaking perturbations, and noise from 5 harmless edits."
        ]
    elif len(balances) == 1:
        sentences = [balance_sentence(balances[0])]
    else:
        leading, behind = rank_metrics(cells)
        ranked = {balance.metric for balance in (*leading, *behind)}
        unranked = [metric_title(spec) for spec in run.plan.metrics if spec not in ranked and not is_surface(spec)]
        sentences = rank_sentences(leading, behind, learned)
        if ranked and unranked:
            sentences.append(
                f"Not compared, as no kind has {FEW_PAIRS} pairs and a known noise: {', '.join(unranked)}."
            )
    return study.report(
        data,
        [table for table in tables if table.rows or table is tables[0] or table.name == "parts"],
        charts=[_balance_chart(balances)] if balances else [],
        sentences=sentences,
        notes=[
            *training_overlaps(documents, learned),
            f"Battery: {run.plan.battery_label}.",
            "A shift is the score after minus the score before, in the metric's own units, with its 95 % interval by "
            "document. It is beyond noise where its mean lies outside of the shifts by harmless edits of about the same size.",
        ],
        problems=run_problems(run),
    )


def matrix_table(cells: Sequence[MatrixCell]) -> Table:
    """A row for each metric and kind."""
    rows = [
        (
            cell.metric,
            cell.kind,
            cell.intent,
            cell.shift.n,
            cell.shift,
            cell.size,
            cell.wrong,
            cell.still,
            cell.edge,
            cell.move.value,
            cell.failed,
        )
        for cell in cells
    ]
    return Table(
        "matrix",
        "Shifts by metric and perturbation",
        (
            Column("metric", format="metric"),
            Column("kind", format="perturbation", help="The perturbation with its settings."),
            Column(
                "intent", "meant", help="The meaning that it should keep or break; gaming adds words without content."
            ),
            Column("n", format="count", help="Pairs with both scores."),
            Column("shift", "mean shift", "signed", "Score after minus score before, in the metric's own units."),
            Column("size", "mean size", "unsigned", "Mean of the shifts without their signs."),
            Column("wrong", "wrong way", "share", "Share of pairs that moved the wrong way."),
            Column("still", "did not move", "share", "Share of pairs whose score stayed exactly the same."),
            Column(
                "edge",
                "times noise",
                "number",
                "Mean shift by the end of the noise band on its side; up to 1 it is noise.",
            ),
            Column(
                "move", "against noise", help="The mean shift against the shifts by harmless edits of the same size."
            ),
            Column("failed", format="count", help="Pairs without a score."),
        ),
        tuple(rows),
    )


def parts_table(run: StressRun, shifts: Sequence[Shift], by: str) -> Table:
    """A row for each value of a field, metric and kind, with intervals of the documents of that part.

    Parts by a field of the perturbation have the noise of all harmless edits of the run.
    """
    parts = shift_parts(shifts, by)
    scored = {
        (part, shift.metric, shift.kind, shift.group)
        for part, of_part in parts.items()
        for shift in of_part
        if shift.size is not None
    }
    documents = Counter(row[:3] for row in scored)
    rows = [
        (
            part,
            cell.metric,
            cell.kind,
            cell.intent,
            cell.shift.n,
            documents[part, cell.metric, cell.kind],
            cell.shift,
            cell.size,
            cell.wrong,
            cell.move.value,
        )
        for part, of_part in parts.items()
        for cell in shift_matrix(run, with_harmless(of_part, shifts, by))
        if documents[part, cell.metric, cell.kind]
    ]
    return Table(
        "parts",
        f"Shifts by {by.replace('_', ' ')}",
        (
            Column("part", by.replace("_", " ")),
            Column("metric", format="metric"),
            Column("kind", format="perturbation"),
            Column("intent", "meant"),
            Column("n", format="count", help="Pairs with both scores."),
            Column("documents", format="count", help="Below ten, intervals are wide and nothing is compared."),
            Column("shift", "mean shift", "signed"),
            Column("size", "mean size", "unsigned"),
            Column("wrong", "wrong way", "share"),
            Column("move", "against noise"),
        ),
        tuple(rows),
        outside_note(shifts, by),
    )


def noise_table(cells: Sequence[MatrixCell]) -> Table:
    """The band of harmless edits beside each cell."""
    return Table(
        "noise",
        "Noise: shifts by harmless edits of about the same size",
        (
            Column("metric", format="metric"),
            Column("kind", format="perturbation"),
            Column("low", format="number", help="From 30 edits on, the middle 95 % begin here; else the lowest shift."),
            Column("high", format="number"),
            Column("size", "mean size", "number", "Mean of the shifts without their signs."),
            Column("n", "harmless edits", "count"),
            Column("any_size", "of any size", help="Yes where too few were of the same size, so that all count."),
            Column("elsewhere", "of other pairs", "count"),
        ),
        tuple(
            (
                cell.metric,
                cell.kind,
                cell.noise.low,
                cell.noise.high,
                cell.noise.size,
                cell.noise.n,
                cell.noise.any_size,
                cell.noise.elsewhere,
            )
            for cell in cells
        ),
    )


def kinds_table(kinds: Sequence[KindCoverage], verdicts: Mapping[str, str] = MappingProxyType({})) -> Table:
    """A row for each kind: of how many summaries it made a variant, and how many metrics reacted as they should."""
    rows = []
    for kind in kinds:
        every = kind.made + sum(kind.refused.values())
        error = PERTURBATIONS.parse(kind.kind).card.error_type
        share = kind.made / every if every else None
        row = (kind.kind, kind.intent, error.value if error else None, kind.made, every, share)
        rows.append((*row, verdicts.get(kind.kind) or None) if verdicts else row)
    columns = (
        Column("kind", format="perturbation"),
        Column("intent", "meant"),
        Column("error_type"),
        Column("made", "applied to", "count", "Summaries of which it made a variant."),
        Column("summaries", "of", "count"),
        Column("share", format="share"),
    )
    return Table(
        "kinds", "Perturbations", (*columns, Column("verdict", "in words")) if verdicts else columns, tuple(rows)
    )


def cells_of(report: Report) -> list[MatrixCell]:
    """The cells of the matrix, read back from the tables of a report."""
    rows: list[dict[str, Any]] = list(report.table("matrix").records())
    bands: list[dict[str, Any]] = list(report.table("noise").records()) if rows else []
    return [
        MatrixCell(
            row["metric"],
            row["kind"],
            row["intent"],
            row["shift"],
            row["size"],
            row["wrong"],
            row["still"],
            row["failed"],
            NullBand(**{name: value for name, value in band.items() if name not in ("metric", "kind")}),
            Move(row["move"]),
        )
        for row, band in zip(rows, bands, strict=True)
    ]


def _metrics_table(cells: Sequence[MatrixCell], balances: Sequence[MetricBalance]) -> Table:
    by_metric = {balance.metric: balance for balance in balances}
    rows = []
    for metric, verdict in metric_verdicts(cells).items():
        balance = by_metric.get(metric)
        figures = (
            (
                balance.robustness,
                balance.sensitivity,
                balance.quiet,
                balance.harmless,
                balance.noticed,
                balance.breaking,
            )
            if balance
            else (None,) * 6
        )
        rows.append((metric, *figures, verdict or None))
    return Table(
        "metrics",
        "Metrics",
        (
            Column("metric", format="metric"),
            Column("robustness", format="share", help="Share of harmless kinds that leave it within its noise."),
            Column(
                "sensitivity", format="share", help="Share of breaking kinds that move it beyond noise, the right way."
            ),
            Column("quiet", "within noise", "count", "Harmless kinds that leave it within its noise."),
            Column("harmless", "of harmless", "count", "Harmless kinds whose noise is known."),
            Column("noticed", format="count", help="Breaking kinds that move it beyond noise towards inconsistent."),
            Column("breaking", "of breaking", "count", "Breaking kinds whose noise is known."),
            Column("verdict", "in words"),
        ),
        tuple(rows),
    )


def _checks_table(run: StressRun) -> Table:
    """Percent of sentences by the label of the NLI check; no row where no sentence has a label."""
    return Table(
        "checks",
        "Sentences by the label of the NLI check",
        (
            Column("dataset"),
            Column("kind", format="perturbation"),
            Column("variants", format="count"),
            Column("sentences", format="count"),
            *(Column(label, format="percent") for label in SENTENCE_LABELS),
        ),
        tuple(
            (
                share.dataset,
                share.kind,
                share.variants,
                share.sentences,
                *(share.shares[label] for label in SENTENCE_LABELS),
            )
            for share in check_shares(run)
        ),
    )


def _balance_chart(balances: Sequence[MetricBalance]) -> Chart:
    """A point for each metric; the best stand top right, one that never moves top left."""
    series = [
        Series(
            metric_title(balance.metric),
            (100 * balance.sensitivity,),
            (balance.robustness,),
            (balance_sentence(balance),),
        )
        for balance in balances
    ]
    return Chart(
        "balance",
        "points",
        "Robustness and sensitivity",
        Axis("sensitivity: breaking kinds noticed, %"),
        Axis("robustness: harmless kinds within noise", format="share"),
        tuple(series),
    )
