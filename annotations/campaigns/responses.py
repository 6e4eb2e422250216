"""Responses: what annotators send is checked and saved as the next revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, LabelMode, load_campaign, read_rules
from annotations.campaigns.people import Member
from annotations.campaigns.questions import (
    Answer,
    Answers,
    EditSource,
    check_answers,
    check_text_answers,
    pair_from_answers,
)
from annotations.campaigns.tables import Reservation, Response, Task, VersionRow
from annotations.campaigns.task_texts import label_mode, show_task
from annotations.campaigns.work_plan import has_free_place
from annotations.records import ChangedElsewhereError, RecordError
from annotations.tables import Draft
from annotations.writes import save_pair

ResponseAct = Literal["answer", "skip", "flag", "undo"]
_MAX_MS = 2**31 - 1
_TEXT_KINDS = {"span", "link", "edit"}  # answers that have to fit the texts; without one the texts are not read
_STATE_AFTER_ACT: Mapping[ResponseAct, str] = {
    "answer": "answered",
    "skip": "skipped",
    "flag": "flagged",
    "undo": "open",
}


@dataclass(frozen=True, slots=True)
class SentResponse:
    """What a person sends: an answer with what was answered, or the reason of a skip or flag.

    `event_id` is made once per press, so that a re-sent press is known. Times are milliseconds. `seen` is the last revision
    that was shown; without it a newer one is replaced unseen. `mode` is
    how much help it was shown with; without it what the rules say now.
    """

    reservation: int
    act: ResponseAct
    event_id: str
    answers: Answers
    reason: str = ""
    active_ms: int = 0
    wall_ms: int = 0
    seen: int | None = None
    mode: LabelMode | None = None


@dataclass(frozen=True, slots=True)
class ResponseReceipt:
    """Proof that a response is in the database.

    `counts` is False for an answer that came when others had taken the place; `is_new` when it was saved before.
    """

    reservation: int
    revision: int
    created_at: datetime
    counts: bool
    is_new: bool


def draft_id(reservation: int, person: Member) -> str:
    """The id of the draft of a person's answers to a task."""
    return f"task-{reservation}-{person.id}"


def save_response(session: Session, person: Member, reservation: Reservation, sent: SentResponse) -> ResponseReceipt:
    """Save a response as the next revision, and delete the draft.

    Raises RecordError for one that does not fit, ChangedElsewhereError where a newer one than was shown is there.
    """
    campaign, now = load_campaign(session, reservation.campaign_id), datetime.now(UTC)
    last = _last_revision(session, reservation)
    if sent.seen is not None and last > sent.seen:
        raise ChangedElsewhereError(
            f"This was NOT saved: you answered item {reservation.number} in another window meanwhile. This is that answer: "
            "change it and save, or go on."
        )
    answers = _checked_answers(session, campaign, person, reservation, sent)
    session.add(
        Response(
            reservation_id=sent.reservation,
            revision=last + 1,
            act=sent.act,
            answers=dict(answers),
            reason=sent.reason,
            blind=not last or not _was_revealed(session, reservation),
            mode=_label_mode(session, campaign, reservation, sent),
            version=campaign.version,
            swapped=reservation.swapped,
            number=reservation.number,
            active_ms=_clamp_ms(sent.active_ms),
            wall_ms=_clamp_ms(sent.wall_ms),
            event_id=sent.event_id,
            created_at=now,
        )
    )
    reservation.state = _state_after(session, campaign, reservation, sent, now)
    session.add(reservation)
    session.connection().execute(delete(Draft).where(col(Draft.id) == draft_id(sent.reservation, person)))
    return ResponseReceipt(sent.reservation, last + 1, now, counts=reservation.state != "late", is_new=True)


def _label_mode(session: Session, campaign: CampaignSettings, reservation: Reservation, sent: SentResponse) -> str:
    """How much help a response was given with: a changed answer has that of the first."""
    given = select(Response.mode).where(Response.reservation_id == reservation.id).order_by(col(Response.revision))
    before = session.exec(given.limit(1)).first()
    return before or sent.mode or label_mode(session, campaign, reservation.task_id)


def repeat_receipt(known: Response, reservation: Reservation, sent: SentResponse) -> ResponseReceipt:
    """The receipt of a press that is in the database already. Raises RecordError where the event is another's."""
    if (known.reservation_id, known.act) != (sent.reservation, sent.act):
        raise RecordError("This was NOT saved: its event id belongs to another label. Reload the page and save again.")
    return ResponseReceipt(
        known.reservation_id, known.revision, known.created_at, counts=reservation.state != "late", is_new=False
    )


def _checked_answers(
    session: Session, campaign: CampaignSettings, person: Member, reservation: Reservation, sent: SentResponse
) -> Mapping[str, Answer]:
    if sent.act == "answer":
        return _save_answer_edit(session, campaign, person, reservation, sent)
    if sent.act != "undo" and not sent.reason.strip():
        raise RecordError(f"Say in a few words why you {sent.act} this one.")
    if sent.act == "undo" and reservation.state != "answered":
        raise RecordError("There is no answer of yours here to take back.")
    return {}


def _save_answer_edit(
    session: Session, campaign: CampaignSettings, person: Member, reservation: Reservation, sent: SentResponse
) -> Mapping[str, Answer]:
    """The answers that count; an edit among them is saved as a minimal pair by this person."""
    answers = check_answers(campaign.questions, sent.answers)
    if not any(answers.get(question.id) for question in campaign.questions.questions if question.kind in _TEXT_KINDS):
        return answers
    shown = show_task(session, campaign, reservation)
    check_text_answers(campaign.questions, answers, shown.document, shown.left, shown.right)
    source = EditSource(person.name, f"campaign {campaign.name}", shown.error_type)
    if pair := pair_from_answers(campaign.questions, answers, (shown.document, shown.left), source):
        save_pair(session, pair)
    return answers


def _clamp_ms(milliseconds: int) -> int:
    """A time that both databases hold: a page may stay open for a month."""
    return min(max(0, milliseconds), _MAX_MS)


def _last_revision(session: Session, reservation: Reservation) -> int:
    return session.exec(select(func.max(Response.revision)).where(Response.reservation_id == reservation.id)).one() or 0


def _state_after(
    session: Session, campaign: CampaignSettings, reservation: Reservation, sent: SentResponse, now: datetime
) -> str:
    """What becomes of the reservation; an answer whose place others took meanwhile is kept and does not count."""
    new = _STATE_AFTER_ACT[sent.act]
    if new != "answered" or reservation.turn > 1:
        return new
    part = session.exec(select(Task.part).where(Task.id == reservation.task_id).with_for_update(key_share=True)).one()
    if part != "work":
        return new
    is_free = has_free_place(session, campaign, reservation.task_id, now, exclude=reservation.id)
    return new if is_free else "late"


def _was_revealed(session: Session, reservation: Reservation) -> bool:
    """Whether the scores of a task were shown to its person: after an answer, under rules that show them."""
    answered = (
        select(VersionRow.rules)
        .join(Response, col(Response.version) == VersionRow.version)
        .where(
            Response.reservation_id == reservation.id,
            Response.act == "answer",
            VersionRow.campaign_id == reservation.campaign_id,
        )
    )
    return any(read_rules(rules).reveal for rules in session.exec(answered))
