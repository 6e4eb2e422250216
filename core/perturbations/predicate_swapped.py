"""A predicate gives way to its contrary, which the document uses of something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.predicates import opposites
from core.english.tokens import tokenised
from core.extrinsic import stands_in
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting, replacement
from core.types import Edit, ErrorType, Example

_WHY = "By the document it is “{old}” here; “{new}”, the contrary, is said of something else."


@PERTURBATIONS.add
@dataclass(frozen=True)
class PredicateSwapped(Rewriting):
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
            replacement(example.summary, token.span, new, _WHY.format(old=token.text, new=new))
            for sentence in tokenised(example.summary)
            for place, token in enumerate(sentence)
            for new in opposites(sentence, place)
            if stands_in(example.document, new)
        ]
