"""The metric that a declared function becomes: one question to the process of its plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Any, ClassVar

from core.model_reference import ModelRef, PluginFunction
from core.registry import settings_of
from core.scoring.metric import METRICS, Card, Metric
from core.types import Answer, Context, Example, Part, Question, Score, Seen, Span

FAMILY = "Plug-in"
_NETWORK = "It may reach the network."
_AT_ONCE = 32  # examples of one call of a batch or async form


@dataclass(frozen=True)
class PluginMetric(Metric):
    """A metric whose class is made at run time, in no module, and is found by its name in whichever process unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return read_metric, (self.spec,)


@dataclass(frozen=True)
class FunctionMetric(PluginMetric):
    """A function of a plug-in, with its keyword arguments as settings; each plug-in's function has a class of its own."""

    function: ClassVar[PluginFunction]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (self.function,)

    def plan(self, example: Example) -> list[Question]:
        contexts = [(context.name, f"{context.span.start} {context.span.end}") for context in example.contexts]
        inputs = (example.document, example.summary, example.question, *(text for pair in contexts for text in pair))
        settings = tuple((name, getattr(self, name)) for name in settings_of(self))
        return [Question(self.function, inputs, settings)]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one of each
        [answer] = answers
        return score_of_answer(example, answer, notes=answer.texts[len(answer.spans) :])


def score_of_answer(example: Example, answer: Answer, notes: Sequence[str], facts: Sequence[str] = ()) -> Score:
    """The score whose `values` are that of the summary and those of its sentences, at `spans`, with places of evidence first in `texts`."""
    value, *scores = answer.values
    places = [tuple(map(int, text.split())) for text in answer.texts[: len(scores)]]
    parts = tuple(
        Part(span, score, Span(*place) if place else None)
        for span, score, place in zip(answer.spans, scores, places, strict=True)
    )
    return Score(value, parts, Seen((Span(0, len(example.document)),), notes=tuple(notes)), tuple(facts))


def read_metric(spec: str) -> Metric:
    """The metric of a spec, in whichever process unpickles it."""
    return METRICS.parse(spec)


def example_of(question: Question) -> Example:
    """The example that a question of a function is about, as the function is given it."""
    document, summary, query, *contexts = question.inputs
    places = [Span(*map(int, place.split())) for place in contexts[1::2]]
    return Example("", document, summary, tuple(map(Context, contexts[::2], places)), query)


def metric_class(source: str, record: Mapping[str, Any]) -> type[FunctionMetric]:
    """The metric of a declaration, as the process of its plug-in sends it."""
    lines = ("title", "paper", "url", "low", "high", "direction", "licence", "languages")
    measures = " ".join(filter(None, [record["measures"], _NETWORK if record["network"] else ""]))
    card = Card(family=FAMILY, measures=measures, **{name: record[name] for name in lines})
    at_once = _AT_ONCE if record["inputs"] == 1 or record["waits"] else 1
    function = PluginFunction(source, record["name"], at_once)
    settings = [(name, type(default), field(default=default)) for name, default in record["settings"]]
    namespace = {"name": record["name"], "card": card, "function": function, "__module__": __name__}
    return make_dataclass(
        f"{FunctionMetric.__name__}_{record['name']}",
        settings,
        bases=(FunctionMetric,),
        namespace=namespace,
        frozen=True,
    )
