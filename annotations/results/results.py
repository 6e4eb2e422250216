"""Labels of a campaign: the first and the last of each person, and the cases of tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, get_args

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import CampaignSettings, TaskPart
from annotations.campaigns.exclusions import load_excluded_questions, without_excluded
from annotations.campaigns.questions import read_questions, unswap_answers
from annotations.store.campaign_tables import Task, VersionRow
from annotations.store.people_tables import Person
from annotations.store.response_tables import Adjudication, Correction, Reservation, Response
from annotations.store.tables import ItemRow, Origin, SampleRow
from annotations.store.writes import ITEM_FACTS


@dataclass(frozen=True, slots=True)
class CampaignLabel:
    """One answer of one person to one task."""

    response: int
    """Id of the response."""
    task: str
    """Id of the task."""
    item: str
    """Id of the labelled item."""
    document: str
    """Id of its document."""
    part: str
    """Part of the campaign that the task belongs to."""
    turn: int
    """1 for the first time that the person had the task, 2 for a repeat."""
    counts: bool
    """False where others had taken its place, or an exclusion leaves it out."""
    person: str
    """Name of the person."""
    pseudonym: str
    """Pseudonym of the person."""
    answers: Mapping[str, Any]
    """Answers by question; left is the original, however the sides were shown."""
    version: int
    """Version of guidelines and questions that were shown."""
    revision: int
    """Number of the response to its reservation, from 1."""
    blind: bool
    """True if no score had been shown."""
    mode: str
    """Help that the label was given with."""
    active_ms: int
    """Milliseconds in which the person read or typed."""
    wall_ms: int
    """Milliseconds from showing the task to the response."""
    created_at: datetime
    """Time of the response."""


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """The newest decision of an adjudicator on a task."""

    task: str
    """Id of the task."""
    revision: int
    """Number of the decision on this task, from 1."""
    answers: Mapping[str, Any]
    """Answers decided on, with the original on the left."""
    cause: str
    """Reason why the labels differ."""
    note: str
    """Note of the adjudicator; "" for none."""
    settles: tuple[int, ...]
    """Ids of the responses that were decided on."""
    by: str
    """Name of the adjudicator."""
    created_at: datetime
    """Time of the decision."""


# columns, not ORM rows of four tables, which take most of the time
_LABEL_COLUMNS = (
    *(col(Response.id), col(Task.id), col(Task.item_id), col(Task.part), col(Reservation.turn), col(Reservation.state)),
    col(Reservation.excluded),
    *(col(Person.name), col(Person.pseudonym), col(Response.answers), col(Response.swapped), col(Response.version)),
    *(col(Response.revision), col(Response.blind), col(Response.mode), col(Response.active_ms), col(Response.wall_ms)),
    col(Response.created_at),
)


# Statements are made once: adaptive overlap reads the labels of a task after every answer.
_UNDO = aliased(Response)
_IS_UNDONE = exists().where(
    col(_UNDO.reservation_id) == col(Response.reservation_id),
    col(_UNDO.act) == "undo",
    col(_UNDO.revision) > col(Response.revision),
)
_IS_CHOSEN = col(Task.id).in_(bindparam("tasks", expanding=True))
_SELECT_VERSIONS = select(VersionRow.version, VersionRow.questions).where(
    VersionRow.campaign_id == bindparam("campaign")
)
_SELECT_DOCUMENTS = (
    select(ItemRow.id, ItemRow.document_id)
    .join(Task, col(Task.item_id) == ItemRow.id)
    .where(Task.campaign_id == bindparam("campaign"))
)
# not by campaign: SQLite would choose that index and read all its tasks
_SELECT_DOCUMENTS_OF_TASKS = (
    select(ItemRow.id, ItemRow.document_id).join(Task, col(Task.item_id) == ItemRow.id).where(_IS_CHOSEN)
)
_SELECT_LABELS = (
    select_columns(*_LABEL_COLUMNS)
    .join(Reservation, col(Reservation.id) == Response.reservation_id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .join(Person, col(Person.id) == Reservation.person_id)
    .where(col(Reservation.campaign_id) == bindparam("campaign"), col(Response.act) == "answer", ~_IS_UNDONE)
    .order_by(col(Response.id))
)
_SELECT_LABELS_OF_TASKS = _SELECT_LABELS.where(_IS_CHOSEN)


def load_labels(
    session: Session, campaign: CampaignSettings, tasks: Sequence[str] | None = None
) -> list[CampaignLabel]:
    """Answers to all tasks or to some, oldest first; excluded ones are marked as not counting."""
    params: dict[str, Any] = {"campaign": campaign.id}
    versions = session.exec(_SELECT_VERSIONS, params=params)
    questions = {version: read_questions(questions) for version, questions in versions}
    excluded_questions = load_excluded_questions(session, campaign)
    if tasks is None:
        documents = dict(session.exec(_SELECT_DOCUMENTS, params=params).all())
        rows = session.connection().execute(_SELECT_LABELS, params)
    else:
        params["tasks"] = list(tasks)
        documents = dict(session.exec(_SELECT_DOCUMENTS_OF_TASKS, params={"tasks": list(tasks)}).all())
        rows = session.connection().execute(_SELECT_LABELS_OF_TASKS, params)
    return [
        CampaignLabel(
            response,
            task,
            item,
            documents[item],
            part,
            turn,
            state == "answered" and not excluded,
            person,
            pseudonym,
            without_excluded(
                excluded_questions.get(person, ()),
                questions[version],
                rest[-1],
                unswap_answers(questions[version], answers, swapped),
            ),
            version,
            *rest,
        )
        for response, task, item, part, turn, state, excluded, person, pseudonym, answers, swapped, version, *rest in rows
    ]


def first_blind_labels(labels: Iterable[CampaignLabel]) -> list[CampaignLabel]:
    """The first label of each person for each task of work, before any score was seen; agreement is computed from these.

    Undone, late and repeated labels do not count.
    """
    first: dict[tuple[str, str], CampaignLabel] = {}
    for label in labels:
        if label.part == "work" and label.turn == 1 and label.blind and label.counts:
            first.setdefault((label.task, label.person), label)
    return list(first.values())


def latest_labels(labels: Iterable[CampaignLabel]) -> list[CampaignLabel]:
    """The current label of each person for each task of work."""
    last = {(label.task, label.person): label for label in labels if label.part == "work" and label.turn == 1}
    return [label for label in last.values() if label.counts]


def latest_blind_labels(labels: Iterable[CampaignLabel]) -> list[CampaignLabel]:
    """The current label of each person for each task of work, given before scores were seen."""
    return latest_labels(label for label in labels if label.blind)


def known_labels(labels: Iterable[CampaignLabel]) -> list[CampaignLabel]:
    """The first label of each person for each gold task."""
    first: dict[tuple[str, str], CampaignLabel] = {}
    for label in labels:
        if label.part == "gold" and label.counts:
            first.setdefault((label.task, label.person), label)
    return list(first.values())


def repeated_labels(labels: Iterable[CampaignLabel]) -> list[tuple[CampaignLabel, CampaignLabel]]:
    """The first and the second label of tasks of work that a person had twice."""
    turns: dict[tuple[str, str, int], CampaignLabel] = {}
    for label in labels:
        if label.part == "work" and label.counts:
            turns.setdefault((label.task, label.person, label.turn), label)
    twice = [(task, person) for task, person, turn in turns if turn == 2 and (task, person, 1) in turns]
    return [(turns[task, person, 1], turns[task, person, 2]) for task, person in twice]


def given_error_types(
    session: Session, campaign: CampaignSettings, of_items: Sequence[str] | None = None
) -> dict[str, str]:
    """The error type that each item of a campaign, or of some of them, was imported with, or else last saved with."""
    items = select(Task.item_id).where(Task.campaign_id == campaign.id)
    if of_items is not None:
        # all parts are named, so that SQLite looks up each item in the index of the campaign in place of reading all of it
        items = items.where(col(Task.part).in_(get_args(TaskPart)), col(Task.item_id).in_(of_items))
    intended = session.exec(
        select(Origin.item_id, Origin.error_type)
        .where(col(Origin.item_id).in_(items), col(Origin.error_type).is_not(None))
        .order_by(col(Origin.created_at))
    )
    facts = session.exec(
        select(SampleRow.item_id, SampleRow.facts)
        .where(col(SampleRow.item_id).in_(items))
        .order_by(col(SampleRow.number))
    )
    imported = {
        item: kind.value for item, stored in facts if item and (kind := ITEM_FACTS.validate_json(stored).error_type)
    }
    return {item: kind for item, kind in intended if kind} | imported


def corrected_error_types(session: Session) -> dict[str, str]:
    """The error type that a curator found last in each written edit, by the item that it made."""
    rows = session.exec(select(Correction.item_id, Correction.error_type).order_by(col(Correction.id)))
    return dict(rows.all())


def latest_decisions(
    session: Session, campaign: CampaignSettings, tasks: Sequence[str] | None = None
) -> dict[str, StoredDecision]:
    """The newest decision of each task of a campaign, or of some of its tasks, that has one."""
    decided = select(Adjudication).order_by(col(Adjudication.revision))
    if tasks is None:
        decided = decided.join(Task, col(Task.id) == Adjudication.task_id).where(Task.campaign_id == campaign.id)
    else:  # not by campaign, as for documents
        decided = decided.where(col(Adjudication.task_id).in_(tasks))
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
        for row in session.exec(decided)
    }


class LabelProvenance(StrEnum):
    """Origin of the label of a task: one person, all who labelled it, an adjudicator; or there is none yet."""

    SINGLE = "single"
    UNANIMOUS = "unanimous"
    ADJUDICATED = "adjudicated"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A labelled task. `agreement` is the share of pairs of people who give the same answer; 1 for one person.

    `reopened` says that a label came after the decision and contradicts it, so that it has to be looked at again.
    """

    task: str
    labels: tuple[CampaignLabel, ...]
    agreement: float
    decision: StoredDecision | None
    reopened: bool

    @property
    def provenance(self) -> LabelProvenance:
        if self.decision:
            return LabelProvenance.UNRESOLVED if self.reopened else LabelProvenance.ADJUDICATED
        if self.agreement < 1:
            return LabelProvenance.UNRESOLVED
        return LabelProvenance.SINGLE if len(self.labels) == 1 else LabelProvenance.UNANIMOUS

    @property
    def answers(self) -> Mapping[str, Any]:
        """The final answers: those of the decision, or those on which all labels agree; empty while it is unresolved."""
        if self.provenance is LabelProvenance.UNRESOLVED:
            return {}
        if self.decision:
            return self.decision.answers
        first, *others = (label.answers for label in self.labels)
        return {name: answer for name, answer in first.items() if all(answer == other.get(name) for other in others)}


def load_cases(session: Session, campaign: CampaignSettings, tasks: Sequence[str] | None = None) -> list[TaskResult]:
    """Every task of work, or some of them, with a label that was given before scores were seen."""
    decisions = latest_decisions(session, campaign, tasks)
    return cases_of_labels(campaign, load_labels(session, campaign, tasks), decisions)


def cases_of_labels(
    campaign: CampaignSettings, labels: Iterable[CampaignLabel], decisions: Mapping[str, StoredDecision]
) -> list[TaskResult]:
    """The cases that these labels make, with the decisions on their tasks."""
    return [
        TaskResult(
            task=id,
            labels=tuple(task_labels),
            agreement=share_of_agreeing_pairs(campaign, task_labels),
            decision=decisions.get(id),
            reopened=_is_reopened(campaign, task_labels, decisions.get(id)),
        )
        for id, task_labels in labels_by_task(latest_blind_labels(labels)).items()
    ]


def labels_by_task(labels: Sequence[CampaignLabel]) -> dict[str, list[CampaignLabel]]:
    """The answers of each task together."""
    by_task: dict[str, list[CampaignLabel]] = defaultdict(list)
    for label in labels:
        by_task[label.task].append(label)
    return dict(by_task)


def share_of_agreeing_pairs(campaign: CampaignSettings, labels: Sequence[CampaignLabel]) -> float:
    """The share of pairs of people with equal answers to the measured question; 1 for one person."""
    counts = Counter(campaign.questions.measured(label.answers) for label in labels)
    pairs = len(labels) * (len(labels) - 1)
    return sum(number * (number - 1) for number in counts.values()) / pairs if pairs else 1.0


def _is_reopened(campaign: CampaignSettings, labels: Sequence[CampaignLabel], decision: StoredDecision | None) -> bool:
    """True if a label since the decision contradicts it."""
    if decision is None:
        return False
    measured = campaign.questions.measured
    later = [label for label in labels if label.response not in decision.settles]
    return any(measured(label.answers) != measured(decision.answers) for label in later)
