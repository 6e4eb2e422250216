"""The contract of a metric: a pure plan of questions to models and a pure fold of their answers to a score."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from core.base import CODE_MARK, CodeParts, Root, adapter_root, class_root, code_hash, code_parts, read_profile
from core.errors import TouchstoneError
from core.model_reference import ModelRef, local_checkpoints
from core.models import marked_dtype
from core.registry import Plugin, Registry, format_spec, profile_field, settings_of, title_with_settings
from core.scoring.checkpoint_languages import NO_LANGUAGE, common_languages, stated_languages
from core.text import ENGLISH, require_languages
from core.types import Answer, Direction, Example, Question, Rounds, Score

ContextReading = Literal["joined", "best", "passages"]
"""Reading of a document of several contexts: all of them as one text, each for itself so that the best one counts for a
claim, or as the numbered passages of one input."""


SURFACE = "Surface"
"""Family of the statistics that describe a text: controls, of which none is called best."""


@dataclass(frozen=True, slots=True)
class PublishedArchive:
    """Weights that are not on the hub: the setting that names their folder, the file of their authors, and where it is."""

    setting: str
    file: str
    url: str


@dataclass(frozen=True, slots=True)
class Card:
    """Facts that a person must know to read the number."""

    title: str
    """Name shown to people."""
    family: str
    """Group under which the metric is listed, as "Entailment" or "Surface"."""
    measures: str
    """A sentence on how the number comes about."""
    paper: str
    """Authors, year and title of the publication; empty for a metric without one."""
    url: str
    """Address of that publication."""
    low: float | None
    """Smallest possible score; None for no bound."""
    high: float | None
    """Largest possible score; None for no bound."""
    direction: Direction = "higher"
    """Side on which consistent summaries lie; "neutral" for a description of the surface, which has no better side."""
    download_mb: int = 0
    """Size of the weights on the hub in MB; 0 if nothing is downloaded."""
    differs: str = ""
    """Differences from the published score; empty if there are none."""
    memory_mb: int = 0
    """Memory in MB that the largest model takes; 0 if that equals `download_mb`."""
    licence: str = ""
    """Licences of the code and the weights."""
    archives: tuple[PublishedArchive, ...] = ()
    """Downloads that are not on the hub."""
    contexts: ContextReading = "joined"
    """Reading of a document that consists of several contexts."""
    languages: str = ENGLISH
    """Language codes separated by blanks, or `ANY` or `SPACED` of `core.text.language`."""


@dataclass(frozen=True)
class Metric(ABC):
    """A frozen dataclass whose fields are its settings; it holds no weights and opens no file.

    `profile` names the paper whose form it has, "" for none; see `core.base.profile`.

    A metric that asks once overrides `plan` and `fold`. One whose later questions depend on earlier answers overrides
    `rounds`. `fold` raises UnscorableError for a text it cannot score.
    """

    name: ClassVar[str]
    card: ClassVar[Card]
    profile: str = profile_field()

    def checkpoints(self) -> tuple[ModelRef, ...]:
        """The models that this metric asks; none for a lexical metric."""
        return ()

    def plan(self, example: Example) -> Sequence[Question]:  # noqa: ARG002  # a lexical metric asks nothing
        return []

    @abstractmethod
    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        """The score from the answers, given in the order of the questions."""

    def rounds(self, example: Example) -> Rounds[Score]:
        questions = self.plan(example)
        answers = (yield questions) if questions or self.checkpoints() else []
        return self.fold(example, questions, answers)

    @property
    def verified_languages(self) -> str:
        """The languages that it is for, as its card has them."""
        return self.card.languages

    def uses(self) -> Sequence[Plugin]:
        """The other plugins that it computes with, as its settings name them: their code is part of its own."""
        return ()

    def rewordings(self) -> Sequence[Metric]:
        """The metric with its instructions in other words; none where it gives no instructions."""
        return ()

    def rescalings(self) -> Sequence[Metric]:
        """The metric that asks for its mark on other scales; none where it has only one."""
        return ()

    @cached_property
    def spec(self) -> str:
        """The spelling that the command line and links use: `name[setting=value,…]`."""
        return format_spec(self)


_WEIGHT_SETTINGS = frozenset({"checkpoint", "encoder"})


@dataclass(frozen=True)
class ReplaceableWeights(Metric):
    """A metric that takes other weights; `languages` says which languages these are for, "" for those that their authors state.

    "any", or codes of ISO 639 with blanks between. A subclass with a `__post_init__` calls this one.
    """

    languages: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        require_languages(self.languages, self.name)

    @property
    def verified_languages(self) -> str:
        """Those of the setting; otherwise of the weights that replace its own, of its card and of the metrics it uses."""
        if self.languages:
            return self.languages
        own = {name: field.default for name, field in settings_of(type(self)).items() if name in _WEIGHT_SETTINGS}
        replaced = [weights for name in own if (weights := getattr(self, name)) not in {"", own[name]}]
        remaining = [self.card.languages] if not own or len(replaced) < len(own) else []
        inner = [plugin.verified_languages for plugin in self.uses() if isinstance(plugin, Metric)]
        return common_languages([*map(stated_languages, replaced), *remaining, *inner]) or NO_LANGUAGE


_ROUNDING = 1e-6  # of the bound or of 1: what floats of 32 bits leave


def within_bounds(score: Score, card: Card) -> Score:
    """The score with values that rounding put beyond a bound of the card set to that bound; others stay as they are."""

    def bounded(value: float) -> float:
        if card.low is not None and card.low - _ROUNDING * max(1.0, abs(card.low)) <= value < card.low:
            return card.low
        if card.high is not None and card.high < value <= card.high + _ROUNDING * max(1.0, abs(card.high)):
            return card.high
        return value

    if card.low is None and card.high is None:
        return score
    return replace(
        score,
        value=bounded(score.value),
        parts=tuple(replace(part, score=bounded(part.score)) for part in score.parts),
    )


METRICS: Registry[Metric] = Registry(
    "metric", f"{__package__}.metrics", ("touchstone.metrics", "touchstone.judges"), Metric
)


def signature(metric: Metric, fingerprints: Sequence[str], splitter: str, facts: Sequence[str] = ()) -> str:
    """One line that tells two numbers apart: name, settings, what was asked (see Score), weights, splitter, code.

    Where weights are loaded their fingerprint is given instead of the path, which means nothing on another machine, and for
    an endpoint that of its address.
    """
    return _signature(metric, tuple(fingerprints), splitter, tuple(facts))


@lru_cache(maxsize=512)  # the scores of a run have few
def _signature(metric: Metric, fingerprints: tuple[str, ...], splitter: str, facts: tuple[str, ...]) -> str:
    places = _weight_places(metric.checkpoints())
    # an empty setting leaves the choice to another: it says nothing either
    values = {name: str(getattr(metric, name)) for name in settings_of(metric) if name != "units"}
    # the precision of the process decided the number type of these weights
    if marked := next(filter(None, map(marked_dtype, fingerprints)), ""):
        values["dtype" if "dtype" in values else "precision"] = marked
    stated = {name: value for name, value in values.items() if value not in {"", *places}}
    settings = [f"{name}:{_remove_places(value, places)}" for name, value in stated.items()]
    decided = [
        f"{model.decided_by}:{fingerprint[:12]}"
        for model, fingerprint in zip(metric.checkpoints(), fingerprints, strict=True)
    ]
    paper = [read_profile(metric.profile).mark] if metric.profile else []
    # a prompt says itself in whose words it asked
    paper = [mark for mark in paper if not any(mark in fact for fact in facts)]
    units = getattr(metric, "units", "sentences")  # of those that read a summary unit by unit
    made_by = [
        f"split:{splitter}{'' if units == 'sentences' else f'+{units}'}",
        f"{CODE_MARK}{metric_code_hash(metric)}",
    ]
    return "|".join([metric.name, *dict.fromkeys([*settings, *facts]), *paper, *decided, *made_by])


@lru_cache(maxsize=512)
def metric_code(metric: Metric) -> CodeParts:
    """The definitions, data files and libraries that compute the scores of a metric: its own, its models' and those of plugins that it uses."""
    return code_parts(code_roots(metric))


def code_roots(metric: Metric) -> list[Root]:
    """The definitions in which the code of a metric begins: its class, those of the plugins that it uses, and its models' adapters."""
    plugins: list[Plugin] = [metric]
    for plugin in plugins:  # it grows while it is read
        plugins += plugin.uses() if isinstance(plugin, Metric) else ()
    return [
        *(class_root(type(plugin)) for plugin in plugins),
        *(adapter_root(model.kind) for model in metric.checkpoints()),
    ]


@lru_cache(maxsize=512)
def metric_code_hash(metric: Metric) -> str:
    return code_hash(metric_code(metric))


def portable_spec(spec: str, models: Iterable[ModelRef]) -> str:
    """A spec as a signature has it: the places of these weights, which mean nothing on another machine, are left out."""
    return _remove_places(spec, _weight_places(models))


def _weight_places(models: Iterable[ModelRef]) -> set[str]:
    weights = local_checkpoints(models)
    return {place for checkpoint in weights for place in (checkpoint.source, checkpoint.backbone) if place}


def _remove_places(value: str, places: Iterable[str]) -> str:
    """A setting that spells another metric, with the places of its weights left out."""
    for place in sorted(places, key=len, reverse=True):
        value = value.replace(place, "…")
    return value


_COLUMN_NAME = re.compile(r"(?P<spec>.*?)(?P<addition>( \(ours\))?( \(\d+\))?)")


def metric_title(name: str) -> str:
    """The title of a metric for people to read, with its settings where it has any; a name that is not ours as it is.

    `name` is a spec, or the name of a column of scores, which may add "(ours)" or a number.
    """
    parts, metric = _parse_column(name)
    return f"{title_with_settings(metric.card.title, parts['spec'])}{parts['addition']}" if metric else name


def is_surface(name: str) -> bool:
    """True for a statistic of the text alone, which serves as a control; False for scores that are not ours."""
    metric = _parse_column(name)[1]
    return metric is not None and metric.card.family == SURFACE


def _parse_column(name: str) -> tuple[Mapping[str, str], Metric | None]:
    """The spec and the addition of a column of scores, and its metric; None for scores that are not ours."""
    match = _COLUMN_NAME.fullmatch(name)
    if match is None:
        return {}, None
    try:
        return match.groupdict(), METRICS.parse(match["spec"])
    except TouchstoneError:  # released by others, or kept from a time when it had another name
        return match.groupdict(), None


def metric_titles(names: Iterable[str]) -> dict[str, str]:
    """The titles of several metrics by their names; those that would read alike keep their names.

    A dataset may have been released with "BLEU" and be scored with our `bleu`, and the ends of two long paths may be the same.
    """
    titles = {name: metric_title(name) for name in names}
    number = Counter(titles.values())
    return {name: title if number[title] == 1 else name for name, title in titles.items()}
