"""What an annotator sees and does. Nothing here selects a score, an author, an intention, an answer key or another's label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import col, select

from annotations.campaigns.people import Member, Right
from annotations.campaigns.qualifying import Marked, Stage, done_of, marks, size_of, stage_of
from annotations.campaigns.queue import Nothing, reserve_next
from annotations.campaigns.responding import Kept, Sent, draft_id, receipt_again, respond
from annotations.campaigns.setup import Terms, load_campaigns, terms
from annotations.campaigns.showing import Work, show
from annotations.campaigns.tables import Reservation, Response, Task
from annotations.database import read
from annotations.errors import RecordError
from annotations.records import require_storable
from annotations.store import Store

_LONGEST_DRAFT = 1_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody is in a campaign: `done` of the `of` tasks of the stage, and `answered` in all.

    `version` is that of the guidelines at their last response; 0 before the first.
    """

    stage: Stage
    done: int
    of: int
    answered: int
    version: int


class Labelling:
    """One person's desk; raises RightsError for somebody who may not label."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.LABEL)
        self._store = store
        self._person = person

    def campaigns(self) -> list[Terms]:
        """The campaigns that take labels."""
        with read(self._store.engine) as session:
            return [campaign for campaign in load_campaigns(session) if campaign.is_open]

    def next(self, campaign_id: str) -> Work | Nothing:
        """The task in hand or the next one, reserved; or why there is none."""
        with self._store.noting() as session:
            campaign = terms(session, campaign_id)
            found = reserve_next(session, campaign, self._person)
            return found if isinstance(found, Nothing) else show(session, campaign, found)

    def before(self, campaign_id: str, number: int) -> Work | None:
        """The last task that this person answered before the one of a number, with the answers."""
        with read(self._store.engine) as session:
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
            found = session.exec(earlier.limit(1)).first()
            return show(session, terms(session, campaign_id), found) if found else None

    def send(self, sent: Sent) -> Kept:
        """Keep a response before anything else happens; a re-sent event gives the receipt of the first time.

        Raises RecordError for answers that do not fit the questions and for a task that is not this person's.
        """
        require_storable("the reason", sent.reason, sent.event_id)
        with self._store.writing() as session:
            asked = select(Reservation).where(Reservation.id == sent.reservation)
            held = self._own(session.exec(asked.with_for_update()).first())
            known = session.exec(select(Response).where(Response.event_id == sent.event_id)).first()
            return receipt_again(known, held, sent) if known else respond(session, self._person, held, sent)

    def save_draft(self, reservation: int, half_done: Mapping[str, Any]) -> None:
        """Keep what is half done; it comes back with the task, until that is answered or left out."""
        payload = json.dumps(dict(half_done), ensure_ascii=False)
        if len(payload) > _LONGEST_DRAFT:
            raise RecordError("The draft is too long to keep. Shorten it.")
        self._store.save_draft(draft_id(reservation, self._person), self._person.id, payload)

    def draft(self, reservation: int) -> dict[str, Any]:
        """What was half done of a task; empty where nothing was."""
        payload = self._store.draft(draft_id(reservation, self._person))
        found: dict[str, Any] = json.loads(payload) if payload else {}
        return found

    def last_campaign(self) -> str | None:
        """The campaign of the task that this person had last."""
        mine = select(Reservation.campaign_id).where(Reservation.person_id == self._person.id)
        with read(self._store.engine) as session:
            return session.exec(mine.order_by(col(Reservation.id).desc()).limit(1)).first()

    def standing(self, campaign_id: str) -> Standing:
        """Where this person is in a campaign."""
        mine = (Reservation.campaign_id == campaign_id, Reservation.person_id == self._person.id)
        with read(self._store.engine) as session:
            campaign = terms(session, campaign_id)
            stage = stage_of(session, campaign, self._person)
            answered = select(func.count()).where(*mine, Reservation.state == "answered")
            version = select(func.max(Response.version)).join(
                Reservation, col(Reservation.id) == Response.reservation_id
            )
            return Standing(
                stage=stage,
                done=done_of(session, campaign, self._person, stage),
                of=size_of(session, campaign, stage),
                answered=session.exec(answered).one(),
                version=session.exec(version.where(*mine)).one() or 0,
            )

    def feedback(self, reservation: int) -> Marked | None:
        """What is said of an answered training item; nothing of any other."""
        with read(self._store.engine) as session:
            held = self._own(session.get(Reservation, reservation))
            if session.get_one(Task, held.task_id).part != "training":
                return None
            found = marks(session, terms(session, held.campaign_id), self._person)
            return next((one for one in found if one.task_id == held.task_id), None)

    def _own(self, held: Reservation | None) -> Reservation:
        if held is None or held.person_id != self._person.id:
            raise RecordError("This task is not in your hands. Reload the page to get the next one.")
        return held
