"""A metric of ours as one of RAGAS."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

from ragas.metrics.base import SimpleBaseMetric
from ragas.metrics.result import MetricResult
from ragas.metrics.validators import NumericValidator

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics


class RagasMetric(SimpleBaseMetric, NumericValidator):
    """See `touchstone.ragas_metric`."""

    def __init__(self, metric: str) -> None:
        [self._metric] = parse_metrics(metric)
        card = self._metric.card
        low, high = (-math.inf if card.low is None else card.low), (math.inf if card.high is None else card.high)
        super().__init__(name=self._metric.name, allowed_values=(low, high))

    def score(self, *, response: str, retrieved_contexts: Sequence[str], **_: Any) -> MetricResult:
        [record] = score_texts(self._metric.spec, [response], ["\n\n".join(retrieved_contexts)])
        if record["score"] is None:
            return MetricResult(math.nan, record["error"])
        lines = [f"{part['score']:.3f}  {part['text']}" for part in record["sentences"]]
        return MetricResult(record["score"], "\n".join([*lines, record["signature"]]))

    async def ascore(self, *, response: str, retrieved_contexts: Sequence[str], **_: Any) -> MetricResult:
        return await asyncio.to_thread(self.score, response=response, retrieved_contexts=retrieved_contexts)
