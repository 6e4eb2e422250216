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
from core.assessment.papers.published import CellPlace, Waiting
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
            "A1": partial(by_row, {"QAGS-C": _of_qags, "FRANK": _of_true, "SummEval": _of_true}),
            "figure 3": partial(by_row, {"QAGS-C": _qags_ranks, **_RANKED}),
            "6": _consistent_metrics,
            "types, task 1": partial(by_row, {"Task 1": _changed_types}),
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


_SHARED = ("Q2", "SummaC", "BARTScore", "FactCC", "BLEURT", "BERTScore", "QuestEval")
"""Metrics of the paper that TRUE (Honovich et al. 2022) has too, in the order of table A1."""
QAGS = DataFile("qags", "qags/mturk_cnndm.jsonl", "copy data/mturk_cnndm.jsonl of https://github.com/W4ngatang/qags")


def _of_qags(data: ReleasedData) -> Mapping[str, float | Waiting]:
    """AUC of the shared metrics that can be scored on this machine; of the others, what they wait for."""
    metrics = {name: METRICS.parse(f"{OURS[name]}@bump") for name in _SHARED}
    figures: dict[str, float | Waiting] = {
        name: missing for name, metric in metrics.items() if (missing := missing_for(metric))
    }
    ready = {metric.spec: name for name, metric in metrics.items() if name not in figures}
    if ready:
        cases = data.scored(QAGS, [metrics[name] for name in ready.values()])
        of_ours = select_metrics(cases, list(ready))
        figures |= {ready[spec]: value for (row, spec), value in _percentages(of_ours, "auc") if row == "Overall"}
    return figures


def _of_true(data: ReleasedData) -> Mapping[str, float | Waiting]:  # noqa: ARG001  # nothing here reads them
    return {"": Waiting("Waits for data: TRUE's selection of these summaries, which no importer reads.")}


def _qags_ranks(data: ReleasedData) -> Mapping[str, float | Waiting]:
    figures = _of_qags(data)
    missing = [value for value in figures.values() if isinstance(value, Waiting)]
    return {"": missing[0]} if missing else _ranks({name: float(value) for name, value in figures.items()})  # type: ignore[arg-type]  # all are numbers


def _task_ranks(file: DataFile, errors: str, data: ReleasedData) -> Mapping[str, float]:
    """Ranks of the released scores on the errors of a family."""
    values = {column: value for (row, column), value in _percentages(data.cases(file), "auc") if row == errors}
    if missing := [name for name in _SHARED if name not in values]:
        raise MissingDataError(f"Waits for data: {file.place} has no released scores of {', '.join(missing)}.")
    return _ranks({name: values[name] for name in _SHARED})


def _ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Ranks from 1, the highest value first; equal values share the better rank."""
    return {name: 1.0 + sum(other > value for other in values.values()) for name, value in values.items()}


_RANKED = {
    "Task 1, intrinsic": partial(_task_ranks, TASK_1, "Intrinsic Error"),
    "Task 1, extrinsic": partial(_task_ranks, TASK_1, "Extrinsic Error"),
    "Task 2, intrinsic": partial(_task_ranks, TASK_2, "Intrinsic Error"),
    "Task 2, extrinsic": partial(_task_ranks, TASK_2, "Extrinsic Error"),
}

_TABLE_6 = {
    "elevator shaft": ("communal staircase", "private elevator"),
    "record player": ("Tim Horton", "black and white TV"),
    "signed a new deal": ("has discouraged", "considering signing"),
}
"""Words of table 6 that only the edits of task 1 and of task 2 have."""


def _consistent_metrics(data: ReleasedData) -> Figures:
    figures: dict[CellPlace, float | Waiting] = {}
    for place, (column, file) in enumerate({"Task 1": TASK_1, "Task 2": TASK_2}.items()):
        try:
            items = {item.example.id: item for item in data.items(file)}
        except MissingDataError as error:
            figures |= {(row, column): Waiting(str(error)) for row in _TABLE_6}
            continue
        for row, words in _TABLE_6.items():
            edited = next(
                (item for item in items.values() if item.parent and words[place] in item.example.summary), None
            )
            if edited is None:
                figures[row, column] = Waiting(
                    f"Waits for data: no edit of {file.place} has the words “{words[place]}”."
                )
                continue
            before = {score.metric: score.value for score in items[str(edited.parent)].scores}
            pairs = [(before.get(score.metric), score.value) for score in edited.scores]
            figures[row, column] = float(
                sum(first is not None and second is not None and first > second for first, second in pairs)
            )
    return figures


def _changed_types(data: ReleasedData) -> Mapping[str, float | Waiting]:
    edited = [item for item in data.items(TASK_1) if item.parent]
    changed = sum(item.required_type is not item.error_type for item in edited)
    missing = Waiting("Waits for data: the release does not mark the edits that the authors wrote for N/A.")
    return {"% of another type": 100 * changed / len(edited), "N/A": missing}


def _percentages(cases: Cases, measure: str) -> Iterator[tuple[CellPlace, float]]:
    resamples = draw_resamples(cases, 1)  # the figures alone, without intervals and tests
    for part in slice_cases(cases, "error_type"):
        for column in cases.columns:
            value = resamples.of(MEASURES[measure](cases, part, column)).value
            if value is not None:
                yield (part.name, column.name), 100 * value
