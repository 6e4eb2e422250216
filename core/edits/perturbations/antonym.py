"""A predicate is replaced by its contrary."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import contrary_verbs, mentions_inflected, opposites, tokenize
from core.types import Edit, ErrorType, Example


@PERTURBATIONS.add
class Antonym(RulePerturbation):
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

    def proposals(self, example: Example) -> list[Edit]:
        why = "By the document it is “{old}” here, and never “{new}”, which is the contrary."
        return [
            replacement(example.summary, token.span, new, why.format(old=token.text, new=new))
            for sentence in tokenize(example.summary)
            for place, token in enumerate(sentence)
            for new in dict.fromkeys([*opposites(sentence, place), *contrary_verbs(sentence, place)])
            if not mentions_inflected(example.document, new.split()[0])
        ]
