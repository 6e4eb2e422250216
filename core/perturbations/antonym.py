"""A predicate gives way to its contrary, which the document does not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.predicates import opposites
from core.english.tokens import tokenised
from core.extrinsic import stands_in
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting, replacement
from core.types import Edit, ErrorType, Example

_WHY = "By the document it is “{old}” here, and never “{new}”, which is the contrary."


@PERTURBATIONS.add
@dataclass(frozen=True)
class Antonym(Rewriting):
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
            replacement(example.summary, token.span, new, _WHY.format(old=token.text, new=new))
            for sentence in tokenised(example.summary)
            for place, token in enumerate(sentence)
            for new in opposites(sentence, place)
            if not stands_in(example.document, new)
        ]
