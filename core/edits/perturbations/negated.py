"""The same, said by denying the contrary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import FRAMES, Replacement, deny_by_adjective, deny_by_frame, deny_by_verb, tokenize
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class Negated(RulePerturbation):
    """Is open, is not closed; refused to go, did not agree to go; It is not the case that … not …

    Only words that are true exactly where their contraries are false, and whole sentences only where they are one
    simple clause. `frames=one` has that single frame, `several` draws from four, as “It is false that”.
    """

    name: ClassVar[str] = "negated"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Negate twice",
        intent="preserving",
        does="Says the same by denying its contrary.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    no_proposals_message: ClassVar[str] = (
        "No sentence of the summary can surely be said by denying its contrary: none is one simple clause or has a word "
        "with a complement in our lists."
    )

    most: int = 2
    frames: Literal["one", "several"] = "one"

    def proposals(self, example: Example) -> list[Edit]:
        changes: list[Replacement | None] = []
        for sentence in tokenize(example.summary):
            changes += [
                change
                for place in range(1, len(sentence))
                for change in (deny_by_adjective(sentence, place), deny_by_verb(sentence, place))
            ]
            frames = FRAMES if self.frames == "several" else FRAMES[:1]
            changes += [deny_by_frame(example.summary, example.document, sentence, frame) for frame in frames]
        return [replacement(example.summary, *change, self.card.does) for change in changes if change]
