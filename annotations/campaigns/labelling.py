"""What an annotator sees and does. Nothing here selects a score, an author, an intention, an answer key or another's label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotations.campaigns.people import Member, Right
from annotations.campaigns.qualifying import Marked, Stage, marks, stage_of
from annotations.campaigns.questions import Answer, Answers, check_answers
from annotations.campaigns.queue import Nothing, places_taken, reserve_next
from annotations.campaigns.setup import Terms, load_campaigns, terms
from annotations.campaigns.tables import Reservation, Response, Task
from annotations.campaigns.writing import Written, check_places, written_pair
from annotations.database import read
from annotations.errors import RecordError
from annotations.records import require_storable
from annotations.saving import save_pair
from annotations.store import Store
from annotations.tables import Document, Explanation, Item

Act = Literal["answer", "skip", "flag", "undo"]
_LONGEST_DRAFT = 1_000_000
_STATES = {"answer": "answered", "skip": "skipped", "flag": "flagged", "undo": "open"}


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to label, as it is shown: the sides of a pair stand in the order of this person.

    `right` is there for pairs and explanations. `error_type` is the one to write. `answers` are those given before.
    """

    reservation: int
    number: int
    stage: Stage
    document: str
    left: str
    right: str | None
    explanation: str
    error_type: str
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a person sends: an answer with what was answered, or the reason of a skip or flag.

    `event_id` is made once per press, so that a re-sent press is known. Times are milliseconds.
    """

    reservation: int
    act: Act
    event_id: str
    answers: Answers
    reason: str = ""
    active_ms: int = 0
    wall_ms: int = 0
    blind: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """Proof that a response is in the database. `fresh` is False when it was there already."""

    reservation: int
    revision: int
    created_at: datetime
    fresh: bool


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
        with self._store.writing() as session:
            campaign = terms(session, campaign_id)
            found = reserve_next(session, campaign, self._person)
            return found if isinstance(found, Nothing) else self._work(session, campaign, found)

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
            return self._work(session, terms(session, campaign_id), found) if found else None

    def send(self, sent: Sent) -> Kept:
        """Keep a response before anything else happens; a re-sent event gives the receipt of the first time.

        Raises RecordError for answers that do not fit the questions and for a task that is not this person's.
        """
        require_storable("the reason", sent.reason, sent.event_id)
        with self._store.writing() as session:
            asked = select(Reservation).where(Reservation.id == sent.reservation)
            held = self._own(session.exec(asked.with_for_update()).first())
            known = session.exec(select(Response).where(Response.event_id == sent.event_id)).first()
            if known:
                return _again(known, sent)
            return self._keep(session, held, sent)

    def save_draft(self, reservation: int, answers: Answers) -> None:
        """Keep what is half done; it comes back with the task."""
        payload = json.dumps(dict(answers), ensure_ascii=False)
        if len(payload) > _LONGEST_DRAFT:
            raise RecordError("The draft is too long to keep. Shorten it.")
        self._store.save_draft(self._draft_id(reservation), self._person.id, payload)

    def draft(self, reservation: int) -> dict[str, Any]:
        """What was half done of a task; empty where nothing was."""
        payload = self._store.draft(self._draft_id(reservation))
        found: dict[str, Any] = json.loads(payload) if payload else {}
        return found

    def standing(self, campaign_id: str) -> tuple[Stage, int]:
        """Where this person is in a campaign, and how many tasks they have answered."""
        with read(self._store.engine) as session:
            answered = select(func.count()).where(
                Reservation.campaign_id == campaign_id,
                Reservation.person_id == self._person.id,
                Reservation.state == "answered",
            )
            return stage_of(session, terms(session, campaign_id), self._person), session.exec(answered).one()

    def feedback(self, reservation: int) -> Marked | None:
        """What is said of an answered training item; nothing of any other."""
        with read(self._store.engine) as session:
            held = self._own(session.get(Reservation, reservation))
            found = marks(session, terms(session, held.campaign_id), self._person)
            return next((one for one in found if one.task_id == held.task_id and one.part == "training"), None)

    def _own(self, held: Reservation | None) -> Reservation:
        if held is None or held.person_id != self._person.id:
            raise RecordError("This task is not in your hands. Reload the page to get the next one.")
        return held

    def _keep(self, session: Session, held: Reservation, sent: Sent) -> Kept:
        campaign = terms(session, held.campaign_id)
        answers = self._checked(session, campaign, held, sent) if sent.act == "answer" else {}
        if sent.act in {"skip", "flag"} and not sent.reason.strip():
            raise RecordError(f"Say in a few words why you {sent.act} this one.")
        if sent.act == "undo" and held.state != "answered":
            raise RecordError("There is no answer of yours here to take back.")
        now = datetime.now(UTC)
        last = session.exec(select(func.max(Response.revision)).where(Response.reservation_id == held.id)).one()
        revision = (last or 0) + 1
        session.add(_response(held, campaign, sent, answers, revision, now))
        held.state = self._state(session, campaign, held, sent, now)
        session.add(held)
        return Kept(sent.reservation, revision, now, fresh=True)

    def _checked(self, session: Session, campaign: Terms, held: Reservation, sent: Sent) -> dict[str, Answer]:
        """The answers that count; an edit among them is kept as a minimal pair of this person's making."""
        answers = check_answers(campaign.questions, sent.answers)
        task = session.get_one(Task, held.task_id)
        item = session.get_one(Item, task.item_id)
        texts = (session.get_one(Document, item.document_id).text, item.text)
        check_places(campaign.questions, answers, *texts)
        written = Written(self._person.name, f"campaign {campaign.name}", task.asked.get("error_type", ""))
        if pair := written_pair(campaign.questions, answers, texts, written):
            save_pair(session, pair)
        return answers

    def _state(self, session: Session, campaign: Terms, held: Reservation, sent: Sent, now: datetime) -> str:
        """What becomes of the reservation; an answer whose place others took meanwhile is kept and does not count."""
        new = _STATES[sent.act]
        if new != "answered" or held.turn > 1 or session.get_one(Task, held.task_id).part != "work":
            return new
        session.exec(select(Task.id).where(Task.id == held.task_id).with_for_update(key_share=True)).one()
        return new if places_taken(session, held.task_id, now, but=held.id) < campaign.rules.overlap else "late"

    def _work(self, session: Session, campaign: Terms, held: Reservation) -> Work:
        task = session.get_one(Task, held.task_id)
        item = session.get_one(Item, task.item_id)
        parent = session.get(Item, item.parent_id) if item.parent_id and campaign.questions.unit != "summary" else None
        sides = (parent.text, item.text) if parent else (item.text, None)
        left, right = (sides[1], sides[0]) if held.swapped and sides[1] is not None else sides
        explanation = session.get(Explanation, task.explanation_id) if task.explanation_id else None
        return Work(
            reservation=held.id or 0,
            number=held.number,
            stage=Stage(task.part) if task.part in set(Stage) else Stage.WORK,
            document=session.get_one(Document, item.document_id).text,
            left=left or "",
            right=right,
            explanation=explanation.text if explanation else task.asked.get("explanation", ""),
            error_type=task.asked.get("error_type", ""),
            answers=_last_answers(session, held),
        )

    def _draft_id(self, reservation: int) -> str:
        return f"task-{reservation}-{self._person.id}"


def _response(
    held: Reservation, campaign: Terms, sent: Sent, answers: Answers, revision: int, now: datetime
) -> Response:
    return Response(
        reservation_id=sent.reservation,
        revision=revision,
        act=sent.act,
        answers=dict(answers),
        reason=sent.reason,
        blind=sent.blind,
        version=campaign.version,
        swapped=held.swapped,
        number=held.number,
        active_ms=max(0, sent.active_ms),
        wall_ms=max(0, sent.wall_ms),
        event_id=sent.event_id,
        created_at=now,
    )


def _again(known: Response, sent: Sent) -> Kept:
    if (known.reservation_id, known.act) != (sent.reservation, sent.act):
        raise RecordError("This was NOT saved: its event id belongs to another label. Reload the page and save again.")
    return Kept(known.reservation_id, known.revision, known.created_at, fresh=False)


def _last_answers(session: Session, held: Reservation) -> dict[str, Any]:
    """The answers that stand: those of the last revision, or of the one before an undo."""
    last = (
        select(Response.answers)
        .where(Response.reservation_id == held.id, Response.act == "answer")
        .order_by(col(Response.revision).desc())
        .limit(1)
    )
    return dict(session.exec(last).first() or {})
