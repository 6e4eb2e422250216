"""Whether people change their mind when they see the scores: their blind label beside the one that they gave afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session

from annotations.campaigns.reading import first_blind, last_words
from annotations.campaigns.setup import Terms


@dataclass(frozen=True, slots=True)
class Revisions:
    """How often each blind answer was followed by which answer in sight of the scores, equal ones too."""

    moves: Mapping[tuple[str, str], int]

    @property
    def asked(self) -> int:
        return sum(self.moves.values())

    @property
    def changed(self) -> int:
        return sum(number for (before, after), number in self.moves.items() if before != after)


def revisions(session: Session, campaign: Terms) -> Revisions:
    """The answers to the question that counts, before and after the scores were shown."""
    measure = campaign.questions.measure
    before = {(said.task, said.person): str(said.answers.get(measure)) for said in first_blind(session, campaign)}
    after = [said for said in last_words(session, campaign) if not said.blind]
    moves = Counter(
        (before[said.task, said.person], str(said.answers.get(measure)))
        for said in after
        if (said.task, said.person) in before
    )
    return Revisions(dict(sorted(moves.items())))
