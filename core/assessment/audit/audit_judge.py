"""Judges among the metrics: those whose scores are answers of a language model, with the model and the endpoint that answers."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from core.model_reference import EndpointModel
from core.models import Sampling, configured_endpoint, is_local_model, model_title
from core.registry import Plugin
from core.scoring import Metric
from core.types import Example

_FAMILY = "Judge"
_THIS_MACHINE = "this machine"


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """Model that answers for a judge, and its endpoint: the name, and the fingerprint of the address; "" for this machine."""

    model: str
    endpoint: str
    address: str = ""

    @property
    def title(self) -> str:
        """Model and endpoint, and the address where it is known."""
        address = f", address {self.address}" if self.address else ""
        return f"{self.model} at {self.endpoint}{address}"


def is_judge(metric: Metric) -> bool:
    """True if the card says so, or that of a metric inside of it."""
    return bool(_judges_in(metric))


def judge_sampling(metric: Metric, example: Example) -> Sampling | None:
    """The model and endpoint of its first question about an example, at temperature 0; None where it has none."""
    for judge in _judges_in(metric):
        with closing(judge.rounds(example)) as rounds:
            questions = [question for question in next(rounds) if "model" in dict(question.options)]
        if questions:
            checkpoint = questions[0].checkpoint
            endpoint = checkpoint.endpoint if isinstance(checkpoint, EndpointModel) else ""
            return Sampling(str(dict(questions[0].options)["model"]), endpoint=endpoint)
    return None


def judge_model(sampling: Sampling) -> JudgeModel:
    """The model as it stands in reports; raises MissingEndpointError where its endpoint is not set."""
    if is_local_model(sampling.model):
        return JudgeModel(model_title(sampling.model), _THIS_MACHINE)
    endpoint = configured_endpoint(sampling.endpoint)
    return JudgeModel(sampling.model, endpoint.title, endpoint.fingerprint[:12])


def _judges_in(metric: Metric) -> list[Metric]:
    plugins: list[Plugin] = [metric]
    for plugin in plugins:  # it grows while it is read
        plugins += plugin.uses() if isinstance(plugin, Metric) else ()
    return [plugin for plugin in plugins if isinstance(plugin, Metric) and plugin.card.family == _FAMILY]
