"""A predicate is replaced by its contrary: one that the document never uses, or one that it uses of something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.mentions import mentions_inflected
from core.english.syntax import opposites, tokenize
from core.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, ErrorType, Example


@dataclass(frozen=True)
class _Contrary(RulePerturbation):
    """Puts the contrary of a verb or predicative adjective in its place, in the same form."""

    from_document: ClassVar[bool]
    explanation: ClassVar[str]

    def proposals(self, example: Example) -> list[Edit]:
        return [
            replacement(example.summary, token.span, new, self.explanation.format(old=token.text, new=new))
            for sentence in tokenize(example.summary)
            for place, token in enumerate(sentence)
            for new in opposites(sentence, place)
            if mentions_inflected(example.document, new) == self.from_document
        ]


@PERTURBATIONS.add
@dataclass(frozen=True)
class Antonym(_Contrary):
    """Takes a contrary that the document never uses."""

    name: ClassVar[str] = "antonym"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Deny a predicate by its contrary",
        intent="breaking",
        does="Replaces a verb or adjective by a contrary that the document does not use.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.EXTRINSIC_PREDICATE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no verb or adjective with a contrary in our list that would fit its place and is not in the document."
    )
    from_document: ClassVar[bool] = False
    explanation: ClassVar[str] = "By the document it is “{old}” here, and never “{new}”, which is the contrary."


@PERTURBATIONS.add
@dataclass(frozen=True)
class PredicateSwapped(_Contrary):
    """Takes a contrary that the document uses of something else."""

    name: ClassVar[str] = "predicate-swapped"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Swap a predicate within the document",
        intent="breaking",
        does="Replaces a verb or adjective by a contrary that the document uses of something else.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.INTRINSIC_PREDICATE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no verb or adjective whose contrary fits its place and is used in the document of something else."
    )
    from_document: ClassVar[bool] = True
    explanation: ClassVar[str] = "By the document it is “{old}” here; “{new}”, the contrary, is said of something else."
