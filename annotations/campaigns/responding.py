"""Keeping what a person sends of a task: checked, append-only, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from annotations.campaigns.people import Member
from annotations.campaigns.questions import Answer, Answers, check_answers
from annotations.campaigns.queue import places_taken
from annotations.campaigns.rules import read_rules
from annotations.campaigns.setup import Terms, terms
from annotations.campaigns.showing import show
from annotations.campaigns.tables import Reservation, Response, Task, Version
from annotations.campaigns.writing import Written, check_places, written_pair
from annotations.errors import RecordError
from annotations.saving import save_pair
from annotations.tables import Draft

Act = Literal["answer", "skip", "flag", "undo"]
_LONGEST_MS = 2**31 - 1
_OF_TEXTS = {"span", "edit"}  # answers that have to fit the texts; without one the texts are not read
_STATES: Mapping[Act, str] = {"answer": "answered", "skip": "skipped", "flag": "flagged", "undo": "open"}


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


@dataclass(frozen=True, slots=True)
class Kept:
    """Proof that a response is in the database.

    `counts` is False for an answer that came when others had taken the place; `fresh` when it was there already.
    """

    reservation: int
    revision: int
    created_at: datetime
    counts: bool
    fresh: bool


def draft_id(reservation: int, person: Member) -> str:
    """Under which id somebody's half-done answers to a task are kept."""
    return f"task-{reservation}-{person.id}"


def respond(session: Session, person: Member, held: Reservation, sent: Sent) -> Kept:
    """Keep a response as the next revision, and forget the draft. Raises RecordError for one that does not fit."""
    campaign, now = terms(session, held.campaign_id), datetime.now(UTC)
    answers = _checked(session, campaign, person, held, sent)
    last = _last_revision(session, held)
    session.add(
        Response(
            reservation_id=sent.reservation,
            revision=last + 1,
            act=sent.act,
            answers=dict(answers),
            reason=sent.reason,
            blind=not last or not _was_revealed(session, held),
            version=campaign.version,
            swapped=held.swapped,
            number=held.number,
            active_ms=_whole(sent.active_ms),
            wall_ms=_whole(sent.wall_ms),
            event_id=sent.event_id,
            created_at=now,
        )
    )
    held.state = _state(session, campaign, held, sent, now)
    session.add(held)
    session.connection().execute(delete(Draft).where(col(Draft.id) == draft_id(sent.reservation, person)))
    return Kept(sent.reservation, last + 1, now, counts=held.state != "late", fresh=True)


def receipt_again(known: Response, held: Reservation, sent: Sent) -> Kept:
    """The receipt of a press that is in the database already. Raises RecordError where the event is another's."""
    if (known.reservation_id, known.act) != (sent.reservation, sent.act):
        raise RecordError("This was NOT saved: its event id belongs to another label. Reload the page and save again.")
    return Kept(known.reservation_id, known.revision, known.created_at, counts=held.state != "late", fresh=False)


def _checked(session: Session, campaign: Terms, person: Member, held: Reservation, sent: Sent) -> Mapping[str, Answer]:
    if sent.act == "answer":
        return _answered(session, campaign, person, held, sent)
    if sent.act != "undo" and not sent.reason.strip():
        raise RecordError(f"Say in a few words why you {sent.act} this one.")
    if sent.act == "undo" and held.state != "answered":
        raise RecordError("There is no answer of yours here to take back.")
    return {}


def _answered(session: Session, campaign: Terms, person: Member, held: Reservation, sent: Sent) -> Mapping[str, Answer]:
    """The answers that count; an edit among them is kept as a minimal pair of this person's making."""
    answers = check_answers(campaign.questions, sent.answers)
    if not any(answers.get(question.id) for question in campaign.questions.questions if question.kind in _OF_TEXTS):
        return answers
    shown = show(session, campaign, held)
    check_places(campaign.questions, answers, shown.document, shown.left, shown.right)
    written = Written(person.name, f"campaign {campaign.name}", shown.error_type)
    if pair := written_pair(campaign.questions, answers, (shown.document, shown.left), written):
        save_pair(session, pair)
    return answers


def _whole(milliseconds: int) -> int:
    """A time that both databases hold: a page may stay open for a month."""
    return min(max(0, milliseconds), _LONGEST_MS)


def _last_revision(session: Session, held: Reservation) -> int:
    return session.exec(select(func.max(Response.revision)).where(Response.reservation_id == held.id)).one() or 0


def _state(session: Session, campaign: Terms, held: Reservation, sent: Sent, now: datetime) -> str:
    """What becomes of the reservation; an answer whose place others took meanwhile is kept and does not count."""
    new = _STATES[sent.act]
    if new != "answered" or held.turn > 1:
        return new
    part = session.exec(select(Task.part).where(Task.id == held.task_id).with_for_update(key_share=True)).one()
    if part != "work":
        return new
    return new if places_taken(session, held.task_id, now, but=held.id) < campaign.rules.overlap else "late"


def _was_revealed(session: Session, held: Reservation) -> bool:
    """Whether the scores of a task were shown to its person: after an answer, under rules that show them."""
    answered = (
        select(Version.rules)
        .join(Response, col(Response.version) == Version.version)
        .where(Response.reservation_id == held.id, Response.act == "answer", Version.campaign_id == held.campaign_id)
    )
    return any(read_rules(rules).reveal for rules in session.exec(answered))
