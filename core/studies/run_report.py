"""Output of a run as text and as JSON-able records: its tables, and sentences on what failed and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from core.contexts import optional_fields
from core.edits import to_records
from core.language import count_unverified
from core.metric import METRICS
from core.outcome_record import JsonRecord
from core.perturbation import PERTURBATIONS
from core.reports.text import table_text
from core.runs.check_shares import check_shares, format_check_shares
from core.runs.matrix import KindCoverage, MatrixCell, kind_coverage, shift_matrix
from core.runs.run import Check, Run, Source, Variant
from core.runs.shifts import Shift
from core.runs.verdict_sentences import kind_verdicts, metric_verdicts
from core.stats.text_tables import align_columns, format_share, format_signed, format_unsigned
from core.studies.edit_discrimination import discrimination_table, edit_discrimination
from core.studies.gaming import MetricGaming, metric_gaming
from core.types import Verdict

_MATRIX_HEAD = (
    "metric",
    "kind",
    "meant",
    "n",
    "shift [95 %]",
    "|shift|",
    "wrong way",
    "still",
    "× noise",
    "against noise",
    "failed",
)
_GAMING_HEAD = ("metric", "gain in spreads [95 %]", "raised", "best phrase, appended", "gain", "words", "alone", "n")
_MODEL_ANSWER = " The model said: “"


def run_tables(run: Run, shifts: Sequence[Shift]) -> list[str]:
    """The tables of a run as text, in the order in which they are read; those that would be empty are left out."""
    cells, discrimination = shift_matrix(run, shifts), discrimination_table(edit_discrimination(run, shifts))
    tables = [
        format_matrix(cells),
        format_verdicts(cells),
        table_text(discrimination, titled=False) if discrimination.rows else "",
        format_gaming(metric_gaming(run, shifts)),
        format_check_shares(check_shares(run)),
        format_coverage(kind_coverage(run)),
    ]
    return [table for table in tables if table]


def run_sentences(run: Run) -> list[str]:
    """The battery, and what failed, is unverified, could not be applied or was found by the check."""
    return [
        f"Battery: {run.plan.battery_label}.",
        *failure_sentences(run),
        *language_sentences(run),
        *refusal_sentences(kind_coverage(run)),
        *check_sentences(run),
    ]


def format_matrix(cells: Sequence[MatrixCell]) -> str:
    """One line a cell, in columns; a dash where there is no figure."""
    return align_columns([_MATRIX_HEAD, *map(_matrix_row, cells)])


def format_gaming(standings: Sequence[MetricGaming]) -> str:
    """Table of how far phrases game each metric, the most gamed first, and its best phrase; empty without phrases."""
    return align_columns([_GAMING_HEAD, *map(_gaming_row, standings)]) if standings else ""


def refusal_sentences(kinds: Iterable[KindCoverage]) -> list[str]:
    """A sentence for each reason why a kind of perturbation could not be applied; answers of language models are left out."""
    sentences = []
    for kind in kinds:
        reasons: Counter[str] = Counter()
        for refusal, count in kind.refused.items():
            reasons[split_refusal(refusal)[0]] += count
        every = kind.made + reasons.total()
        sentences += [
            f"{kind.kind}: not applied to {count} of {every}. {reason}" for reason, count in reasons.most_common()
        ]
    return sentences


_COVERAGE_HEAD = ("kind", "meant", "error type", "applied to", "share")


def format_coverage(kinds: Sequence[KindCoverage]) -> str:
    """A line for each kind: of how many summaries it made a variant."""
    rows = [_coverage_row(kind) for kind in kinds]
    return align_columns([_COVERAGE_HEAD, *rows])


def _coverage_row(kind: KindCoverage) -> tuple[str, ...]:
    every = kind.made + sum(kind.refused.values())
    error = PERTURBATIONS.parse(kind.kind).card.error_type
    share = f"{kind.made / every:.0%}" if every else "–"
    return kind.kind, kind.intent, error.value if error else "–", f"{kind.made} of {every}", share


def split_refusal(refusal: str) -> tuple[str, str]:
    """Split a refusal into its reason and the raw answer of a language model; empty where none was asked."""
    reason, said, answer = refusal.partition(_MODEL_ANSWER)
    return reason, answer.removesuffix("”") if said else ""


def failure_sentences(run: Run) -> list[str]:
    """A sentence for each reason why a metric has no score of a text."""
    read = Counter(reading.metric for reading in run.readings.values())
    failed = Counter((one.metric, one.error) for one in run.readings.values() if one.value is None)
    return [
        f"{metric}: no score of {count} of {read[metric]} texts. {reason}"
        for (metric, reason), count in failed.most_common()
    ]


def language_sentences(run: Run) -> list[str]:
    """A sentence for each metric that scored texts in a language that it is not for."""
    examples = [source.example for source in run.sources.values()]
    return [
        sentence
        for spec in run.plan.metrics
        for sentence in count_unverified(spec, METRICS.parse(spec).verified_languages, examples)
    ]


def check_sentence(check: Check) -> str:
    """Verdict of the guard on a variant, in a sentence."""
    if check.mark is None:
        return f"Not checked: {check.error}"
    mark = check.mark
    sure = "" if mark.probability is None else f", p = {mark.probability:.2f}"
    says = "Contradicts" if mark.contradicts else "Does not contradict"
    because = f" “{mark.said}”" if mark.said else ""
    return " ".join([f"{says} the original, says {mark.by}{sure}.{because}", *mark.notes])


def check_sentences(run: Run) -> list[str]:
    """Sentences on what the guard found, and why it could not tell; none where there is no guard."""
    if not run.plan.guard:
        return []
    marks = [check.mark for check in run.checks.values() if check.mark]
    found = f"{run.plan.guard}: {sum(mark.contradicts for mark in marks)} of {len(marks)} variants contradict their original."
    untold = Counter(check.error for check in run.checks.values() if check.mark is None)
    return [found, *(f"{run.plan.guard}: {count} not checked. {reason}" for reason, count in untold.most_common())]


def _matrix_row(cell: MatrixCell) -> tuple[str, ...]:
    return (
        cell.metric,
        cell.kind,
        cell.intent,
        str(cell.shift.n),
        format_signed(cell.shift),
        "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        format_share(cell.wrong),
        format_share(cell.still),
        "–" if cell.multiple is None else f"{cell.multiple:.1f}",
        cell.move.value,
        str(cell.failed),
    )


def _gaming_row(gaming_result: MetricGaming) -> tuple[str, ...]:
    best = gaming_result.best
    return (
        gaming_result.metric,
        format_signed(gaming_result.gain),
        format_share(gaming_result.raised),
        best.phrase.spec,
        format_signed(best.appended).partition(" ")[0],
        str(best.words),
        format_unsigned(best.alone).partition(" ")[0],
        str(gaming_result.gain.n),
    )


def variant_record(source: Source, variant: Variant) -> JsonRecord:
    """A line of pairs that other commands read; `edited` and `edits` are None where `status` is "refused".

    `label` is what the perturbation is meant to make: the original counts as consistent.
    """
    card = PERTURBATIONS.parse(variant.kind).card
    made = variant.summary is not None
    return {
        "id": f"{source.example.id}/{variant.kind}",
        "source": source.example.id,
        "kind": variant.kind,
        "intent": card.intent,
        "form": card.form,
        "status": "ok" if made else "refused",
        "error": variant.refusal or None,
        "document": source.example.document,
        **optional_fields(source.example),
        "summary": source.example.summary,
        "edited": variant.summary,
        "edits": to_records(source.example.summary, variant.edits) if made else None,
        "label": (Verdict.INCONSISTENT if card.intent == "breaking" else Verdict.CONSISTENT) if made else None,
        "error_type": card.error_type.value if card.error_type else None,
        "signature": variant.signature or None,
        "remarks": list(variant.remarks),
        "group": source.group,
        "domain": source.domain,
    }


def cell_records(cells: Sequence[MatrixCell]) -> list[JsonRecord]:
    """The cells of the table with their intervals, and what their metric and their kind showed in words; shares in 0..1."""
    metrics, kinds = metric_verdicts(cells), kind_verdicts(cells)
    return [
        {**asdict(cell), "metric_verdict": metrics[cell.metric], "kind_verdict": kinds[cell.kind]} for cell in cells
    ]


def format_verdicts(cells: Sequence[MatrixCell]) -> str:
    """A line for each metric and each kind: what it showed, in words; nothing where no noise is known."""
    verdicts = {**metric_verdicts(cells), **kind_verdicts(cells)}
    return "\n".join(f"{name}: {verdict}" for name, verdict in verdicts.items() if verdict)
