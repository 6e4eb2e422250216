"""Two clauses that a sentence joins become two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.english.syntax import ClauseJoint, Sentence, find_joint, tokenize
from core.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation
from core.types import Edit, Example, Span


@PERTURBATIONS.add
@dataclass(frozen=True)
class Simplified(RulePerturbation):
    """Ends the sentence before "and", "but" or a semicolon, where a whole main clause follows."""

    name: ClassVar[str] = "simplified"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Simplify: split joined sentences",
        intent="preserving",
        does="Makes two sentences of two main clauses that and, but or a semicolon joins.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    no_proposals_message: ClassVar[str] = (
        "No sentence of the summary surely joins two main clauses by and, but or a semicolon: there is nothing to split."
    )

    most: int = 5

    def proposals(self, example: Example) -> list[Edit]:
        found = [(sentence, find_joint(sentence)) for sentence in tokenize(example.summary)]
        return [_split_edit(sentence, link, self.card.does) for sentence, link in found if link]


def _split_edit(sentence: Sentence, link: ClauseJoint, does: str) -> Edit:
    """Replace the link by a full stop; "but" stays and opens the new sentence."""
    first = sentence[link.subject]
    contrast = sentence[link.subject - 1].low == "but"
    opening = f"But {first.text}" if contrast else first.text[:1].upper() + first.text[1:]
    return Edit(Span(sentence[link.link - 1].span.end, first.span.end), f". {opening}", does)
