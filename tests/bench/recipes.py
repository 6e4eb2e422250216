"""Random replacements for the weights of each metric: which networks and parser it needs, and in which settings their folders go."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from core.base.profile import Setting
from core.errors import MissingWeightsError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.weights.locations import ModelStatus, state_on_disk
from core.scoring.metric import METRICS, Metric
from tests.bench.network_shapes import Sizes
from tests.bench.random_weights import NetworkDesign, write_checkpoint

_NOUN_PATTERN, _NUMBER_PATTERN, _PUNCTUATION_PATTERN = (
    {"IS_ALPHA": True, "LENGTH": {">=": 6}},
    {"LIKE_NUM": True},
    {"IS_PUNCT": True},
)
_NAME_PATTERN = {"IS_TITLE": True, "LENGTH": {">=": 4}}


def write_rule_parser(folder: Path) -> None:
    """Write a pipeline that ends sentences at full stops and takes long words for nouns, titled words for names.

    Every word is its own head, so there are no arcs. Raises MissingWeightsError where spaCy is not installed.
    """
    if find_spec("spacy") is None:
        raise MissingWeightsError("Parsing needs spaCy, which is not installed. Run: pip install spacy")
    # imported by name: spaCy is not among the requirements, and nothing else needs it
    pipeline = importlib.import_module("spacy").blank("en")
    pipeline.add_pipe("sentencizer")
    words = pipeline.add_pipe("attribute_ruler")
    words.add(patterns=[[_NOUN_PATTERN]], attrs={"POS": "NOUN", "DEP": "nsubj"})
    words.add(patterns=[[_NUMBER_PATTERN]], attrs={"POS": "NUM", "DEP": "nummod"})
    words.add(patterns=[[_PUNCTUATION_PATTERN]], attrs={"POS": "PUNCT", "DEP": "punct"})
    names = pipeline.add_pipe("entity_ruler")
    names.add_patterns(
        [{"label": "NAME", "pattern": [_NAME_PATTERN]}, {"label": "FIGURE", "pattern": [_NUMBER_PATTERN]}]
    )
    pipeline.to_disk(folder)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Networks by the settings that name their folder, separated by blanks, and what else has to be set."""

    networks: Mapping[str, NetworkDesign]
    settings: Mapping[str, Setting] = dataclasses.field(default_factory=dict)


_BART, _BERT, _T5 = NetworkDesign("bart", "writes"), NetworkDesign("bert", "body"), NetworkDesign("t5", "writes")
_ALIGN = Recipe({"checkpoint backbone": NetworkDesign("roberta", "lightning")})
_ALBERT = Recipe({"checkpoint": NetworkDesign("albert", "three labels")})

RECIPES: Mapping[str, Recipe] = {
    "alignscore-base": _ALIGN,
    "alignscore-large": _ALIGN,
    "bartscore": Recipe({"checkpoint": _BART}),
    "bertscore": Recipe({"checkpoint": NetworkDesign("deberta", "body")}),
    "bertscore-minilm": Recipe({"checkpoint": _BERT}),
    "bespoke-minicheck-7b": Recipe({"checkpoint": NetworkDesign("llama", "chats")}, {"through": "transformers"}),
    "bleurt-20": Recipe({"checkpoint": NetworkDesign("rembert", "pieces")}),
    "claims": Recipe({}),  # by sentence; the metric inside has a recipe of its own
    "coco": Recipe({"checkpoint": _BART}),
    "dae-spacy": Recipe({"checkpoint": NetworkDesign("electra", "arcs")}),
    "factcc": Recipe({"checkpoint": NetworkDesign("bert", "two labels")}),
    "factcg": Recipe({"checkpoint": NetworkDesign("deberta-v3", "two labels")}),
    "fenice": Recipe({"extractor": _T5, "entailment": NetworkDesign("deberta-v3", "three labels")}),
    "hhem": Recipe({"checkpoint backbone": NetworkDesign("t5", "prefixed")}),
    "lettucedetect": Recipe({"checkpoint": NetworkDesign("modernbert", "tags")}),
    "longdocfactscore": Recipe({"checkpoint": _BART, "encoder": _BERT}),
    "minicheck-deberta": Recipe({"checkpoint": NetworkDesign("deberta-v3", "two labels")}),
    "minicheck-flan-t5": Recipe({"checkpoint": _T5}),
    "minicheck-roberta": Recipe({"checkpoint": NetworkDesign("roberta", "two labels")}),
    "q2": Recipe(
        {
            "generator": _T5,
            "answerer": NetworkDesign("albert", "answers"),
            "entailment": NetworkDesign("roberta", "three labels"),
        }
    ),
    "qafacteval": Recipe(
        {"generator": _BART, "answerer": NetworkDesign("electra", "answers"), "rater": NetworkDesign("roberta", "rate")}
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


def prepare_metric(spec: str, sizes: Sizes, texts: Sequence[str], folder: Path) -> tuple[Metric, tuple[str, ...]]:
    """The metric of a spec on random weights written under a folder, and the names of their shapes.

    Where the parser that a metric reads by default is not here, rules stand in for it. Raises UnknownNameError,
    BadSettingError, and TouchstoneError for a metric that asks no model.
    """
    metric = parse_supported_metric(spec)
    recipe = RECIPES[metric.name]
    settings: dict[str, Setting] = dict(recipe.settings)
    shapes = []
    for names, design in recipe.networks.items():
        place, shape = folder / names.replace(" ", "-"), sizes.shape(design.architecture)
        write_checkpoint(design, shape, texts, place)
        settings |= dict.fromkeys(names.split(), str(place))
        shapes.append(shape.name)
        if hasattr(metric, "layer") and design.head == "body":
            settings["layer"] = min(metric.layer, shape.layers)
    if inner := getattr(metric, "metric", ""):
        within, its_shapes = prepare_metric(inner, sizes, texts, folder / "inner")
        settings["metric"] = within.spec
        shapes.extend(its_shapes)
    if _lacks_parser(metric):
        write_rule_parser(folder / "parser")
        settings["parser"] = str(folder / "parser")
        shapes.append("rules for a parser")
    changed: Metric = dataclasses.replace(metric, **settings)  # type: ignore[arg-type]  # of the metric's own class
    return changed, tuple(shapes)


def _lacks_parser(metric: Metric) -> bool:
    """Whether a metric reads the parser of its default, and that is not on this machine."""
    parser = getattr(metric, "parser", "")
    is_default = parser == getattr(type(metric), "parser", None)
    return is_default and state_on_disk(Checkpoint(parser, "spacy_parse")).status is not ModelStatus.COLD


def parse_supported_metric(spec: str) -> Metric:
    """The metric of a spec, if it can be timed."""
    metric = METRICS.parse(spec)
    if inner := getattr(metric, "metric", ""):
        parse_supported_metric(inner)
    if metric.name not in RECIPES:
        raise TouchstoneError(
            f"{metric.name} asks no model that random weights could stand for, so there is nothing to time. "
            f"Known: {', '.join(sorted(RECIPES))}."
        )
    return metric
