"""Responses of annotators: checked, and saved as the next revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import bindparam, case, delete, insert, or_, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import SELECT_NEWEST_VERSION, CampaignSettings, LabelMode, read_campaign, read_rules
from annotations.campaigns.qualification import Stage, current_stage
from annotations.campaigns.questions import (
    Answer,
    Answers,
    EditSource,
    check_answers,
    check_text_answers,
    pair_from_answers,
)
from annotations.campaigns.task_texts import label_mode, show_task
from annotations.campaigns.work_plan import COUNT_PLACES, is_for_everybody, wanted_labels
from annotations.labelling.limits import check_limits, find_pause
from annotations.people.people import Member, load_groups, set_groups
from annotations.results.adaptive_overlap import ask_for_labels
from annotations.results.drawn import note_stop
from annotations.store.campaign_tables import Campaign, Task, VersionRow
from annotations.store.records import ChangedElsewhereError, RecordError
from annotations.store.response_tables import Reservation, Response
from annotations.store.tables import Draft
from annotations.store.writes import save_pair

ResponseAct = Literal["answer", "skip", "flag", "undo"]
_MAX_MS = 2**31 - 1
_TEXT_KINDS = {
    "span",
    "link",
    "edit",
}  # kinds of answers that are checked against the texts; without one the texts are not read
_STATE_AFTER_ACT: Mapping[ResponseAct, str] = {
    "answer": "answered",
    "skip": "skipped",
    "flag": "flagged",
    "undo": "open",
}


@dataclass(frozen=True, slots=True)
class SentResponse:
    """Response that a person sends: an answer, a skip, a flag or an undo."""

    reservation: int
    """Number of the reservation that it answers."""
    act: ResponseAct
    """Kind of response."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    answers: Answers
    """Answers by question, with the sides as they were shown."""
    reason: str = ""
    """Reason of a skip or flag; "" for an answer."""
    active_ms: int = 0
    """Milliseconds in which the person read or typed."""
    wall_ms: int = 0
    """Milliseconds from showing the task to the response."""
    seen: int | None = None
    """Last revision that was shown; None replaces a newer one without a check."""
    mode: LabelMode | None = None
    """Help that the task was shown with; None for that of the rules now."""


@dataclass(frozen=True, slots=True)
class ResponseReceipt:
    """Proof that a response is in the database.

    `counts` is False for an answer that came when others had taken the place; `is_new` when it was saved before. `paused`
    says that nothing more is handed out to the person.
    """

    reservation: int
    revision: int
    created_at: datetime
    counts: bool
    is_new: bool
    paused: bool = False


def draft_id(reservation: int, person: Member) -> str:
    """The id of the draft of a person's answers to a task."""
    return f"task-{reservation}-{person.id}"


LockedReservation = tuple[Reservation, str, CampaignSettings]
"""A reservation that nobody else changes until the transaction ends, the part of its task, and its campaign."""

_NOT_RESERVED = "This task is not reserved for you. Reload the page to get the next one."


def require_own(reservation: Reservation | None, person: Member) -> Reservation:
    """Raise RecordError unless a reservation is there and a person's own."""
    if reservation is None or reservation.person_id != person.id:
        raise RecordError(_NOT_RESERVED)
    return reservation


def lock_reservation(session: Session, id: int, person: Member) -> LockedReservation:
    """Lock a reservation and the places of its task. Raises RecordError if it is not the person's own."""
    row = session.execute(_LOCK_RESERVATION, {"reservation": id}).first()
    if row is None or row.Reservation.person_id != person.id:
        raise RecordError(_NOT_RESERVED)
    return row.Reservation, row.part, read_campaign(row)


_LOCK_RESERVATION = (
    SELECT_NEWEST_VERSION.add_columns(Reservation, col(Task.part))
    .join(Reservation, col(Reservation.campaign_id) == col(Campaign.id))
    .join(Task, col(Task.id) == col(Reservation.task_id))
    .where(col(Reservation.id) == bindparam("reservation"))
    .with_for_update(of=[Reservation, Task], key_share=True)
)


def save_response(session: Session, person: Member, locked: LockedReservation, sent: SentResponse) -> ResponseReceipt:
    """Save a response as the next revision, and delete the draft; a response that is already saved gives its receipt again.

    Raises RecordError for one that does not fit, ChangedElsewhereError where a newer one than was shown is there.
    """
    (reservation, part, campaign), now = locked, datetime.now(UTC)
    rows = session.execute(_SELECT_KNOWN, {"reservation": sent.reservation, "event": sent.event_id}).all()
    if repeated := next((row for row in rows if row.event_id == sent.event_id), None):
        if (repeated.reservation_id, repeated.act) != (sent.reservation, sent.act):
            raise RecordError(
                "This was NOT saved: its event id belongs to another label. Reload the page and save again."
            )
        return ResponseReceipt(
            repeated.reservation_id,
            repeated.revision,
            repeated.created_at,
            counts=reservation.state != "late",
            is_new=False,
            paused=find_pause(session, campaign.id, person.id) is not None,
        )
    last = rows[-1].revision if rows else 0
    if sent.seen is not None and last > sent.seen:
        raise ChangedElsewhereError(
            f"This was NOT saved: you answered item {reservation.number} in another window meanwhile. This is that answer: "
            "change it and save, or go on."
        )
    answers = _checked_answers(session, campaign, person, reservation, sent, part)
    response = {
        "reservation_id": sent.reservation,
        "revision": last + 1,
        "act": sent.act,
        "answers": dict(answers),
        "reason": sent.reason,
        "blind": not rows or not _was_revealed(session, reservation),
        # a changed answer has the mode of the first
        "mode": rows[0].mode if rows else sent.mode or label_mode(session, campaign, reservation.task_id),
        "version": campaign.version,
        "swapped": reservation.swapped,
        "number": reservation.number,
        "active_ms": _clamp_ms(sent.active_ms),
        "wall_ms": _clamp_ms(sent.wall_ms),
        "event_id": sent.event_id,
        "created_at": now,
    }
    connection = session.connection()
    connection.execute(_INSERT_RESPONSE, response)
    connection.execute(_DELETE_DRAFT, {"draft": draft_id(sent.reservation, person)})
    state = _save_state(session, locked, sent, now)
    if state == "answered" and reservation.turn == 1 and part == "work":
        ask_for_labels(session, campaign, [reservation.task_id], now)
        note_stop(session, campaign, now)
    if part == Stage.QUALIFICATION and campaign.rules.grants:
        _grant_skill(session, campaign, person)
    is_first = sent.act == "answer" and all(row.act != "answer" for row in rows)
    paused = check_limits(session, campaign, person, reservation if is_first else None, now)
    return ResponseReceipt(sent.reservation, last + 1, now, counts=state != "late", is_new=True, paused=paused)


def _grant_skill(session: Session, campaign: CampaignSettings, person: Member) -> None:
    """Put a person who passed the qualification into the group that it grants."""
    if current_stage(session, campaign, person) is Stage.WORK:
        groups = load_groups(session).get(person.id, ())
        set_groups(session, person.id, [*groups, campaign.rules.grants])


_SELECT_KNOWN = (
    select_columns(
        col(Response.reservation_id),
        col(Response.revision),
        col(Response.act),
        col(Response.mode),
        col(Response.event_id),
        col(Response.created_at),
    )
    .where(or_(col(Response.reservation_id) == bindparam("reservation"), col(Response.event_id) == bindparam("event")))
    .order_by(col(Response.revision))
)
_INSERT_RESPONSE = insert(Response)
_DELETE_DRAFT = delete(Draft).where(col(Draft.id) == bindparam("draft"))


def _checked_answers(
    session: Session,
    campaign: CampaignSettings,
    person: Member,
    reservation: Reservation,
    sent: SentResponse,
    part: str,
) -> Mapping[str, Answer]:
    if sent.act == "answer":
        answers = check_answers(campaign.questions, sent.answers)
        if not any(
            answers.get(question.id) for question in campaign.questions.questions if question.kind in _TEXT_KINDS
        ):
            return answers
        shown = show_task(session, campaign, reservation)
        check_text_answers(campaign.questions, answers, shown.document, shown.left, shown.right)
        source = EditSource(person.name, f"campaign {campaign.name}", shown.error_type)
        if part in {Stage.TRAINING, Stage.QUALIFICATION}:  # written to learn: no pair of the campaign
            return answers
        if pair := pair_from_answers(campaign.questions, answers, shown.example, source):
            save_pair(session, pair)
        return answers
    if sent.act != "undo" and not sent.reason.strip():
        raise RecordError(f"Say in a few words why you {sent.act} this one.")
    if sent.act == "undo" and reservation.state != "answered":
        raise RecordError("There is no answer of yours here to take back.")
    return {}


def _clamp_ms(milliseconds: int) -> int:
    """A time within the range of both databases: a page may stay open for a month."""
    return min(max(0, milliseconds), _MAX_MS)


def _save_state(session: Session, locked: LockedReservation, sent: SentResponse, now: datetime) -> str:
    """Set and return the state of the reservation; an answer whose place was taken meanwhile does not count."""
    (reservation, part, campaign), state = locked, _STATE_AFTER_ACT[sent.act]
    params = {"reservation": reservation.id, "new_state": state}
    counted = state == "answered" and reservation.turn == 1 and part == "work"
    if not counted or is_for_everybody(session, campaign, reservation.task_id):
        session.connection().execute(_SET_STATE, params)
        return state
    places = {"task": reservation.task_id, "now": now, "exclude": reservation.id}
    places["overlap"] = wanted_labels(session, campaign, reservation.task_id)
    return session.connection().execute(_SET_STATE_WHERE_FREE, {**params, **places}).scalar_one()


_SET_STATE = (
    update(Reservation).where(col(Reservation.id) == bindparam("reservation")).values(state=bindparam("new_state"))
)
_SET_STATE_WHERE_FREE = _SET_STATE.values(
    state=case((COUNT_PLACES.scalar_subquery() < bindparam("overlap"), bindparam("new_state")), else_="late")
).returning(col(Reservation.state))


def _was_revealed(session: Session, reservation: Reservation) -> bool:
    """True if the scores of a task were shown to its person: after an answer, under rules that show them."""
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
