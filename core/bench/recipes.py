"""Random stand-ins for the weights of each metric: which networks it needs, and in which settings their folders go."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import TouchstoneError
from core.metric import METRICS, Metric
from core.models.random_weights import Design, write
from core.models.rule_parser import write_parser
from core.models.shapes import Sizes
from core.models.state import Status, state_on_disk
from core.registry import Setting
from core.types import Checkpoint


@dataclass(frozen=True, slots=True)
class Recipe:
    """Networks by the settings that name their folder, parted by blanks, and what else has to be set."""

    networks: Mapping[str, Design]
    settings: Mapping[str, Setting] = dataclasses.field(default_factory=dict)


_BART, _BERT, _T5 = Design("bart", "writes"), Design("bert", "body"), Design("t5", "writes")
_ALIGN = Recipe({"checkpoint backbone": Design("roberta", "lightning")})
_ALBERT = Recipe({"checkpoint": Design("albert", "three labels")})

RECIPES: Mapping[str, Recipe] = {
    "alignscore-base": _ALIGN,
    "alignscore-large": _ALIGN,
    "bartscore": Recipe({"checkpoint": _BART}),
    "bertscore": Recipe({"checkpoint": Design("deberta", "body")}),
    "bertscore-minilm": Recipe({"checkpoint": _BERT}),
    "bespoke-minicheck-7b": Recipe({"checkpoint": Design("llama", "chats")}, {"through": "transformers"}),
    "bleurt-20": Recipe({"checkpoint": Design("rembert", "pieces")}),
    "coco": Recipe({"checkpoint": _BART}),
    "dae-spacy": Recipe({"checkpoint": Design("electra", "arcs")}),
    "factcc": Recipe({"checkpoint": Design("bert", "two labels")}),
    "factcg": Recipe({"checkpoint": Design("deberta-v3", "two labels")}),
    "fenice": Recipe({"extractor": _T5, "entailment": Design("deberta-v3", "three labels")}),
    "hhem": Recipe({"checkpoint backbone": Design("t5", "prefixed")}),
    "lettucedetect": Recipe({"checkpoint": Design("modernbert", "tags")}),
    "longdocfactscore": Recipe({"checkpoint": _BART, "encoder": _BERT}),
    "minicheck-deberta": Recipe({"checkpoint": Design("deberta-v3", "two labels")}),
    "minicheck-flan-t5": Recipe({"checkpoint": _T5}),
    "minicheck-roberta": Recipe({"checkpoint": Design("roberta", "two labels")}),
    "q2": Recipe(
        {"generator": _T5, "answerer": Design("albert", "answers"), "entailment": Design("roberta", "three labels")}
    ),
    "qafacteval": Recipe(
        {"generator": _BART, "answerer": Design("electra", "answers"), "rater": Design("roberta", "rate")}
    ),
    "questeval": Recipe({"generator": _T5, "answerer": _T5, "encoder": _BERT}),
    "retrieve": Recipe({"encoder": _BERT}),
    "semantic-similarity": Recipe({"checkpoint": _BERT}),
    "summac-conv": _ALBERT,
    "summac-zs": _ALBERT,
    "unieval-fact": Recipe({"checkpoint": _T5}),
    "unieval-sum": Recipe({"checkpoint": _T5}),
}
"""Architectures are those of the published weights; MiniLM is a small BERT."""


def prepare(spec: str, sizes: Sizes, texts: Sequence[str], folder: Path) -> tuple[Metric, tuple[str, ...]]:
    """The metric of a spec on random weights written under a folder, and the names of their shapes.

    Where the parser that a metric reads by default is not here, rules stand in for it. Raises UnknownNameError,
    BadSettingError, and TouchstoneError for a metric that asks no model.
    """
    metric = check(spec)
    recipe = RECIPES[metric.name]
    settings: dict[str, Setting] = dict(recipe.settings)
    shapes = []
    for names, design in recipe.networks.items():
        place, shape = folder / names.replace(" ", "-"), sizes.shape(design.architecture)
        write(design, shape, texts, place)
        settings |= dict.fromkeys(names.split(), str(place))
        shapes.append(shape.name)
        if hasattr(metric, "layer") and design.head == "body":
            settings["layer"] = min(metric.layer, shape.layers)
    if inner := getattr(metric, "metric", ""):
        within, its_shapes = prepare(inner, sizes, texts, folder / "inner")
        settings["metric"] = within.spec
        shapes.extend(its_shapes)
    if _lacks_parser(metric):
        write_parser(folder / "parser")
        settings["parser"] = str(folder / "parser")
        shapes.append("rules for a parser")
    changed: Metric = dataclasses.replace(metric, **settings)  # type: ignore[type-var]  # metrics are dataclasses
    return changed, tuple(shapes)


def _lacks_parser(metric: Metric) -> bool:
    """Whether a metric reads the parser of its default, and that is not on this machine."""
    parser = getattr(metric, "parser", "")
    is_default = parser == getattr(type(metric), "parser", None)
    return is_default and state_on_disk(Checkpoint(parser, "parse")).status is not Status.COLD


def check(spec: str) -> Metric:
    """The metric of a spec, if it can be timed."""
    metric = METRICS.parse(spec)
    if inner := getattr(metric, "metric", ""):
        check(inner)
    if metric.name not in RECIPES:
        raise TouchstoneError(
            f"{metric.name} asks no model that random weights could stand for, so there is nothing to time. "
            f"Known: {', '.join(sorted(RECIPES))}."
        )
    return metric
