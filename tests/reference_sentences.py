"""The sentences on which pages, reports and commands open, each made by the function that makes it, with the condition it is said under."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.edits.perturbation import Intent
from core.evaluation.studies.measures import best_sentence, slice_answers, slice_sentences
from core.results.cases.measures import MeasuresRow
from core.results.runs.matrix import MatrixCell, rank_metrics
from core.results.runs.null_bands import NullBand
from core.results.runs.verdict_sentences import edit_verdict, kind_verdicts, metric_verdicts, rank_sentences
from core.stats.best_metric import MetricStatistic
from core.stats.score_pairs import FEW_PAIRS, Move
from core.stats.statistic import Estimate
from core.types import UNSTATED, ErrorType, Intention, Verdict
from tests.reference_audit_sentences import audit_rows, rate_rows

Row = tuple[str, str, str]
"""The place, the condition, and the sentence."""


def headline_rows() -> list[Row]:
    """A row for each sentence and each condition under which it takes another form."""
    return [*_probe_rows(), *_rank_rows(), *_kind_rows(), *_measure_rows(), *audit_rows(), *rate_rows()]


def _probe_rows() -> Iterator[Row]:
    broken, harmless = Intention(Verdict.INCONSISTENT, ErrorType.INTRINSIC_PREDICATE), Intention(Verdict.CONSISTENT)
    moves = [Move.RIGHT, Move.STILL, Move.WRONG]
    place = "Probe, its pins and links"
    yield (
        place,
        "the edit is meant to break a fact, and every score and noise band is there",
        edit_verdict(moves, broken),
    )
    yield place, "some scores or noise bands are still being computed", edit_verdict(moves, broken, to_come=2)
    yield place, "the edit is meant to be harmless", edit_verdict([Move.WRONG, Move.STILL], harmless)
    yield place, "the same while some are to come", edit_verdict([Move.WRONG, Move.STILL], harmless, to_come=2)
    yield place, "nobody said what the edit is meant to be", edit_verdict(moves, UNSTATED)
    yield place, "the noise of some metrics is not known", edit_verdict([*moves, Move.UNKNOWN], broken)
    yield place, "the noise of none is known", edit_verdict([Move.UNKNOWN] * 2, broken)


def _cells(metric: str, right: str, pairs: int = 40) -> list[MatrixCell]:
    """Cells under three harmless and six breaking kinds, on so many pairs; `right` has a 1 where the metric does as it should."""
    kinds: Sequence[tuple[str, Intent]] = (
        *(("shuffled", "preserving"), ("synonyms", "preserving"), ("negated", "preserving")),
        *(("negation", "breaking"), ("number", "breaking"), ("date", "breaking")),
        *(("entity-swapped", "breaking"), ("entity-foreign", "breaking"), ("antonym", "breaking")),
    )
    shift, none, band = Estimate(-0.2, -0.3, -0.1, pairs), Estimate(0.0, 0.0, 0.0, pairs), NullBand(-0.1, 0.1, 0.05, 30)
    moves: dict[tuple[Intent, str], Move] = {
        ("preserving", "1"): Move.STILL,
        ("preserving", "0"): Move.WRONG,
        ("breaking", "1"): Move.RIGHT,
        ("breaking", "0"): Move.STILL,
    }
    return [
        MatrixCell(metric, kind, intent, shift, shift, none, none, 0, band, moves[intent, mark])
        for (kind, intent), mark in zip(kinds, right, strict=True)
    ]


def _rank_rows() -> Iterator[Row]:
    first, behind = _cells("semantic-similarity", "1" * 9), _cells("rouge2", "111000000")
    level = _cells("bleu", "111111000")

    def said(*cells: MatrixCell, learned: Sequence[str] = ()) -> str:
        return " ".join(rank_sentences(*rank_metrics(cells), learned))

    place = "Stress test, `stress`, `study shifts`"
    yield (
        place,
        f"all other metrics are significantly behind (p below .05, sign test over the kinds that all have on {FEW_PAIRS} pairs or more "
        "with a known noise, Holm)",
        said(*first, *behind),
    )
    yield place, "at least one is not significantly behind", said(*first, *level, *behind)
    yield place, "a metric learned from these documents", said(*first, *behind, learned=("semantic-similarity",))
    yield (
        place,
        "only one metric can be ranked, as beside statistics of the surface",
        said(*first, *_cells("coverage", "1" * 9)),
    )
    few = [*_cells("semantic-similarity", "1" * 9, FEW_PAIRS - 1), *_cells("rouge2", "0" * 9, FEW_PAIRS - 1)]
    yield place, "the metrics share no such kinds", said(*few)


def _kind_rows() -> Iterator[Row]:
    cells, few = (
        [*_cells("semantic-similarity", "1" * 9), *_cells("rouge2", "111000000")],
        _cells("rouge2", "111000000", 4),
    )
    place = "Stress test, a row of Perturbations"
    yield (
        place,
        "a breaking kind, over all metrics that are no statistics of the surface",
        kind_verdicts(cells)["number"],
    )
    yield place, "a harmless kind", kind_verdicts(cells)["shuffled"]
    yield place, f"no metric has {FEW_PAIRS} pairs", kind_verdicts(few)["number"]
    place = "Stress test, a row of Metrics"
    yield place, "over the kinds whose noise is known", metric_verdicts(cells)["rouge2"]
    yield place, f"some of these have fewer than {FEW_PAIRS} pairs", metric_verdicts(few)["rouge2"]


def _measure_rows() -> Iterator[Row]:
    def row(
        metric: str, value: float, part: str = "Overall", *, best: bool = False, level: bool = False
    ) -> MeasuresRow:
        estimate = Estimate(value, value - 0.06, value + 0.06, 200, documents=80)
        return MeasuresRow(metric, part, 200, 0, {"auc": MetricStatistic(estimate, best, level or best)})

    first, other = row("semantic-similarity", 0.71, best=True), row("rouge2", 0.55)
    place = "Evaluate, `study measures`"
    yield (
        place,
        "all other metrics are significantly worse (t of the paired bootstrap by document, Holm)",
        best_sentence([first, other], "auc"),
    )
    yield place, "some are not significantly worse", best_sentence([first, row("rouge2", 0.68, level=True)], "auc")
    untested = MeasuresRow(
        "rouge2", "Overall", 200, 0, {"auc": MetricStatistic(Estimate(0.55, None, None, 200), tests={"paired": None})}
    )
    yield place, "some are not tested, as with fewer than ten documents", best_sentence([first, untested], "auc")
    yield place, "only one metric is compared", best_sentence([first], "auc")
    slices = [row("rouge2", 0.74, "dialogue", best=True), row("rouge2", 0.51, "news", best=True)]
    place = "Evaluate, Overview, by a field"
    seen, unseen = slice_sentences(list(slice_answers(slices, "auc")))
    yield place, "the slice with the highest figure, of those in which a metric is above chance", seen
    yield place, "slices in which no metric has its whole interval above chance", unseen
