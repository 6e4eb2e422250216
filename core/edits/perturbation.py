"""The contract of a perturbation, a seeded generator of executable edits, and the base of those that work by rule."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from core.base import memoize
from core.errors import TouchstoneError, UnscorableError
from core.model_reference import ModelRef, local_checkpoints
from core.models import fingerprint_of_files
from core.registry import Registry, format_spec, profile_field, title_with_settings
from core.scoring import portable_spec
from core.text import apply, indefinite_article, read_again, read_layout, words
from core.types import Edit, ErrorType, Example, Intention, Rounds, Span, Verdict

Intent = Literal["preserving", "breaking", "gaming"]
INTENTS: tuple[Intent, ...] = get_args(Intent)
Form = Literal["rule", "model", "prompt", "imported"]


@dataclass(frozen=True, slots=True)
class PerturbationCard:
    """Description of a perturbation: what it does to a summary, what it is meant to do to the truth, and its source.

    `form` is the maker of the variant: a rule of ours, a network of this machine, a prompted language model, or somebody who
    made it before.
    """

    title: str
    intent: Intent
    does: str
    paper: str
    error_type: ErrorType | None = None
    form: Form = "rule"

    @property
    def intention(self) -> Intention:
        """Intention of every summary that is made so; gaming phrases neither break nor keep what counts."""
        verdicts: dict[Intent, Verdict] = {"preserving": Verdict.CONSISTENT, "breaking": Verdict.INCONSISTENT}
        return Intention(verdicts.get(self.intent), self.error_type)


@dataclass(frozen=True)
class Perturbation(ABC):
    """A frozen dataclass whose fields are its settings; the same seed gives the same edits.

    `edits` raises UnscorableError, with the reason, where the perturbation cannot apply: it never returns a summary
    unchanged. A perturbation that asks a model overrides `rounds` instead.
    """

    name: ClassVar[str]
    card: ClassVar[PerturbationCard]
    profile: str = profile_field()

    def checkpoints(self) -> tuple[ModelRef, ...]:
        """The weights or endpoint this perturbation needs; none for a rule."""
        return ()

    @abstractmethod
    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        """Edits of the summary, in order and not overlapping."""

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        yield []
        return self.edits(example, random.Random(f"{seed}\0{example.id}"))

    @property
    def spec(self) -> str:
        return format_spec(self)

    @property
    def title(self) -> str:
        """Title with the settings, where it has any."""
        return title_with_settings(self.card.title, self.spec)

    @property
    def signature(self) -> str:
        """Signature that distinguishes two variants, besides the seed; with the model and its prompt where one is asked."""
        return self.spec


PERTURBATIONS: Registry[Perturbation] = Registry(
    "perturbation", f"{__package__}.perturbations", ("touchstone.perturbations",), Perturbation
)


def kind_title(spec: str) -> str:
    """The title of a perturbation for people to read, with its settings; a name that is no perturbation as it is."""
    try:
        return PERTURBATIONS.parse(spec).title
    except TouchstoneError:  # a row over several kinds, or a plug-in that is not here any more
        return spec


def refusal(perturbation: Perturbation, example: Example) -> str:
    """Reason why a perturbation with these settings cannot edit this summary, as far as that is known before it runs; else empty."""
    try:
        if perturbation.card.form == "rule":
            perturbation.edits(example, random.Random(0))
        else:
            _ = perturbation.signature
    except TouchstoneError as error:
        return str(error)
    return ""


MAX_MENTIONS = 100
"""Limit on names, dates or numbers of a text that are looked at: more than a summary has, a bound for a book."""

_ARTICLE_BEFORE = re.compile(r"\b([Aa]n?) $")


@dataclass(frozen=True)
class RulePerturbation(Perturbation):
    """Draws up to `most` of its proposals, no two on the same words; `no_proposals_message` says why there may be none."""

    no_proposals_message: ClassVar[str]

    most: int = 1

    @abstractmethod
    def proposals(self, example: Example) -> list[Edit]:
        """Everything that could be done, in any order; alternatives may overlap."""

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        if self.most < 1:
            raise UnscorableError(f"most={self.most} allows no edit. Set most=1 or more.")
        by_place: dict[Span, list[Edit]] = {}
        for edit in _proposals(self, example):
            by_place.setdefault(edit.span, []).append(edit)
        if not by_place:
            raise UnscorableError(self.no_proposals_message)
        edits: list[Edit] = []
        # a place first, then one of its alternatives, so that a place with many alternatives is not drawn more often
        for span in rng.sample(sorted(by_place), len(by_place)):
            apart = all(span.end < other.span.start or other.span.end < span.start for other in edits)
            if len(edits) < self.most and apart:
                edits.append(rng.choice(by_place[span]))
        return [replace(edit, by=self.spec) for edit in sorted(edits, key=lambda edit: edit.span)]


@memoize(64)
def _proposals(perturbation: RulePerturbation, example: Example) -> tuple[Edit, ...]:
    """Proposals of a perturbation, kept because training and several variants draw from the same ones again."""
    return tuple(perturbation.proposals(example))


def replacement(summary: str, span: Span, new: str, explanation: str = "") -> Edit:
    """Put other words in a place: a capital stays a capital, and an indefinite article before it follows the sound."""
    old = span.of(summary)
    word = new[:1].upper() + new[1:] if old[:1].isupper() else new
    before = _ARTICLE_BEFORE.search(summary, max(0, span.start - 4), span.start)
    if not before or indefinite_article(old) == indefinite_article(word):
        return Edit(span, word, explanation)
    written = indefinite_article(word).capitalize() if before.group(1)[0].isupper() else indefinite_article(word)
    return Edit(Span(before.start(), span.end), f"{written} {word}", explanation)


class ModelPerturbation(Perturbation):
    """Overrides `checkpoints` and `rounds`; a variant is signed with the weights that took part in it."""

    @property
    def signature(self) -> str:
        """Signature that distinguishes two variants; raises MissingWeightsError, LoadError for weights that are not here."""
        models = self.checkpoints()
        weights = "+".join(fingerprint_of_files(model)[:12] for model in local_checkpoints(models))
        return f"{portable_spec(self.spec, models)}|weights:{weights}"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # the signature of every perturbation
        raise UnscorableError(f"“{self.card.title}” asks a model, which takes a while: it cannot be done at once.")


OUR_RULE = "none: a rule of ours"


@dataclass(frozen=True)
class LayoutTwin(Perturbation):
    """A rule that leaves nothing to chance unless it says so; `no_twin_message` says what a summary has to have."""

    no_twin_message: ClassVar[str]

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        summary = example.summary
        edits = [edit for edit in self.layout_edits(summary, rng) if edit.new != edit.span.of(summary)]
        if not edits:
            raise UnscorableError(self.no_twin_message)
        if not self.says_the_same(summary, apply(summary, edits)):
            raise UnscorableError(
                "In this layout other words of the summary would be read, as where a line looks like a heading: it is left as it is."
            )
        return [replace(edit, explanation=self.card.does, by=self.spec) for edit in edits]

    @abstractmethod
    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:
        """Edits in the order of the text that make the layout; none where it cannot be made of the summary."""

    def says_the_same(self, before: str, after: str) -> bool:
        """True if two layouts have the same words in the same order, marks and headings left out."""
        return layout_words(before) == layout_words(after)


def layout_words(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, without the marks and headings of its layout."""
    reading = read_again(text, read_layout)
    return words(reading.text if reading else text)
