"""Ramprasad and Wallace (2024): how far shallow features go on the labelled data at hand, and how far a metric follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from core.assessment.papers.paper import (
    PAPERS,
    Computation,
    DataFile,
    Figures,
    Paper,
    ReleasedData,
    by_row,
    missing_for,
)
from core.assessment.papers.published import Waiting
from core.evaluation import SURFACE_MODEL, feature_correlations, surface_against_metrics
from core.models import SHALLOW_FEATURES
from core.results import MEASURES, Cases, draw_resamples, slice_cases
from core.scoring import METRICS, Metric
from core.types import Verdict

_PROBING = "https://github.com/sanjanaramprasad/probing_summarization_factuality, datasets"
_GENAUDIT = DataFile("genaudit", "ramprasad/Genaudit_annotations.csv", f"copy Genaudit_annotations.csv of {_PROBING}")
_REFMATTERS = DataFile(
    "referencematters",
    "ramprasad/Refmatters",
    f"copy the folder Refmatters of {_PROBING}",
)
_QAGS = DataFile(
    "unieval",
    "unieval/qags_cnndm_result.json",
    "copy reproduce/unieval_predict/fact/qags_cnndm_result.json of https://github.com/maszhongming/UniEval",
)


def _summedits(domain: str) -> DataFile:
    return DataFile(
        "summedits",
        f"summedits/summedits_{domain}.json",
        f"copy data/summedits/summedits_{domain}.json of https://github.com/salesforce/factualNLG",
    )


_LABELLED = {
    "SummEdits, sales_call": _summedits("sales_call"),
    "SummEdits, sales_email": _summedits("sales_email"),
    "SummEdits, scitldr": _summedits("scitldr"),
    "QAGS-CNN/DM": _QAGS,
}
_DATASETS = {"GenAudit": _GENAUDIT, "ReferenceMatters": _REFMATTERS}
_RELEASED_METRIC = "UniEval consistency"

OURS: Mapping[str, str] = {
    "QuestEval": "questeval",
    "SummaC-Conv": "summac-conv",
    "UniEval": "unieval-sum",
    "AlignScore": "alignscore-large",
    "MiniCheck": "minicheck-flan-t5",
    "ChatGPT-DA": "direct-assessment",
}
"""Our metric for each name of the paper."""


@PAPERS.add
class RamprasadPaper(Paper):
    """Figures of ours on other data: the paper draws most of its own without numbers, and its six datasets lie elsewhere."""

    name: ClassVar[str] = "ramprasad"
    data: ClassVar[tuple[DataFile, ...]] = tuple(_LABELLED.values())
    by: ClassVar[str | None] = "domain"
    kinds: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "Figure 4.2: benign edits": {
            "Added Source Text": "added-llm",
            "Less Diverse": "less-diverse-llm",
            "Negated": "negated-llm",
            "Paraphrased": "paraphrased-llm",
            "Shuffled": "shuffled-llm",
            "Simplified": "simplified-llm",
            "Shortened": "summarized-llm",
            "Synonym Replacement": "synonyms-llm",
        },
        "Figure 5.1: gaming": {
            "top phrase": "phrase[place=alone]",
            "assertion phrase": "assertion[place=alone]",
            "summ + top": "phrase",
            "summ + assertion": "assertion",
        },
        "Figure D.2: fillers": {"Baseline": "baseline-filler", "Qualifier": "qualifier-filler"},
    }

    def metrics(self) -> Sequence[Metric]:
        return [METRICS.parse(spec) for spec in self.metric_rows()]

    def metric_rows(self) -> Mapping[str, str]:
        return {METRICS.parse(f"{ours}@ramprasad").spec: name for name, ours in OURS.items()}

    def computations(self) -> Mapping[str, Computation]:
        return {
            "datasets": partial(by_row, {row: partial(_counts, file) for row, file in _DATASETS.items()}),
            "labels": partial(by_row, {row: partial(_areas, file) for row, file in _LABELLED.items()}),
            "metrics": partial(by_row, {_RELEASED_METRIC: partial(_correlations, _QAGS)}),
            "corrections": _metric_figures,
        }


def _counts(file: DataFile, data: ReleasedData) -> Mapping[str, float]:
    """Of the summaries that systems wrote, without people's corrections."""
    judged = [item for item in data.items(file) if item.intended and not item.example.id.endswith("/corrected")]
    wrong = sum(item.intended is Verdict.INCONSISTENT for item in judged)
    return {"summaries": len(judged), "inconsistent": wrong}


def _areas(file: DataFile, data: ReleasedData) -> Mapping[str, float]:
    """ROC AUC in percent of each feature and of a model of them that learned from other documents.

    Conciseness has no better side: the more concise counts as the more consistent, as no side is published.
    """
    cases = _with_features(file, data)
    resamples, [part] = draw_resamples(cases, 1), slice_cases(cases)
    columns = [
        replace(column, direction="higher") if column.direction == "neutral" else column
        for column in cases.columns
        if column.name in SHALLOW_FEATURES
    ]
    features = {column.name: resamples.of(MEASURES["auc"](cases, part, column)).value for column in columns}
    surface = {
        row.metric: row.figures["auc"].estimate.value
        for row in surface_against_metrics(cases, resamples)
        if row.metric == SURFACE_MODEL
    }
    return {name: 100 * value for name, value in (features | surface).items() if value is not None}


def _correlations(file: DataFile, data: ReleasedData) -> Mapping[str, float]:
    """Spearman's of the released metric with each feature."""
    cases = _with_features(file, data)
    correlations = feature_correlations(cases, draw_resamples(cases, 1))
    by_feature = {
        correlation.feature: correlation.estimate.value
        for correlation in correlations
        if correlation.metric == _RELEASED_METRIC
    }
    return {feature: value for feature, value in by_feature.items() if value is not None}


def _with_features(file: DataFile, data: ReleasedData) -> Cases:
    return data.scored(file, [METRICS.parse(spec) for spec in SHALLOW_FEATURES])


def _metric_figures(_: ReleasedData) -> Figures:
    """Needs of each metric of the paper: edited summaries of its datasets, and weights or an endpoint."""
    metrics = {name: METRICS.parse(f"{ours}@ramprasad") for name, ours in OURS.items()}
    needs_data = Waiting("Waits for data: human corrections of GenAudit, which no source at hand has")
    return {(name, ""): missing_for(metric) or needs_data for name, metric in metrics.items()}
