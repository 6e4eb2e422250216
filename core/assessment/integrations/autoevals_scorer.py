"""A metric of ours as a scorer of autoevals."""

from __future__ import annotations

from typing import Any

from autoevals import Score, Scorer

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics
from core.errors import BadSettingError


class AutoevalsScorer(Scorer):
    """See `touchstone.autoevals_scorer`."""

    def __init__(self, metric: str) -> None:
        [self._metric] = parse_metrics(metric)
        card = self._metric.card
        if (card.low, card.high, card.direction) != (0.0, 1.0, "higher"):
            raise BadSettingError(
                f"A score of autoevals is between 0 and 1 and higher is better, and that of {self._metric.name} is not. "
                "Choose another metric."
            )

    def _name(self) -> str:
        return str(self._metric.name)

    def _run_eval_sync(self, output: str, expected: Any = None, input: str = "", **_: Any) -> Score:  # theirs
        [record] = score_texts(self._metric.spec, [output], [expected or input])
        if record["score"] is None:  # skipped, and in no mean
            return Score(self._name(), None, {"error": record["error"]})
        return Score(
            self._name(), record["score"], {"signature": record["signature"], "sentences": record["sentences"]}
        )
