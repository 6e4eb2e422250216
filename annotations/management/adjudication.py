"""Adjudication: disputed tasks, lowest agreement first, with anonymous labels; and the decision that resolves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign, load_campaigns, stable_number
from annotations.campaigns.questions import Answers, check_answers, check_text_answers, unswap_answers
from annotations.campaigns.task_texts import TaskTexts, load_task_texts
from annotations.people.people import SELECT_NAMES, Member, Right
from annotations.results.progress_counts import count_changed
from annotations.results.resolution import tasks_by_majority, tasks_by_model
from annotations.results.results import (
    LabelProvenance,
    StoredDecision,
    TaskResult,
    latest_blind_labels,
    load_cases,
    load_labels,
)
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.records import RecordError, require_storable
from annotations.store.response_tables import Adjudication, FlagResolution, Reservation, Response, TaskCounts
from annotations.store.store import Store
from annotations.store.tables import Origin
from annotations.store.writes import next_revision


class DisagreementCause(StrEnum):
    """Reasons why labels differ."""

    SLIP = "annotator slip"
    AMBIGUOUS = "ambiguous text"
    GUIDELINE_GAP = "guideline gap"
    EDGE_CASE = "real edge case"


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task of the queue, with the agreement of those who labelled it; `reopened` where a later label contradicts the decision."""

    task: str
    agreement: float
    reopened: bool


@dataclass(frozen=True, slots=True)
class AdjudicationQueue:
    """The tasks to adjudicate: open ones, lowest agreement first, and decided ones.

    `excluded` counts tasks that this person labelled or made, which another adjudicator has to decide. `counts` has the
    number of labelled tasks by provenance.
    """

    open: tuple[QueuedTask, ...]
    decided: tuple[QueuedTask, ...]
    excluded: int
    counts: Mapping[LabelProvenance, int]


@dataclass(frozen=True, slots=True)
class AdjudicationTask(TaskTexts):
    """A disputed task as it is shown: the order of the sides and of the labels is random and carries no information."""

    task: str
    """Id of the task."""
    agreement: float
    """Share of pairs of labels that agree, in 0..1."""
    answers: tuple[Mapping[str, Any], ...]
    """Anonymous labels, with the sides as they are shown."""
    responses: tuple[int, ...]
    """Ids of the labels, in the order of `answers`."""
    flags: tuple[str, ...]
    """Reasons of the flags that nobody has resolved."""
    decision: StoredDecision | None
    """Newest decision, with the sides as they are shown; None before the first."""
    reopened: bool
    """True if labels came or changed after the decision."""


@dataclass(frozen=True, slots=True)
class SentDecision:
    """The decision on a disputed task as it was shown; `settles` are the responses that were looked at."""

    task: str
    answers: Answers
    cause: DisagreementCause
    settles: Sequence[int]
    event_id: str
    note: str = ""


_AT_ONCE = 5000  # tasks whose labels are read in one statement
_COUNT_CASES = (
    select_columns(col(TaskCounts.provenance), func.count())
    .where(col(TaskCounts.campaign_id) == bindparam("campaign"))
    .group_by(col(TaskCounts.provenance))
)
_SELECT_DISPUTED = (
    select_columns(
        *(col(TaskCounts.task_id), col(TaskCounts.provenance), col(TaskCounts.agreement)),
        exists().where(col(Adjudication.task_id) == col(TaskCounts.task_id)).label("decided"),
    )
    .where(
        col(TaskCounts.campaign_id) == bindparam("campaign"),
        col(TaskCounts.provenance).in_((LabelProvenance.UNRESOLVED.value, LabelProvenance.ADJUDICATED.value)),
    )
    .order_by(col(TaskCounts.agreement), col(TaskCounts.task_id))
)
_SELECT_HAD = (
    select(Reservation.task_id)
    .where(Reservation.campaign_id == bindparam("campaign"), Reservation.person_id == bindparam("person"))
    .distinct()
)


class AdjudicatorActions:
    """Actions of an adjudicator; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.ADJUDICATE)
        self._store = store
        self._person = person

    def campaigns(self) -> list[CampaignSettings]:
        """Every campaign, newest first."""
        with read_session(self._store.engine) as session:
            return load_campaigns(session)

    def queue(self, campaign_id: str) -> AdjudicationQueue:
        """Tasks with different answers that no model of annotators resolves, and decisions that a later label contradicts."""
        count_changed(self._store, campaign_id)
        params = {"campaign": campaign_id}
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)
            by_model = tasks_by_model(session, campaign)
            counts = session.connection().execute(_COUNT_CASES, params).all()
            rows = session.connection().execute(_SELECT_DISPUTED, params).all()
            disputed = [row for row in rows if row.decided or row.task_id not in by_model]
            labelled = self._labelled_tasks(session, campaign, {row.task_id for row in disputed})
            own = self._own_tasks(session, campaign) | labelled
        allowed = [row for row in disputed if row.task_id not in own]
        unresolved = [row for row in allowed if row.provenance == LabelProvenance.UNRESOLVED]
        adjudicated = [row for row in allowed if row.provenance == LabelProvenance.ADJUDICATED]
        return AdjudicationQueue(
            open=tuple(QueuedTask(row.task_id, row.agreement, row.decided) for row in unresolved),
            decided=tuple(QueuedTask(row.task_id, row.agreement, reopened=False) for row in adjudicated),
            excluded=len(disputed) - len(allowed),
            counts={LabelProvenance(provenance): number for provenance, number in counts if provenance},
        )

    def by_majority(self, campaign_id: str, tasks: Sequence[str]) -> frozenset[str]:
        """The tasks, of those given, that the rule of the majority resolves without a decision."""
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)
            return frozenset().union(
                *(
                    tasks_by_majority(session, campaign, tasks[start : start + _AT_ONCE])
                    for start in range(0, len(tasks), _AT_ONCE)
                )
            )

    def task(self, campaign_id: str, task: str) -> AdjudicationTask:
        """A task with its texts and the labels to compare. Raises RecordError for one that this person may not adjudicate."""
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)
            return self._task_as_shown(session, campaign, self._case(session, campaign, task))

    def save_decision(self, campaign_id: str, decision: SentDecision) -> int:
        """Save a decision as the next revision, and return its number. A re-sent event changes nothing.

        Raises RecordError for answers that do not fit, for labels that are not there, and for a task that this person
        labelled or made.
        """
        require_storable("the note", decision.note, decision.event_id)
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            saved = session.exec(select(Adjudication).where(Adjudication.event_id == decision.event_id)).first()
            if saved:
                return saved.revision
            self._case(session, campaign, decision.task)
            if not decision.settles or not set(decision.settles) <= _response_ids(session, decision.task):
                raise RecordError("This decision names labels that do not exist. Reload the page and decide again.")
            revision = self._add_revision(session, campaign, decision)
        count_changed(self._store, campaign_id)
        return revision

    def _add_revision(self, session: Session, campaign: CampaignSettings, decision: SentDecision) -> int:
        session.exec(select(Task.id).where(Task.id == decision.task).with_for_update(key_share=True)).one()
        last = select(func.max(Adjudication.revision)).where(Adjudication.task_id == decision.task)
        revision = next_revision(session, last)
        answers = unswap_answers(campaign.questions, decision.answers, self._swapped(campaign, decision.task))
        checked = check_answers(campaign.questions, answers)
        texts = load_task_texts(session, campaign, decision.task)
        check_text_answers(campaign.questions, checked, texts.document, texts.left, texts.right)
        session.add(
            Adjudication(
                task_id=decision.task,
                revision=revision,
                answers=checked,
                cause=decision.cause.value,
                note=decision.note,
                settles=sorted(decision.settles),
                by=self._person.name,
                event_id=decision.event_id,
                created_at=datetime.now(UTC),
            )
        )
        return revision

    def _case(self, session: Session, campaign: CampaignSettings, task: str) -> TaskResult:
        case = next(iter(load_cases(session, campaign, [task])), None)
        if case is None:
            raise RecordError(f"There is no label of task {task!r} to adjudicate. Reload the page.")
        if self._has_labelled(case):
            raise RecordError("You labelled this one yourself. Somebody else has to adjudicate it.")
        if task in self._own_tasks(session, campaign):
            raise RecordError("You made this one yourself. Somebody else has to adjudicate it.")
        return case

    def _has_labelled(self, case: TaskResult) -> bool:
        return self._person.name in {label.person for label in case.labels}

    def _labelled_tasks(self, session: Session, campaign: CampaignSettings, disputed: Set[str]) -> set[str]:
        """The tasks, of those given, that this person has labelled."""
        params = {"campaign": campaign.id, "person": self._person.id}
        had = [task for task in session.exec(_SELECT_HAD, params=params) if task in disputed]
        labels = [
            label
            for start in range(0, len(had), _AT_ONCE)
            for label in load_labels(session, campaign, had[start : start + _AT_ONCE])
        ]
        return {label.task for label in latest_blind_labels(labels) if label.person == self._person.name}

    def _own_tasks(self, session: Session, campaign: CampaignSettings) -> set[str]:
        """The tasks whose item this person made, who knows what was meant."""
        tasks = select(Task.id).join(Origin, col(Origin.item_id) == Task.item_id)
        own = tasks.where(Task.campaign_id == campaign.id, col(Origin.by).in_(SELECT_NAMES))
        return set(session.exec(own, params={"person": self._person.id, "name": self._person.name}))

    def _swapped(self, campaign: CampaignSettings, task: str) -> bool:
        return campaign.questions.unit == "pair" and stable_number(self._person.id, task, "settled side") % 2 == 1

    def _task_as_shown(self, session: Session, campaign: CampaignSettings, case: TaskResult) -> AdjudicationTask:
        texts = load_task_texts(session, campaign, case.task)
        swapped, decision = self._swapped(campaign, case.task), case.decision
        unnamed = sorted(case.labels, key=lambda label: stable_number(self._person.id, label.response))
        reasons = select(Response.reason).join(Reservation, col(Reservation.id) == Response.reservation_id)
        flagged = reasons.where(Reservation.task_id == case.task, Response.act == "flag").order_by(col(Response.id))
        flags = session.exec(flagged.where(~exists().where(col(FlagResolution.response_id) == col(Response.id))))
        return AdjudicationTask(
            **texts.with_sides(swapped).texts,
            task=case.task,
            agreement=case.agreement,
            answers=tuple(unswap_answers(campaign.questions, label.answers, swapped) for label in unnamed),
            responses=tuple(label.response for label in unnamed),
            flags=tuple(flags),
            decision=replace(decision, answers=unswap_answers(campaign.questions, decision.answers, swapped))
            if decision
            else None,
            reopened=case.reopened,
        )


def _response_ids(session: Session, task: str) -> set[int]:
    """Ids of all answers to a task, old revisions too."""
    responses = select(Response.id).join(Reservation, col(Reservation.id) == Response.reservation_id)
    ids = session.exec(responses.where(Reservation.task_id == task, Response.act == "answer"))
    return {id for id in ids if id is not None}
