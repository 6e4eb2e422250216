"""What the answers to each task of a campaign came to: by an adjudicator, by all, by most, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from annotations.campaigns.cases import Case, cases
from annotations.campaigns.reading import Said, Settled
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
    """Every task of work that somebody answered without sight of a score; see `cases`.

    A decision of an adjudicator counts before what people said, unless a later label contradicts it. Else the answer to the
    question that counts is that of more than half of them.
    """
    measure = campaign.questions.measure
    return [_resolved(case, measure) for case in cases(session, campaign)]


def _resolved(case: Case, measure: str) -> Resolved:
    how, answers = _decided(case.decided, case.reopened) if case.decided else _counted(case.said, measure)
    return Resolved(case.task, case.said[0].item, how, case.said, answers)


def _decided(decision: Settled, reopened: bool) -> tuple[How, Mapping[str, Any]]:
    return (How.UNRESOLVED, {}) if reopened else (How.ADJUDICATED, decision.answers)


def _counted(said: Sequence[Said], measure: str) -> tuple[How, Mapping[str, Any]]:
    value, most = Counter(one.answers.get(measure) for one in said).most_common(1)[0]
    if 2 * most <= len(said):
        return How.UNRESOLVED, {}
    how = How.MAJORITY if most < len(said) else How.UNANIMOUS if most > 1 else How.SINGLE
    return how, _common([one.answers for one in said if one.answers.get(measure) == value])


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
