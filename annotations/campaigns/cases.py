"""Every task of work that was labelled as a case: how far people agree, what was decided, and what counts in the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from annotations.campaigns.reading import Said, Settled, blind_words, settled
from annotations.campaigns.setup import Terms


class Provenance(StrEnum):
    """Where the label of a task comes from: one person, all who labelled it, an adjudicator; or there is none yet."""

    SINGLE = "single"
    UNANIMOUS = "unanimous"
    ADJUDICATED = "adjudicated"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Case:
    """A task that somebody labelled. `agreement` is the share of pairs of people who say the same; 1 for one person.

    `reopened` says that a label came after the decision and contradicts it, so that it has to be looked at again.
    """

    task: str
    said: tuple[Said, ...]
    agreement: float
    decided: Settled | None
    reopened: bool

    @property
    def provenance(self) -> Provenance:
        if self.decided:
            return Provenance.UNRESOLVED if self.reopened else Provenance.ADJUDICATED
        if self.agreement < 1:
            return Provenance.UNRESOLVED
        return Provenance.SINGLE if len(self.said) == 1 else Provenance.UNANIMOUS

    @property
    def answers(self) -> Mapping[str, Any]:
        """What counts in the end: the decision, or what all say alike; empty while it is unresolved."""
        if self.provenance is Provenance.UNRESOLVED:
            return {}
        if self.decided:
            return self.decided.answers
        first, *others = (one.answers for one in self.said)
        return {name: answer for name, answer in first.items() if all(answer == other.get(name) for other in others)}


def cases(session: Session, campaign: Terms, task: str | None = None) -> list[Case]:
    """Every task of work, or the one that is named, that somebody labelled without sight of a score."""
    done = settled(session, campaign)
    return [
        Case(
            task=id,
            said=tuple(said),
            agreement=agreement(campaign, said),
            decided=done.get(id),
            reopened=_is_reopened(campaign, said, done.get(id)),
        )
        for id, said in by_task(blind_words(session, campaign, task)).items()
    ]


def by_task(said: Sequence[Said]) -> dict[str, list[Said]]:
    """The answers of each task together."""
    together: dict[str, list[Said]] = defaultdict(list)
    for one in said:
        together[one.task].append(one)
    return dict(together)


def agreement(campaign: Terms, said: Sequence[Said]) -> float:
    """The share of pairs of people whose answers to the question that counts are equal; 1 for one person."""
    counts = Counter(one.answers.get(campaign.questions.measure) for one in said)
    pairs = len(said) * (len(said) - 1)
    return sum(number * (number - 1) for number in counts.values()) / pairs if pairs else 1.0


def _is_reopened(campaign: Terms, said: Sequence[Said], decided: Settled | None) -> bool:
    """Whether somebody has said since what the decision does not."""
    if decided is None:
        return False
    measure = campaign.questions.measure
    later = [one for one in said if one.response not in decided.settles]
    return any(one.answers.get(measure) != decided.answers.get(measure) for one in later)
