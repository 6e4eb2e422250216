"""Scoring a file of pairs: what `score PAIRS -o SCORES` does."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from core.data import Refusal
from core.evaluation import OwnThreshold
from core.model_reference import asks_endpoint
from core.models import Spend
from core.scoring import JsonRecord, Metric, json_line, outcome_record
from core.settings import Settings
from core.text import find_mark
from core.types import Counts, Failure, Outcome, Result
from pages.commands.shared.inputs import (
    items_or_refusals,
    open_output,
    read_examples,
    refuse_overwriting_input,
    start_reading,
)
from pages.commands.shared.messages import download_models, open_engine, print_estimate, with_progress


@dataclass(slots=True)
class ScoringReport:
    """Report on a file: lines that could not be read, scores that failed, marks on languages by metric, and usage."""

    started: float = field(default_factory=time.perf_counter)
    refusals: list[Refusal] = field(default_factory=list)
    failed: int = 0
    unverified: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: Counts = field(default_factory=Counts)
    spent: Mapping[str, Spend] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        self.failed += isinstance(outcome, Failure)
        if isinstance(outcome, Result) and (mark := find_mark(outcome.seen.notes)):
            self.unverified[outcome.metric, mark] += 1

    def usage_record(self) -> JsonRecord:
        """Record of what was asked and how long it took, as `--stats` prints it."""
        usage = {"endpoints": {name: asdict(spend) for name, spend in self.spent.items()}} if self.spent else {}
        return {**asdict(self.counts), "seconds": round(time.perf_counter() - self.started, 3), **usage}


def score_file(
    pairs: Path,
    output: Path,
    metrics: Sequence[Metric],
    thresholds: Sequence[OwnThreshold],
    settings: Settings,
    batch: bool,
) -> ScoringReport:
    """Write a line for each pair and metric as it comes, with the decisions of thresholds."""
    refuse_overwriting_input(pairs, output)
    report = ScoringReport()
    examples = start_reading(read_examples(pairs, report.refusals))
    with open_engine(settings, batch) as engine:
        download_models(engine.pool, metrics)
        if any(asks_endpoint(metric.checkpoints()) for metric in metrics):
            readable = (item.example for item in items_or_refusals(pairs) if not isinstance(item, Refusal))
            print_estimate(engine, engine.conversations(metrics, readable))
        with open_output(output) as file:
            for example, outcome in with_progress(engine.run(metrics, examples), "scores"):
                record = outcome_record(example, outcome)
                for threshold in thresholds:
                    record = threshold.decide(record)
                file.write(json_line(record))
                report.add(outcome)
    report.counts, report.spent = engine.counts(), engine.spent()
    return report
