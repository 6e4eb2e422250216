"""What people answered: first and last labels of each person, the cases that they make of a task, and what each task came to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, true
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import QuestionSet, read_questions, unswap_answers
from annotations.campaigns.tables import Correction, Person, Reservation, Response, Settlement, Task, VersionRow
from annotations.tables import Item


@dataclass(frozen=True, slots=True)
class CampaignLabel:
    """One answer of one person to one task; left is the original, however the sides stood."""

    response: int
    task: str
    item: str
    document: str
    part: str
    turn: int
    counts: bool
    person: str
    pseudonym: str
    answers: Mapping[str, Any]
    version: int
    revision: int
    blind: bool
    active_ms: int
    wall_ms: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """What an adjudicator decided of a task last."""

    task: str
    revision: int
    answers: Mapping[str, Any]
    cause: str
    note: str
    settles: tuple[int, ...]
    by: str
    created_at: datetime


# columns, not rows of four tables: making those would take most of the time
_LABEL_COLUMNS = (
    *(col(Response.id), col(Task.id), col(Task.item_id), col(Task.part), col(Reservation.turn), col(Reservation.state)),
    *(col(Person.name), col(Person.pseudonym), col(Response.answers), col(Response.swapped), col(Response.version)),
    *(col(Response.revision), col(Response.blind), col(Response.active_ms), col(Response.wall_ms)),
    col(Response.created_at),
)


def first_blind_labels(session: Session, campaign: CampaignSettings) -> list[CampaignLabel]:
    """What each person said first of each task of work, before any score was seen; what agreement is reckoned from.

    What was taken back, came too late or is a second turn does not count.
    """
    first: dict[tuple[str, str], CampaignLabel] = {}
    for said in _all_labels(session, campaign):
        if said.part == "work" and said.turn == 1 and said.blind and said.counts:
            first.setdefault((said.task, said.person), said)
    return list(first.values())


def latest_labels(session: Session, campaign: CampaignSettings) -> list[CampaignLabel]:
    """What each person says of each task of work now."""
    last = {
        (said.task, said.person): said
        for said in _all_labels(session, campaign)
        if said.part == "work" and said.turn == 1
    }
    return [said for said in last.values() if said.counts]


def latest_blind_labels(session: Session, campaign: CampaignSettings, task: str | None = None) -> list[CampaignLabel]:
    """What each person says of each task of work, or of one of them, now, without sight of a score."""
    last = {
        (said.task, said.person): said
        for said in _all_labels(session, campaign, task)
        if said.part == "work" and said.turn == 1 and said.blind
    }
    return [said for said in last.values() if said.counts]


def repeated_labels(session: Session, campaign: CampaignSettings) -> list[tuple[CampaignLabel, CampaignLabel]]:
    """The first and the second turn of what somebody had twice."""
    turns: dict[tuple[str, str, int], CampaignLabel] = {}
    for said in _all_labels(session, campaign):
        if said.counts:
            turns.setdefault((said.task, said.person, said.turn), said)
    twice = [(task, person) for task, person, turn in turns if turn == 2 and (task, person, 1) in turns]
    return [(turns[task, person, 1], turns[task, person, 2]) for task, person in twice]


def corrected_error_types(session: Session) -> dict[str, str]:
    """The error type that a curator found last in each written edit, by the item that it made."""
    found = session.exec(select(Correction.item_id, Correction.error_type).order_by(col(Correction.id)))
    return dict(found.all())


def latest_decisions(session: Session, campaign: CampaignSettings) -> dict[str, StoredDecision]:
    """The newest decision of each task that has one."""
    found = session.exec(
        select(Settlement)
        .join(Task, col(Task.id) == Settlement.task_id)
        .where(Task.campaign_id == campaign.id)
        .order_by(col(Settlement.revision))
    )
    return {
        row.task_id: StoredDecision(
            row.task_id,
            row.revision,
            row.answers,
            row.cause,
            row.note,
            tuple(row.settles),
            row.by,
            row.created_at,
        )
        for row in found
    }


def _all_labels(session: Session, campaign: CampaignSettings, task: str | None = None) -> Iterator[CampaignLabel]:
    """Every answer, or those to one task, in the order in which it came."""
    asked = _questions_by_version(session, campaign)
    documents = _document_ids(session, campaign)
    wanted = true() if task is None else col(Task.id) == task
    found = session.connection().execute(
        select_columns(*_LABEL_COLUMNS)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(col(Reservation.campaign_id) == campaign.id, col(Response.act) == "answer", ~_is_undone(), wanted)
        .order_by(col(Response.id))
    )
    for response, task, item, part, turn, state, person, pseudonym, answers, swapped, version, *rest in found:
        yield CampaignLabel(
            response,
            task,
            item,
            documents[item],
            part,
            turn,
            state == "answered",
            person,
            pseudonym,
            unswap_answers(asked[version], answers, swapped),
            version,
            *rest,
        )


def _is_undone() -> ColumnElement[bool]:
    undo = aliased(Response)
    return exists().where(
        col(undo.reservation_id) == col(Response.reservation_id),
        col(undo.act) == "undo",
        col(undo.revision) > col(Response.revision),
    )


def _document_ids(session: Session, campaign: CampaignSettings) -> dict[str, str]:
    """The document of each item of a campaign."""
    items = select(Item.id, Item.document_id).join(Task, col(Task.item_id) == Item.id)
    return dict(session.exec(items.where(Task.campaign_id == campaign.id)).all())


def _questions_by_version(session: Session, campaign: CampaignSettings) -> dict[int, QuestionSet]:
    versions = session.exec(
        select(VersionRow.version, VersionRow.questions).where(VersionRow.campaign_id == campaign.id)
    )
    return {version: read_questions(questions) for version, questions in versions}


class LabelProvenance(StrEnum):
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
    said: tuple[CampaignLabel, ...]
    agreement: float
    decided: StoredDecision | None
    reopened: bool

    @property
    def provenance(self) -> LabelProvenance:
        if self.decided:
            return LabelProvenance.UNRESOLVED if self.reopened else LabelProvenance.ADJUDICATED
        if self.agreement < 1:
            return LabelProvenance.UNRESOLVED
        return LabelProvenance.SINGLE if len(self.said) == 1 else LabelProvenance.UNANIMOUS

    @property
    def answers(self) -> Mapping[str, Any]:
        """What counts in the end: the decision, or what all say alike; empty while it is unresolved."""
        if self.provenance is LabelProvenance.UNRESOLVED:
            return {}
        if self.decided:
            return self.decided.answers
        first, *others = (one.answers for one in self.said)
        return {name: answer for name, answer in first.items() if all(answer == other.get(name) for other in others)}


def load_cases(session: Session, campaign: CampaignSettings, task: str | None = None) -> list[Case]:
    """Every task of work, or the one that is named, that somebody labelled without sight of a score."""
    done = latest_decisions(session, campaign)
    return [
        Case(
            task=id,
            said=tuple(said),
            agreement=share_of_agreeing_pairs(campaign, said),
            decided=done.get(id),
            reopened=_is_reopened(campaign, said, done.get(id)),
        )
        for id, said in labels_by_task(latest_blind_labels(session, campaign, task)).items()
    ]


def labels_by_task(said: Sequence[CampaignLabel]) -> dict[str, list[CampaignLabel]]:
    """The answers of each task together."""
    together: dict[str, list[CampaignLabel]] = defaultdict(list)
    for one in said:
        together[one.task].append(one)
    return dict(together)


def share_of_agreeing_pairs(campaign: CampaignSettings, said: Sequence[CampaignLabel]) -> float:
    """The share of pairs of people whose answers to the question that counts are equal; 1 for one person."""
    counts = Counter(campaign.questions.measured(one.answers) for one in said)
    pairs = len(said) * (len(said) - 1)
    return sum(number * (number - 1) for number in counts.values()) / pairs if pairs else 1.0


def _is_reopened(campaign: CampaignSettings, said: Sequence[CampaignLabel], decided: StoredDecision | None) -> bool:
    """Whether somebody has said since what the decision does not."""
    if decided is None:
        return False
    measured = campaign.questions.measured
    later = [one for one in said if one.response not in decided.settles]
    return any(measured(one.answers) != measured(decided.answers) for one in later)


class Resolution(StrEnum):
    """How the label of a task came about; one that is unresolved has none."""

    UNANIMOUS = "unanimous"
    MAJORITY = "by majority"
    ADJUDICATED = "adjudicated"
    SINGLE = "of one person"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """A task with what people said of it and the answers that it came to; none where it is unresolved."""

    task: str
    item: str
    how: Resolution
    said: tuple[CampaignLabel, ...]
    answers: Mapping[str, Any]


def resolve_tasks(session: Session, campaign: CampaignSettings) -> list[ResolvedTask]:
    """Every task of work that somebody answered without sight of a score; see `cases`.

    A decision of an adjudicator counts before what people said, unless a later label contradicts it. Else the answer to the
    question that counts is that of more than half of them.
    """
    return [_resolve_case(case, campaign.questions) for case in load_cases(session, campaign)]


def _resolve_case(case: Case, questions: QuestionSet) -> ResolvedTask:
    how, answers = (
        _resolve_by_decision(case.decided, case.reopened)
        if case.decided
        else _resolve_by_majority(case.said, questions)
    )
    return ResolvedTask(case.task, case.said[0].item, how, case.said, answers)


def _resolve_by_decision(decision: StoredDecision, reopened: bool) -> tuple[Resolution, Mapping[str, Any]]:
    return (Resolution.UNRESOLVED, {}) if reopened else (Resolution.ADJUDICATED, decision.answers)


def _resolve_by_majority(said: Sequence[CampaignLabel], questions: QuestionSet) -> tuple[Resolution, Mapping[str, Any]]:
    value, most = Counter(questions.measured(one.answers) for one in said).most_common(1)[0]
    if 2 * most <= len(said):
        return Resolution.UNRESOLVED, {}
    how = Resolution.MAJORITY if most < len(said) else Resolution.UNANIMOUS if most > 1 else Resolution.SINGLE
    return how, _most_common_answers([one.answers for one in said if questions.measured(one.answers) == value])


def _most_common_answers(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What most of those who agree say of each question; nothing where two answers are as frequent."""
    names = dict.fromkeys(name for one in answers for name in one)
    found = {name: _most_common_value([one[name] for one in answers if name in one]) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _most_common_value(values: Sequence[Any]) -> Any:
    counted = [(sum(other == value for other in values), value) for value in values]  # lists have no hash
    most = max(count for count, _ in counted)
    first, *others = [value for count, value in counted if count == most]
    return first if all(other == first for other in others) else None
