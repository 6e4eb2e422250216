"""The claims that came with the summary: from a file of pairs, or edited by hand on Probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.scoring.claim import DECOMPOSERS, Decomposer, FoundClaims
from core.text import ANY
from core.types import Example, Rounds


@DECOMPOSERS.add
@dataclass(frozen=True)
class GivenClaims(Decomposer):
    """Asks nothing, and finds nothing where a summary came without claims or was changed since."""

    name: ClassVar[str] = "given"
    title: ClassVar[str] = "Given with the summary"
    languages: ClassVar[str] = ANY

    def rounds(self, example: Example) -> Rounds[FoundClaims]:
        yield from ()  # a conversation without a question
        claim_list = example.claims
        if claim_list is None or not claim_list.claims:
            raise UnscorableError(
                "No claims came with this summary. Write a file that has them with `cli.py claims`, edit them on Probe, or choose "
                "another way with by=."
            )
        if claim_list.summary != example.summary:
            raise UnscorableError("The claims that came with this summary are of another text. Find them again.")
        return FoundClaims(claim_list.claims, (f"claims:{claim_list.by or 'of unknown origin'}",))
