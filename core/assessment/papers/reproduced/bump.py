"""BUMP (Ma et al. 2023): pairs by error type, and consistency and ROC AUC of twelve metrics, from the released scores and from ours."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from core.assessment.papers.paper import (
    PAPERS,
    Computation,
    DataFile,
    Figures,
    MissingDataError,
    Paper,
    ReleasedData,
    by_row,
    missing_for,
)
from core.assessment.papers.published import CellPlace
from core.errors import TouchstoneError
from core.results import MEASURES, Cases, compare_best_two, draw_resamples, metric_rows, select_metrics, slice_cases
from core.scoring import METRICS, Metric
from core.types import ErrorType

_LEVELS = (0.05, 0.01)  # of p, below which the paper sets an asterisk each
_REPOSITORY = "https://github.com/dataminr-ai/BUMP"
TASK_1 = DataFile("bump", "bump/task1_dataset.json", f"copy data/task1_dataset.json of {_REPOSITORY}")
TASK_2 = DataFile("bump", "bump/task2_dataset.json", f"copy data/task2_dataset.json of {_REPOSITORY}")
PROBABILITIES = DataFile(
    "",
    "bump/log_probabilities.jsonl",
    'write a line {"id": "task1-17", "edited": -1.2, "generated": -0.4} for each pair, by its task and id: the log probabilities per token that a '
    "summarizer (in the paper BART, trained on CNN/DailyMail) gives the unfaithful summary, and the summary of the same article that its own beam search generates",
)

OURS: Mapping[str, str] = {
    "BARTScore": "bartscore",
    "BERTScore": "bertscore",
    "BLEU": "bleu",
    "BLEURT": "bleurt-20",
    "CoCo": "coco",
    "DAE": "dae-spacy",
    "FactCC": "factcc",
    "Q2": "q2",
    "QAFactEval": "qafacteval",
    "QuestEval": "questeval",
    "ROUGE-2": "rouge2",
    "SummaC": "summac-conv",
}
"""Our metric for each name of the paper."""


@PAPERS.add
class BumpPaper(Paper):
    """Released scores give every cell; metrics that need no weights, or whose weights are here, are scored again."""

    name: ClassVar[str] = "bump"
    data: ClassVar[tuple[DataFile, ...]] = (TASK_1, TASK_2, PROBABILITIES)
    by: ClassVar[str | None] = "error_type"

    def metrics(self) -> Sequence[Metric]:
        return [METRICS.parse(f"{ours}@bump") for ours in OURS.values()]

    def computations(self) -> Mapping[str, Computation]:
        return {
            "2, task 1": partial(_pairs_by_type, TASK_1),
            "2, task 2": partial(_pairs_by_type, TASK_2),
            "4a": partial(_released_figures, TASK_1, "consistency"),
            "4b": partial(_released_figures, TASK_2, "consistency"),
            "5a": partial(_released_figures, TASK_1, "auc"),
            "5b": partial(_released_figures, TASK_2, "auc"),
            "4a, significance": partial(_asterisks, TASK_1, "consistency"),
            "4b, significance": partial(_asterisks, TASK_2, "consistency"),
            "5a, significance": partial(_asterisks, TASK_1, "auc"),
            "5b, significance": partial(_asterisks, TASK_2, "auc"),
            "4a, scored here": partial(_own_figures, "consistency"),
            "5a, scored here": partial(_own_figures, "auc"),
            "figure 2": partial(
                by_row,
                {"Task 1": partial(_edited_less_generated, TASK_1), "Task 2": partial(_edited_less_generated, TASK_2)},
            ),
        }


def _pairs_by_type(file: DataFile, data: ReleasedData) -> Figures:
    kinds = Counter(str(item.error_type) for item in data.items(file) if item.parent)
    zero = {(str(kind), "pairs"): 0.0 for kind in ErrorType}
    return {**zero, **{(kind, "pairs"): number for kind, number in kinds.items()}, ("Total", "pairs"): kinds.total()}


def _released_figures(file: DataFile, measure: str, data: ReleasedData) -> Figures:
    return dict(_percentages(data.cases(file), measure))


def _asterisks(file: DataFile, measure: str, data: ReleasedData) -> Figures:
    """Of the best metric of each slice against the second best, with the released scores; 0 where they are not told apart."""
    cases = data.cases(file)
    parts = slice_cases(cases, "error_type")
    rows = list(metric_rows(cases, parts, draw_resamples(cases, 1), (measure,)))
    return {
        (comparison.slice, "asterisks"): sum(comparison.p < level for level in _LEVELS)
        for comparison in compare_best_two(cases, parts, rows)
        if comparison.p is not None
    }


def _own_figures(measure: str, data: ReleasedData) -> Figures:
    """The overall figures of the metrics that can be scored on this machine; of the others, what they wait for."""
    metrics = {name: METRICS.parse(f"{ours}@bump") for name, ours in OURS.items()}
    waiting = {name: missing for name, metric in metrics.items() if (missing := missing_for(metric))}
    ready = {metric.spec: name for name, metric in metrics.items() if name not in waiting}
    cases = data.scored(TASK_1, tuple(metric for name, metric in metrics.items() if name not in waiting))
    of_ours = select_metrics(cases, list(ready))
    figures = {(row, ready[spec]): value for (row, spec), value in _percentages(of_ours, measure)}
    return {**figures, **{("Overall", name): missing for name, missing in waiting.items()}}


def _edited_less_generated(file: DataFile, data: ReleasedData) -> Mapping[str, float]:
    """Figure 2 in numbers: log probabilities of the pairs of a task less those of generated summaries."""
    parent_ids = {item.parent for item in data.items(file) if item.parent}
    by_id: dict[str, float] = {}
    for number, line in enumerate(data.path(PROBABILITIES).read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            by_id[str(record["id"])] = float(record["edited"]) - float(record["generated"])
        except (ValueError, KeyError, TypeError):
            raise TouchstoneError(
                f'Line {number} of {PROBABILITIES.place} must be {{"id": …, "edited": number, "generated": number}}; got {line[:60]!r}.'
            ) from None
    differences = np.array([difference for id, difference in by_id.items() if id in parent_ids])
    if not len(differences):
        raise MissingDataError(
            f"Waits for data: no line of {PROBABILITIES.place} has the id of a pair of {file.place}."
        )
    return {
        "pairs": len(differences),
        "mean difference": float(differences.mean()),
        "% below 0": 100 * float((differences < 0).mean()),
    }


def _percentages(cases: Cases, measure: str) -> Iterator[tuple[CellPlace, float]]:
    resamples = draw_resamples(cases, 1)  # the figures alone, without intervals and tests
    for part in slice_cases(cases, "error_type"):
        for column in cases.columns:
            value = resamples.of(MEASURES[measure](cases, part, column)).value
            if value is not None:
                yield (part.name, column.name), 100 * value
