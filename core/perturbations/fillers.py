"""Phrases without content that are put where a metric may fall for them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors import UnscorableError
from core.metric import METRICS
from core.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.types import Edit, Example, Span

Placement = Literal["suffix", "prefix", "alone"]
GAMING_PAPER = (
    "Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?, gaming; the words are ours"
)


@dataclass(frozen=True)
class Filler(Perturbation):
    """Appends or prepends a phrase, or lets it be the whole summary; a metric that rises has been gamed."""

    default_phrase: ClassVar[str]

    place: Placement = "suffix"

    @property
    def text(self) -> str:
        """The phrase, the same for every example."""
        return self.default_phrase

    def targets(self, metric: str) -> bool:  # noqa: ARG002  # most phrases are meant for every metric
        """Whether the phrase is meant for the metric of that spec."""
        return True

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        text, summary = self.text.strip(), example.summary.rstrip()
        if not text:
            raise UnscorableError("The phrase is empty: adding it would change nothing. Set phrase=….")
        if self.place == "prefix":
            return [Edit(Span(0, 0), f"{text} ", self.card.does, self.spec)]
        if self.place == "suffix":
            return [Edit(Span(len(summary), len(summary)), f" {text}", self.card.does, self.spec)]
        if summary == text:
            raise UnscorableError("The summary is this phrase already: nothing would change.")
        return [Edit(Span(0, len(summary)), text, "The phrase is all that is left of the summary.", self.spec)]


@PERTURBATIONS.add
@dataclass(frozen=True)
class BaselineFiller(Filler):
    """Speaks neither of the document nor of the summary, so that other phrases can be compared with it."""

    name: ClassVar[str] = "baseline-filler"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Baseline filler",
        intent="gaming",
        does="Adds a sentence about nothing at all.",
        paper=GAMING_PAPER,
    )
    default_phrase: ClassVar[str] = "That is how it is, and there is no more to it."


@PERTURBATIONS.add
@dataclass(frozen=True)
class QualifierFiller(Filler):
    """Hedges without saying what; as many words as the baseline filler has, so that only their kind differs."""

    name: ClassVar[str] = "qualifier-filler"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Qualifier filler",
        intent="gaming",
        does="Adds a qualification that takes nothing back.",
        paper=GAMING_PAPER,
    )
    default_phrase: ClassVar[str] = "In general, and as far as can be told, this may apply."


@PERTURBATIONS.add
@dataclass(frozen=True)
class Phrase(Filler):
    """The phrase as it is given; what stands there by default speaks of the document and claims nothing of it."""

    name: ClassVar[str] = "phrase"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Top phrase, or your own",
        intent="gaming",
        does="Adds a phrase that carries no claim about the document.",
        paper=GAMING_PAPER,
    )
    default_phrase: ClassVar[str] = "The document discusses this."
    phrase: str = default_phrase

    @property
    def text(self) -> str:
        return self.phrase


@PERTURBATIONS.add
@dataclass(frozen=True)
class Assertion(Filler):
    """A claim of consistency in plain words; where `metric` is the spec of one, in its name."""

    name: ClassVar[str] = "assertion"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Assertion of consistency",
        intent="gaming",
        does="Claims that the summary is consistent, which is no evidence that it is.",
        paper=GAMING_PAPER,
    )
    default_phrase: ClassVar[str] = "This summary is fully consistent with the document."
    metric: str = ""

    @property
    def text(self) -> str:
        if not self.metric:
            return self.default_phrase
        return f"{METRICS.parse(self.metric).card.title} finds this summary fully consistent with the document."

    def targets(self, metric: str) -> bool:
        return self.metric in {"", metric}
