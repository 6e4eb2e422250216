"""What the answers to each task of a campaign came to: by an adjudicator, by all, by most, or not at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from annotations.campaigns.reading import Said, first_blind, last_words, settled
from annotations.campaigns.setup import Terms


class How(StrEnum):
    """How the label of a task came about; one that is unresolved has none."""

    UNANIMOUS = "unanimous"
    MAJORITY = "by majority"
    ADJUDICATED = "adjudicated"
    SINGLE = "of one person"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A task with what people said of it and the answers that it came to; none where it is unresolved."""

    task: str
    item: str
    how: How
    said: tuple[Said, ...]
    answers: Mapping[str, Any]


def resolved(session: Session, campaign: Terms) -> list[Resolved]:
    """Every task of work that somebody answered. A decision of an adjudicator counts before what people said.

    Else the answer to the question that counts is that of more than half of them. What each says now counts; where scores
    are shown after a label, what each said first.
    """
    words = first_blind if campaign.rules.reveal else last_words
    by_task: dict[str, list[Said]] = defaultdict(list)
    for said in words(session, campaign):
        by_task[said.task].append(said)
    decided = settled(session, campaign)
    measure = campaign.questions.measure
    return [
        Resolved(task, said[0].item, How.ADJUDICATED, tuple(said), decided[task].answers)
        if task in decided
        else _counted(task, said, measure)
        for task, said in by_task.items()
    ]


def _counted(task: str, said: Sequence[Said], measure: str) -> Resolved:
    value, most = Counter(one.answers.get(measure) for one in said).most_common(1)[0]
    if 2 * most <= len(said):
        return Resolved(task, said[0].item, How.UNRESOLVED, tuple(said), {})
    how = How.MAJORITY if most < len(said) else How.UNANIMOUS if most > 1 else How.SINGLE
    winners = [one.answers for one in said if one.answers.get(measure) == value]
    return Resolved(task, said[0].item, how, tuple(said), _common(winners))


def _common(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What most of those who agree say of each question; nothing where two answers are as frequent."""
    names = dict.fromkeys(name for one in answers for name in one)
    found = {name: _commonest([one[name] for one in answers if name in one]) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _commonest(values: Sequence[Any]) -> Any:
    counted = [(sum(other == value for other in values), value) for value in values]  # lists have no hash
    most = max(count for count, _ in counted)
    first, *others = [value for count, value in counted if count == most]
    return first if all(other == first for other in others) else None
