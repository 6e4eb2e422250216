"""A metric of ours as one of Hugging Face's evaluate."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

import datasets
import evaluate

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics

_INPUTS = """
Args:
    predictions: the summaries, one text each
    references: their documents, one text each
Returns:
    score: the mean of the scores that there are, None without any
    scores: one of each summary, None where it failed
    failed: how many failed
    signatures: what the scores rest on; those of two signatures are not compared
"""


class EvaluateMetric(evaluate.Metric):
    """See `touchstone.evaluate_metric`."""

    def __init__(self, metric: str) -> None:
        [self._metric] = parse_metrics(metric)
        super().__init__(keep_in_memory=True)  # people's texts are not left on the disk

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=self._metric.card.measures,
            citation=self._metric.card.paper,
            homepage=self._metric.card.url,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
        records = score_texts(self._metric.spec, predictions, references)
        scores = [record["score"] for record in records]
        numbers = [score for score in scores if score is not None]
        return {
            "score": fsum(numbers) / len(numbers) if numbers else None,
            "scores": scores,
            "failed": len(scores) - len(numbers),
            "signatures": sorted({record["signature"] for record in records if record["signature"]}),
        }
