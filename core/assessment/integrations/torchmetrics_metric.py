"""A metric of ours as one of torchmetrics."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import torch
from torchmetrics import Metric

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics


class TorchMetric(Metric):
    """See `touchstone.torchmetric`. Its states are sums, so processes and batches are put together rightly."""

    full_state_update = False
    is_differentiable = False

    total: torch.Tensor
    count: torch.Tensor
    failed: torch.Tensor

    def __init__(self, metric: str) -> None:
        super().__init__()
        [parsed] = parse_metrics(metric)
        self.metric = parsed.spec
        self._direction = parsed.card.direction
        self.add_state("total", torch.zeros((), dtype=torch.float64), "sum")
        for name in ("count", "failed"):
            self.add_state(name, torch.zeros((), dtype=torch.int64), "sum")

    @property
    def higher_is_better(self) -> bool | None:
        return {"higher": True, "lower": False}.get(self._direction)

    def update(self, summaries: Sequence[str], documents: Sequence[str]) -> None:
        scores = [record["score"] for record in score_texts(self.metric, summaries, documents)]
        numbers = [score for score in scores if score is not None]
        self.total += fsum(numbers)
        self.count += len(numbers)
        self.failed += len(scores) - len(numbers)

    def compute(self) -> torch.Tensor:
        return self.total / self.count  # nan where there is no score
