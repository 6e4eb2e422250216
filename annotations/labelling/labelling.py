"""Actions of an annotator: take tasks, write responses and drafts, and see the scores that are revealed afterwards.

Nothing that is shown before the response selects a score, an author, an intention, an answer key or another's label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from annotations.campaigns.assignment import campaign_ids_for, lock_queue, require_assigned
from annotations.campaigns.campaign import (
    CampaignSettings,
    ReadGuidelines,
    load_campaign,
    load_campaigns,
    load_guidelines,
)
from annotations.campaigns.qualification import (
    MarkedAnswer,
    Stage,
    TrainingRound,
    count_finished_tasks,
    count_tasks,
    current_stage,
    mark_answers,
    training_rounds,
)
from annotations.campaigns.task_texts import ShownTask, show_task
from annotations.campaigns.withdrawals import IS_WITHDRAWN
from annotations.campaigns.work_plan import load_person_tasks
from annotations.labelling.crowd import JoinedSession, finish_session, last_session
from annotations.labelling.limits import shown_warning
from annotations.labelling.queue import NoTask, reserve_ahead, reserve_next, reserve_training
from annotations.labelling.responses import (
    ResponseReceipt,
    SentResponse,
    draft_id,
    lock_reservation,
    require_own,
    save_response,
)
from annotations.people.people import Member, Right
from annotations.results.person_work import PersonWork, SeenSummary, load_own_work
from annotations.store.campaign_tables import Campaign, Task
from annotations.store.database import read_session
from annotations.store.records import MAX_TEXT, RecordError, RightsError, require_storable
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from annotations.store.tables import ItemRow, ScoreRow

_MAX_DRAFT_CHARACTERS = 1_000_000
_AFTER_TRAINING = (Stage.QUALIFICATION, Stage.WORK)


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """Progress of a person in a campaign: `done` of the `total` tasks of the stage, and `answered` in all.

    `version` is that of the guidelines at their last response; 0 before the first. `training` has their rounds of training
    between the end of one and what comes after, when another may be had; else none. `warning` is the signal whose limit the
    last answers come close to; "" for none.
    """

    stage: Stage
    done: int
    total: int
    answered: int
    version: int
    training: tuple[TrainingRound, ...] = ()
    warning: str = ""


_IS_OWN = (Reservation.campaign_id == bindparam("campaign"), Reservation.person_id == bindparam("person"))
_SELECT_LAST_PART = (
    select(Task.part, Reservation.state)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(*_IS_OWN)
    .order_by(col(Reservation.number).desc())
    .limit(1)
)


_LAST_RESPONSE = (
    select(func.max(Response.created_at))
    .join(Reservation, col(Reservation.id) == Response.reservation_id)
    .where(*_IS_OWN)
    .scalar_subquery()
)
_COUNT_NEW = (
    select(func.count())
    .select_from(Task)
    .where(
        Task.campaign_id == bindparam("campaign"),
        Task.part == "work",
        ~IS_WITHDRAWN,
        col(Task.created_at) > _LAST_RESPONSE,
    )
)


class AnnotatorActions:
    """Actions of an annotator; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.LABEL)
        self._store = store
        self._person = person

    def campaigns(self) -> list[CampaignSettings]:
        """The campaigns that take labels of this person."""
        with read_session(self._store.engine) as session:
            open_campaigns = [campaign for campaign in load_campaigns(session) if campaign.is_open]
            own = campaign_ids_for(session, self._person, [campaign.id for campaign in open_campaigns])
            return [campaign for campaign in open_campaigns if campaign.id in own]

    def left_campaign(self, campaign_id: str) -> tuple[CampaignSettings, int] | None:
        """A campaign that takes no labels of this person, with the number of those that they gave; None if there is none."""
        with read_session(self._store.engine) as session:
            if session.get(Campaign, campaign_id) is None:
                return None
            answered = load_person_tasks(session, campaign_id, self._person.id).answered
            return load_campaign(session, campaign_id), answered

    def count_new_items(self, campaign_id: str) -> int:
        """Number of items of work that were added since the last response of this person; 0 before the first."""
        params = {"campaign": campaign_id, "person": self._person.id}
        with read_session(self._store.engine) as session:
            return session.exec(_COUNT_NEW, params=params).one()

    def own_work(self, campaign_id: str) -> tuple[PersonWork, dict[int, SeenSummary]]:
        """The labels of this person in a campaign, with what may be shown beside them, and by response the summary as they saw it."""
        with read_session(self._store.engine) as session:
            return load_own_work(session, load_campaign(session, campaign_id), self._person.id)

    def guidelines(self, campaign_id: str) -> list[ReadGuidelines]:
        """The texts that annotators of a campaign read, oldest first, each with the versions of the campaign that have it."""
        with read_session(self._store.engine) as session:
            require_assigned(session, campaign_id, self._person)
            return load_guidelines(session, campaign_id)

    def next(self, campaign_id: str) -> ShownTask | NoTask:
        """The current task, or the next one, reserved; NoTask with the reason where there is none. Raises RightsError for a campaign of others."""
        with self._store.writing_without_sync() as session:
            campaign = lock_queue(session, campaign_id, self._person)
            reservation = reserve_next(session, campaign, self._person)
            return reservation if isinstance(reservation, NoTask) else show_task(session, campaign, reservation)

    def ahead(self, reservation_id: int) -> ShownTask | NoTask:
        """Reserve and return the task after a reserved one; NoTask if it depends on the answer."""
        with self._store.writing_without_sync() as session:
            current = require_own(session.get(Reservation, reservation_id), self._person)
            try:
                campaign = lock_queue(session, current.campaign_id, self._person)
            except RightsError:
                return NoTask("closed")
            reservation = reserve_ahead(session, campaign, self._person, current)
            return reservation if isinstance(reservation, NoTask) else show_task(session, campaign, reservation)

    def shown(self, reservation_id: int) -> tuple[CampaignSettings, ShownTask]:
        """Current state of a task of this person and of its campaign."""
        with read_session(self._store.engine) as session:
            own = require_own(session.get(Reservation, reservation_id), self._person)
            campaign = load_campaign(session, own.campaign_id)
            return campaign, show_task(session, campaign, own)

    def previous(self, campaign_id: str, number: int) -> ShownTask | None:
        """The last task that this person answered before the task `number`, with the answers."""
        with read_session(self._store.engine) as session:
            require_assigned(session, campaign_id, self._person)
            earlier = (
                select(Reservation)
                .where(
                    Reservation.campaign_id == campaign_id,
                    Reservation.person_id == self._person.id,
                    Reservation.state == "answered",
                    col(Reservation.number) < number,
                )
                .order_by(col(Reservation.number).desc())
            )
            reservation = session.exec(earlier.limit(1)).first()
            return show_task(session, load_campaign(session, campaign_id), reservation) if reservation else None

    def send(self, sent: SentResponse) -> ResponseReceipt:
        """Save a response first of all; a re-sent event returns the receipt of the first one.

        Raises RecordError for answers that do not fit the questions and for a task that is not this person's.
        """
        require_storable("the reason", sent.reason, sent.event_id)
        require_storable("the answers", json.dumps(dict(sent.answers)), most=MAX_TEXT)
        with self._store.writing() as session:
            locked = lock_reservation(session, sent.reservation, self._person)
            return save_response(session, self._person, locked, sent)

    def save_draft(self, reservation: int, half_done: Mapping[str, Any]) -> None:
        """Save unfinished answers; they are restored with the task until it is answered or skipped."""
        payload = json.dumps(dict(half_done), ensure_ascii=False)
        if len(payload) > _MAX_DRAFT_CHARACTERS:
            raise RecordError("The draft is too long to keep. Shorten it.")
        self._store.save_draft(draft_id(reservation, self._person), self._person.id, payload)

    def draft(self, reservation: int) -> dict[str, Any]:
        """The unfinished answers of a task; empty where there are none."""
        payload = self._store.draft(draft_id(reservation, self._person))
        answers: dict[str, Any] = json.loads(payload) if payload else {}
        return answers

    def last_campaign(self) -> str | None:
        """The campaign of the last task of this person."""
        own = select(Reservation.campaign_id).where(Reservation.person_id == self._person.id)
        with read_session(self._store.engine) as session:
            return session.exec(own.order_by(col(Reservation.id).desc()).limit(1)).first()

    def progress(self, campaign_id: str) -> AnnotatorProgress:
        """Progress of this person in a campaign."""
        params = {"campaign": campaign_id, "person": self._person.id}
        with read_session(self._store.engine) as session:
            require_assigned(session, campaign_id, self._person)
            campaign = load_campaign(session, campaign_id)
            stage = current_stage(session, campaign, self._person)
            last = session.exec(_SELECT_LAST_PART, params=params).first()
            trained = stage in _AFTER_TRAINING and last is not None and last[0] == "training" and last[1] != "open"
            had = load_person_tasks(session, campaign_id, self._person.id)
            return AnnotatorProgress(
                stage=stage,
                done=had.finished
                if stage is Stage.WORK
                else count_finished_tasks(session, campaign, self._person, stage),
                total=count_tasks(session, campaign, stage),
                answered=had.answered,
                version=had.version,
                training=training_rounds(mark_answers(session, campaign, self._person, (Stage.TRAINING,)))
                if trained
                else (),
                warning=shown_warning(session, campaign_id, self._person.id),
            )

    def session_campaign(self) -> str | None:
        """Campaign of the newest session of a participant of a crowd platform; None for other people."""
        with read_session(self._store.engine) as session:
            return last_session(session, self._person.id)

    def finish_session(self, campaign_id: str) -> JoinedSession | None:
        """End the session of a participant of a crowd platform; None while there is something to label."""
        try:
            task = self.next(campaign_id)
        except RightsError:  # it is over already
            task = NoTask("closed")
        nothing = task if isinstance(task, NoTask) else None
        with self._store.writing() as session:
            return finish_session(session, campaign_id, self._person.id, nothing)

    def train_again(self, campaign_id: str) -> None:
        """Reserve every training item for one more round. Raises RecordError for a person who has had other items of the campaign."""
        with self._store.writing() as session:
            reserve_training(session, lock_queue(session, campaign_id, self._person), self._person)

    def feedback(self, reservation_id: int) -> MarkedAnswer | None:
        """The feedback on an answered training item; None for any other."""
        with read_session(self._store.engine) as session:
            reservation = require_own(session.get(Reservation, reservation_id), self._person)
            if session.get_one(Task, reservation.task_id).part != "training":
                return None
            campaign = load_campaign(session, reservation.campaign_id)
            marked = mark_answers(session, campaign, self._person, (Stage.TRAINING,))
            return next((answer for answer in marked if answer.reservation == reservation_id), None)


def load_revealed_scores(store: Store, person: Member, reservation_id: int) -> dict[str, tuple[float | None, float]]:
    """The stored scores of a task that this person answered, by metric: that of the original, None without, and of the item.

    Raises RightsError before the task is answered, and where the campaign shows none.
    """
    with read_session(store.engine) as session:
        reservation = session.get(Reservation, reservation_id)
        if reservation is None or reservation.person_id != person.id or reservation.state != "answered":
            raise RightsError("Scores are shown after your own label, not before.")
        if not load_campaign(session, reservation.campaign_id).rules.reveal:
            raise RightsError("This campaign does not show scores.")
        item = session.get_one(ItemRow, session.get_one(Task, reservation.task_id).item_id)
        edited, original = _newest_scores(session, item.id), _newest_scores(session, item.parent_id or "")
    return {metric: (original.get(metric), value) for metric, value in edited.items()}


def _newest_scores(session: Session, item_id: str) -> dict[str, float]:
    """The newest score of each metric."""
    rows = session.exec(select(ScoreRow).where(ScoreRow.item_id == item_id).order_by(col(ScoreRow.id)))
    return {row.metric: row.value for row in rows if row.value is not None}
