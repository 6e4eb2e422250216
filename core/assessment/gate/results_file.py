"""The scores of one side: a file that `score` wrote, or outcomes of this process, as columns beside the labels of the items."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.assessment.gate.regression import GradedColumn
from core.base import signature_differences
from core.errors import TouchstoneError
from core.evaluation import OwnThreshold, is_threshold, read_threshold
from core.results import Cases, MetricColumn, MetricScores, pool_cases
from core.scoring import METRICS, Metric
from core.types import Example, Failure, Item, Outcome, Sample


def read_results(path: Path) -> dict[str, MetricScores]:
    """Every metric of a file of results.

    Raises TouchstoneError, with the line, where it is none, and for scores of one metric by several signatures.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TouchstoneError(f"{path} cannot be read: {error}. Give a file that `score -o` wrote.") from error
    by_metric: dict[str, dict[str, _SignedScore]] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            _add_line(by_metric, path, number, line)
    if not by_metric:
        raise TouchstoneError(f"{path} holds no score. Give a file that `score -o` wrote.")
    sides = {}
    for metric, scores in by_metric.items():
        counts = Counter(signature for _, signature in scores.values())
        if len(counts) > 1:
            listed = "; ".join(f"{count} by {signature or 'none'}" for signature, count in counts.most_common())
            (first, _), (second, _), *_ = counts.most_common()
            differing = "; ".join(signature_differences(first, second)) if first and second else ""
            raise TouchstoneError(
                f"{path} has scores of {metric} with {len(counts)} signatures: {listed}."
                f"{f' The first two differ in {differing}.' if differing else ''} A change of settings, weights or code cannot be told "
                "from a better or worse score: keep the lines of one signature, or score every item again."
            )
        sides[metric] = MetricScores(metric, next(iter(counts), ""), {id: score for id, (score, _) in scores.items()})
    return sides


_SignedScore = tuple[float, str]
"""A score and its signature, which is empty where the file gives none."""


def _add_line(by_metric: dict[str, dict[str, _SignedScore]], path: Path, number: int, line: str) -> None:
    try:
        record = json.loads(line)
        metric, id, score = str(record["metric"]), str(record["id"]), record["score"]
        signature = str(record.get("signature") or "")
        value = None if score is None else float(score)
    except (ValueError, KeyError, TypeError) as error:
        raise TouchstoneError(
            f"{path}, line {number} is no score ({error!r}). Give a file that `score -o` wrote: id, metric and score on each line."
        ) from None
    scores = by_metric.setdefault(metric, {})
    if value is None:
        return
    if not math.isfinite(value):
        raise TouchstoneError(
            f"{path}, line {number}: {value} is no score to compare. Leave the line out, or score {id} again."
        )
    before, by = scores.setdefault(id, (value, signature))
    if (before, by) != (value, signature):
        raise TouchstoneError(
            f"{path}, line {number}: {id} has a second score of {metric}, {value:g} ({signature or 'no signature'}) beside "
            f"{before:g} ({by or 'no signature'}). Keep the lines of one run."
        )


@dataclass(frozen=True, slots=True)
class GivenSide:
    """Side as it was given: a file of results, or a metric to score, perhaps with the `threshold` of its decisions."""

    results: Path | None = None
    metric: Metric | None = None
    threshold: OwnThreshold | None = None

    @classmethod
    def parse(cls, text: str, thresholds: Mapping[str, OwnThreshold]) -> GivenSide:
        """From a path, the name of one of `thresholds`, or a spec. Raises UnknownNameError for what is none of them."""
        file = Path(text)
        if not file.is_file() and text not in thresholds:
            return cls(metric=METRICS.parse(text))
        if file.is_file() and not is_threshold(file):
            return cls(results=file)
        threshold = read_threshold(file) if file.is_file() else thresholds[text]
        return cls(metric=METRICS.parse(threshold.metric), threshold=threshold)

    def scores(self, scored: Mapping[str, MetricScores]) -> dict[str, MetricScores]:
        """The scores of its file, or those of its metric among `scored`, by spec.

        Raises TouchstoneError for scores that are not those that the threshold is for.
        """
        if self.metric is None:
            return read_results(self.results) if self.results else {}
        side = scored[self.metric.spec]
        if self.threshold:
            self.threshold.require_signature(side.signature)
        return {self.metric.spec: side}


def side_of_outcomes(metric: str, outcomes: Iterable[Outcome]) -> MetricScores:
    """Scores of one metric from outcomes of this process."""
    results = [outcome for outcome in outcomes if not isinstance(outcome, Failure) and outcome.metric == metric]
    signature = results[0].signature if results else ""
    return MetricScores(metric, signature, {result.example_id: result.score for result in results})


def matched_sides(
    before: Mapping[str, MetricScores], after: Mapping[str, MetricScores]
) -> dict[str, tuple[MetricScores, MetricScores]]:
    """The metrics that both have, or the only one of each. Raises TouchstoneError where neither is so."""
    common = {metric: (before[metric], after[metric]) for metric in before if metric in after}
    if common:
        return common
    if len(before) == len(after) == 1:
        [first], [second] = before.values(), after.values()
        return {f"{first.metric} → {second.metric}": (first, second)}
    raise TouchstoneError(
        f"The two sides share no metric: {', '.join(before)} and {', '.join(after)}. Give one metric on each side, or the same ones."
    )


def require_agreeing_labels(cases: Cases) -> None:
    """Raises TouchstoneError where a dataset says of the same summary of the same document that it is consistent and that it is not."""
    labels: dict[tuple[str, str, str], dict[float, str]] = {}
    for sample, label in zip(cases.samples, cases.labels, strict=True):
        if not np.isnan(label):
            place = (sample.dataset, sample.document, sample.item.example.summary)
            labels.setdefault(place, {}).setdefault(float(label), sample.item.example.id)
    contradictions = [ids for ids in labels.values() if len(ids) > 1]
    if contradictions:
        first = contradictions[0]
        raise TouchstoneError(
            f"{len(contradictions)} summaries are labelled consistent and inconsistent at once, the first as {first[1.0]} and as "
            f"{first[0.0]}. Correct the labels or leave these out: a gate cannot be right on both."
        )


def unlabelled_cases(sides: Iterable[MetricScores]) -> Cases:
    """Every item that one of the sides has scored, each a document of its own."""
    ids = dict.fromkeys(id for side in sides for id in side.scores)
    return pool_cases([[Sample("results", Item(Example(id, "", "")), stored=id) for id in ids]])


def column_of(cases: Cases, side: MetricScores) -> MetricColumn:
    """The scores beside the samples, which are found by their own ids or those of the store."""
    values = [
        side.scores.get(sample.item.example.id, side.scores.get(sample.stored, float("nan")))
        for sample in cases.samples
    ]
    direction = METRICS.parse(side.metric).card.direction
    return MetricColumn(side.metric, np.array(values, dtype=np.float64), direction, side.signature)


def graded_columns(
    cases: Cases,
    matched: Mapping[str, tuple[MetricScores, MetricScores]],
    thresholds: Sequence[float | None] = (None, None),
) -> dict[str, tuple[GradedColumn, GradedColumn]]:
    """The columns of both sides of every metric, each with the threshold of its side."""
    first, second = thresholds
    return {
        metric: (GradedColumn(column_of(cases, before), first), GradedColumn(column_of(cases, after), second))
        for metric, (before, after) in matched.items()
    }


def shared_signatures(sides: Sequence[tuple[MetricScores, MetricScores]]) -> list[str]:
    """A sentence for each metric whose two sides rest on the same signature: then the texts must differ, or nothing does."""
    return [
        f"{first.metric}: both sides have the signature {first.signature}."
        for first, second in sides
        if first.signature and first.signature == second.signature and first.scores == second.scores
    ]
