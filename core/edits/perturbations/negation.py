"""Negation of a statement, or removal of its negation."""

from __future__ import annotations

from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation
from core.text import Reversal, find_reversals, tokenize
from core.types import Edit, ErrorType, Example


@PERTURBATIONS.add
class Negation(RulePerturbation):
    """Puts "not" to the predicate of a clause, or takes it away."""

    name: ClassVar[str] = "negation"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Negate a predicate",
        intent="breaking",
        does="Puts not to the predicate of one clause, or takes it away.",
        paper="Ma et al. 2023, BUMP; a trivial edit in Thorat et al. 2024, SummExecEdit",
        error_type=ErrorType.INTRINSIC_PREDICATE,
    )
    no_proposals_message: ClassVar[str] = (
        "No clause of the summary can be denied by a single not: each has a quantifier, a condition, a negation of its own "
        "or a verb that is not known for sure."
    )

    def proposals(self, example: Example) -> list[Edit]:
        return [
            _negation_edit(reversal) for sentence in tokenize(example.summary) for reversal in find_reversals(sentence)
        ]


def _negation_edit(reversal: Reversal) -> Edit:
    why = (
        "By the document this is so; here it is denied."
        if reversal.denies
        else "The document denies this; here it is said."
    )
    return Edit(reversal.span, reversal.new, why)
