"""The metric that a service is: one question to its address, by the rules of endpoints."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.base import read_entries
from core.errors import UnscorableError
from core.model_reference import EndpointModel, ModelRef
from core.models import SERVICE_PREFIX, ServiceEntry
from core.scoring.metric import Card
from core.scoring.plugins.function_metric import PluginMetric, score_of_answer
from core.types import Answer, Example, Question, Score

_FAMILY = "Service"


@dataclass(frozen=True)
class ServiceMetric(PluginMetric):
    """A service of a file; each has a class of its own. `remote` is the metric that it is asked for, "" where it has one."""

    remote: ClassVar[str]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (EndpointModel(f"{SERVICE_PREFIX}{self.name}", "endpoint_score"),)

    def plan(self, example: Example) -> list[Question]:
        inputs = (example.document, example.summary, example.question)
        return [Question(self.checkpoints()[0], inputs, (("metric", self.remote),))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one of each
        [answer] = answers
        low = -math.inf if self.card.low is None else self.card.low
        high = math.inf if self.card.high is None else self.card.high
        for value in answer.values:
            if not low <= value <= high:
                raise UnscorableError(
                    f"The service answered {value:g}, outside of its range from {low:g} to {high:g}. Set low and high in its table."
                )
        signature = answer.texts[len(answer.spans)]
        # 12 digits in place of the signature that the service gives, which is a line of parts as ours
        digits = hashlib.sha256(signature.encode()).hexdigest()[:12]
        return score_of_answer(example, answer, notes=(), facts=(f"remote:{digits}",) if signature else ())


def service_classes(file: str) -> list[type[ServiceMetric]]:
    """The metrics of a file of services. Raises BadSettingError for what cannot be read; asks no service."""
    classes: list[type[ServiceMetric]] = []
    for entry in read_entries(file, ServiceEntry):
        card = Card(
            title=entry.shown_title,
            family=_FAMILY,
            measures=entry.measures or "A service computes it.",
            paper=entry.paper,
            url="",
            low=entry.low,
            high=entry.high,
            direction=entry.direction,
            licence=entry.licence,
            languages=entry.languages,
        )
        namespace = {"name": entry.name, "card": card, "remote": entry.metric, "__module__": __name__}
        plain = type(f"{ServiceMetric.__name__}_{entry.name}", (ServiceMetric,), namespace)
        classes.append(dataclass(frozen=True)(plain))
    return classes
