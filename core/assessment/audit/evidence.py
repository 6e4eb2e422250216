"""Evidence of an audit, measured once for all its questions: scores of the labelled summaries, a stress run, and asking again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote

import numpy as np

from core.assessment.audit.data import AuditData, audit_command
from core.assessment.audit.judge_measurement import JudgeEvidence
from core.assessment.audit.repetition import RepeatedRun
from core.edits import SanityPair
from core.evaluation import (
    SURFACE_FEATURES,
    DensityScores,
    EditDiscrimination,
    MetricGaming,
    OwnThreshold,
    edit_discrimination,
    metric_gaming,
)
from core.results import (
    OVERALL_SLICE,
    Cases,
    MatrixCell,
    MeasuresRow,
    MetricColumn,
    PlacedPair,
    Shift,
    Slice,
    StressRun,
    draw_resamples,
    metric_rows,
    score_shifts,
    shift_matrix,
)
from core.scoring import METRICS, Card
from core.stats import LabelledScores, Resamples, Threshold, Values, best_threshold
from core.types import Failure, FailureKind, Outcome, Result

MOST_MISSING = 0.05
"""Share of summaries without a score above which no verdict is good: they can hide about as much of an area."""

LAYOUT_SOURCES = 40
"""Summaries at most, each of another document, that are written in other layouts: as many as an experiment on judges takes."""

GIVEN_CARD = Card("Given scores", "Given", "Scores that came with the data.", "none", "", None, None)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that questions are answered from; figures that several of them need are computed once."""

    data: AuditData
    """Texts, labels and edits to measure on."""
    cases: Cases
    """Labelled summaries with the scores of this audit; empty until there are all of these."""
    run: StressRun
    """Stress run on the originals."""
    gaming_run: StressRun
    """Stress run on summaries labelled inconsistent, with phrases that game metrics and repetitions of the same length."""
    layout_run: StressRun
    """Stress run of the battery `layout-1` on some of the originals, for metrics with a better side."""
    outcomes: list[Outcome] = field(default_factory=list)
    """Score or failure of each labelled summary by each metric and surface feature."""
    repetitions: dict[str, RepeatedRun] = field(default_factory=dict)
    """Some texts scored again, by metric."""
    rewordings: dict[str, list[RepeatedRun]] = field(default_factory=dict)
    """The same texts scored under each other wording of the instructions, by metric; no wordings for most metrics."""
    placed: list[PlacedPair] = field(default_factory=list)
    """Scores of faithful and broken summaries beside long documents, by place of the evidence."""
    sanity_pairs: Sequence[SanityPair] = ()
    """Texts of the sanity battery, made of the originals."""
    sanity: dict[str, dict[str, float]] = field(default_factory=dict)
    """Scores of these texts by metric and id, nan where scoring failed; none of neutral metrics."""
    sweeps: dict[str, StressRun] = field(default_factory=dict)
    """Stress run with several window sizes, by metric; only for metrics that retrieve passages."""
    densities: dict[str, list[DensityScores]] = field(default_factory=dict)
    """Sentence scores of the original summaries, by metric; only for metrics that score sentences."""
    seed: int = 0
    """Seed of the audit."""
    resamples: int = 0
    """Bootstrap resamples of the cases."""
    saved_thresholds: Mapping[str, OwnThreshold] = field(default_factory=dict)
    """Threshold to judge instead of one fitted on these data, by metric."""
    released: tuple[str, ...] = ()
    """Metrics whose scores came with the data, so that no other text can be scored."""
    judges: Mapping[str, JudgeEvidence] = field(default_factory=dict)
    """Experiments on the metrics that are judges, by metric."""

    @cached_property
    def drawn(self) -> Resamples:
        """The resamples of the study of measures."""
        return draw_resamples(self.cases, self.resamples)

    @cached_property
    def shifts(self) -> list[Shift]:
        return score_shifts(self.run)

    @cached_property
    def layout_shifts(self) -> list[Shift]:
        return score_shifts(self.layout_run)

    @cached_property
    def gaming_shifts(self) -> list[Shift]:
        return score_shifts(self.gaming_run)

    @cached_property
    def cells(self) -> list[MatrixCell]:
        return shift_matrix(self.run, self.shifts)

    @cached_property
    def discriminations(self) -> dict[str, EditDiscrimination]:
        """By metric; none of a metric that has no breaking edit."""
        return {result.metric: result for result in edit_discrimination(self.run, self.shifts)}

    @cached_property
    def phrase_gains(self) -> dict[str, MetricGaming]:
        """By metric; none of a metric that has no better side, or no phrase."""
        return {result.metric: result for result in metric_gaming(self.run, self.shifts)}

    def signature(self, metric: str) -> str:
        """Signature of the metric's scores; empty where all of them failed, or where they were given."""
        return next(
            (
                outcome.signature
                for outcome in self.outcomes
                if isinstance(outcome, Result) and outcome.metric == metric
            ),
            "",
        )

    def card(self, metric: str) -> Card:
        """Card of a metric, and for scores that were given one without bounds."""
        return GIVEN_CARD if metric in self.released else METRICS.parse(metric).card

    def scores(self, metric: str) -> Values:
        """Scores of the samples, (samples,), nan where there is none."""
        column = self.column(metric)
        return column.values if column else np.full(len(self.cases.samples), np.nan)

    def missing(self, metric: str) -> Values:
        """1 where a sample has no score and 0 where it has one, (samples,); nan where scores were given, and it has no label."""
        missing = np.isnan(self.scores(metric)).astype(np.float64)
        return np.where(np.isnan(self.cases.labels), np.nan, missing) if metric in self.released else missing

    def failures(self, metric: str) -> dict[str, str]:
        """Reasons why texts have no score, by the id of the text."""
        failed = (outcome for outcome in self.outcomes if isinstance(outcome, Failure) and outcome.metric == metric)
        return {failure.example_id: failure.error for failure in failed}

    @property
    def unexpected(self) -> list[str]:
        """Reasons of scores that failed by something else than their text, as a full disk: another audit may have them."""
        failures = (outcome for outcome in self.outcomes if isinstance(outcome, Failure))
        return [failure.error for failure in failures if failure.kind is not FailureKind.INPUT]

    def failure_reasons(self, metric: str) -> Counter[str]:
        return Counter(self.failures(metric).values())

    def misses_too_many(self, metric: str) -> bool:
        """True if more summaries of the data, or more variants of the stress run, have no score than a good verdict allows."""
        readings = [reading.value is None for (_, _, of), reading in self.run.readings.items() if of == metric]
        missing = self.missing(metric)
        shares = [missing[~np.isnan(missing)], np.array(readings, dtype=np.float64)]
        return any(len(of) and of.mean() > MOST_MISSING for of in shares)

    def column(self, metric: str) -> MetricColumn | None:
        """The metric among the columns of the cases, with the scores of this audit; None where all failed."""
        if metric in self.released:
            return next((column for column in self.cases.all_columns if column.name == metric), None)
        signature = self.signature(metric)
        return next((column for column in self.cases.all_columns if signature and column.signature == signature), None)

    def cases_with(self, column: MetricColumn) -> Cases:
        """The cases with the scores of this metric alone."""
        return replace(self.cases, columns=(column,), separate=())

    def rows(self, metric: str, parts: Sequence[Slice], names: tuple[str, ...]) -> list[MeasuresRow]:
        """The rows of the study of measures for this metric; none without scores."""
        column = self.column(metric)
        return list(metric_rows(self.cases_with(column), parts, self.drawn, names)) if column else []

    def labelled(self, metric: str) -> LabelledScores | None:
        """Every labelled summary once."""
        column, is_labelled = self.column(metric), ~np.isnan(self.cases.labels)
        if column is None:
            return None
        labels = self.cases.labels[is_labelled] == 1
        return LabelledScores(column.values[is_labelled], labels, self.cases.documents[is_labelled], column.direction)

    def threshold(self, metric: str) -> Threshold | None:
        """The saved one, or the one that separates all labelled summaries best; None without either."""
        saved = self.saved_thresholds.get(metric)
        if saved:
            return Threshold(saved.value, saved.accuracy.n, frozenset())
        labelled = self.labelled(metric)
        if labelled is None or labelled.direction == "neutral":
            return None
        return best_threshold(labelled, np.ones(len(labelled.labels), dtype=np.bool_))

    def cases_command(self, command: str, metric: str, *, with_metric: bool = True) -> str:
        """A command on the dataset, for one metric where it can be chosen; what has to come before it stands before it."""
        column = self.column(metric)
        named = f" --metric {quote(column.name if column else metric)}" if with_metric else ""
        return self._prepared(f"{command} {self.data.options}{named}", metric)

    def stress_command(self, metric: str) -> str:
        """The stress run, for one metric; `stress` takes one dataset, so that only the audit itself shows that of several."""
        if not self.data.stress_options:
            return self.audit_command(metric)
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"python cli.py stress {self.data.stress_options}{seed} --metric {quote(metric)} -o run.jsonl"

    def audit_command(self, metric: str) -> str:
        """The audit itself, which alone shows what no other command has."""
        return audit_command(self.data, [metric], self.seed)

    def _prepared(self, command: str, metric: str) -> str:
        if not self.data.preparation:
            return command
        dataset = self.data.options.removeprefix("--dataset ")
        features = "".join(f" --metric {quote(spec)}" for spec in dict.fromkeys([metric, *SURFACE_FEATURES]))
        return "\n".join([self.data.preparation, f"python cli.py score-dataset {dataset}{features}", command])


def overall_row(rows: Sequence[MeasuresRow]) -> MeasuresRow | None:
    return next((row for row in rows if row.slice == OVERALL_SLICE), None)
