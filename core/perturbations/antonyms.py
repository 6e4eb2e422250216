"""A predicate is replaced by its contrary: one that the document never uses, or one that it uses of something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.mentions import mentions_inflected
from core.english.syntax import opposites, tokenize
from core.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, ErrorType, Example

_ANTONYM_EXPLANATION = "By the document it is “{old}” here, and never “{new}”, which is the contrary."


@PERTURBATIONS.add
@dataclass(frozen=True)
class Antonym(RulePerturbation):
    """Puts the contrary of a verb or predicative adjective in its place, in the same form."""

    name: ClassVar[str] = "antonym"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Deny a predicate by its contrary",
        intent="breaking",
        does="Replaces a verb or adjective by a contrary that the document does not use.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.EXTRINSIC_PREDICATE,
    )
    lacking: ClassVar[str] = (
        "The summary has no verb or adjective with a contrary in our list that would fit its place and is not in the document."
    )

    def proposals(self, example: Example) -> list[Edit]:
        return [
            replacement(example.summary, token.span, new, _ANTONYM_EXPLANATION.format(old=token.text, new=new))
            for sentence in tokenize(example.summary)
            for place, token in enumerate(sentence)
            for new in opposites(sentence, place)
            if not mentions_inflected(example.document, new)
        ]


_SWAP_EXPLANATION = "By the document it is “{old}” here; “{new}”, the contrary, is said of something else."


@PERTURBATIONS.add
@dataclass(frozen=True)
class PredicateSwapped(RulePerturbation):
    """Puts a contrary of a verb or predicative adjective in its place, in the same form."""

    name: ClassVar[str] = "predicate-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap a predicate within the document",
        intent="breaking",
        does="Replaces a verb or adjective by a contrary that the document uses of something else.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_PREDICATE,
    )
    lacking: ClassVar[str] = (
        "The summary has no verb or adjective whose contrary fits its place and is used in the document of something else."
    )

    def proposals(self, example: Example) -> list[Edit]:
        return [
            replacement(example.summary, token.span, new, _SWAP_EXPLANATION.format(old=token.text, new=new))
            for sentence in tokenize(example.summary)
            for place, token in enumerate(sentence)
            for new in opposites(sentence, place)
            if mentions_inflected(example.document, new)
        ]
