"""A metric of ours as one of DeepEval."""

from __future__ import annotations

import asyncio
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics
from core.errors import TouchstoneError


class DeepEvalMetric(BaseMetric):
    """See `touchstone.deepeval_metric`."""

    def __init__(self, metric: str, threshold: float) -> None:
        [self._metric] = parse_metrics(metric)
        self.metric = self._metric.spec  # DeepEval copies a metric by the attributes of these names
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        contexts = test_case.context or test_case.retrieval_context
        if not contexts or test_case.actual_output is None:
            raise TouchstoneError(
                "The test case has no document or no summary. Put the document into its context or retrieval_context, and "
                "the summary into actual_output."
            )
        [record] = score_texts(self._metric.spec, [test_case.actual_output], ["\n\n".join(map(str, contexts))])
        if record["score"] is None:
            self.error = record["error"]
            raise TouchstoneError(record["error"])
        self.score, self.evaluation_model = record["score"], record["signature"]
        self.reason = "\n".join(f"{part['score']:.3f}  {part['text']}" for part in record["sentences"])
        lower = self._metric.card.direction == "lower"
        self.success = record["score"] <= self.threshold if lower else record["score"] >= self.threshold
        score: float = record["score"]
        return score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return str(self._metric.card.title)
