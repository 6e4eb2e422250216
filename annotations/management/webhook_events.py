"""Webhook events of people and items: read from the stored rows in order of time, and sent one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any

from sqlalchemy import ColumnElement, Select, String, and_, bindparam, cast, func, literal, or_, update
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotations.management.webhooks import MAX_ERROR, MOST_ATTEMPTS, Delivery, EventKind, sign, wait_after
from annotations.store.campaign_tables import Campaign, Task, VersionRow, Webhook
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.response_tables import (
    Exclusion,
    FlagResolution,
    LimitEvent,
    Reinstatement,
    Reservation,
    Response,
)
from annotations.store.store import Store
from annotations.store.tables import UtcDateTime

_SETTLED = timedelta(seconds=10)
"""Least age of a row that is sent: transactions that began before it have ended, and clock differences of servers are smaller."""
_LEASE = timedelta(minutes=1)
_MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class PersonEvent:
    """Event to send; with it everything up to the time `done_until` is delivered. `is_last` of those that are due now."""

    delivery: Delivery
    done_until: datetime
    is_last: bool


def load_events(store: Store, now: datetime) -> list[list[PersonEvent]]:
    """Events that are due now, oldest first, of each campaign that has any; no other server gets them for a minute."""
    with read_session(store.engine) as session:
        due = session.exec(select(Webhook).where(col(Webhook.events_next_at) <= now)).all()
        due_events = [(hook, _events_of(session, hook, now - _SETTLED)) for hook in due]
    return [events for hook, events in due_events if events and _claim(store, hook, now)]


def _claim(store: Store, hook: Webhook, now: datetime) -> bool:
    """Claim the events of a campaign for this server; False where another server has them."""
    claim = (
        update(Webhook)
        .where(col(Webhook.campaign_id) == hook.campaign_id, col(Webhook.events_next_at) == hook.events_next_at)
        .values(events_next_at=now + _LEASE)
        .returning(col(Webhook.campaign_id))
    )
    with store.writing() as session:
        return session.execute(claim).first() is not None


def _events_of(session: Session, hook: Webhook, until: datetime) -> list[PersonEvent]:
    if hook.sent_until is None:
        return []
    span = {"campaign": hook.campaign_id, "since": hook.sent_until, "until": until}
    rows = [row for kind in hook.kinds for query in _ROWS_OF[EventKind(kind)] for row in session.execute(query, span)]
    rows.sort(key=lambda row: (row.at, row.source, str(row.id)))
    if len(rows) > _MOST_AT_ONCE:  # those of one moment stay together
        rows = [row for row in rows if row.at <= rows[_MOST_AT_ONCE - 1].at]
    campaign = {"id": hook.campaign_id, "name": session.get_one(Campaign, hook.campaign_id).name}
    events: list[PersonEvent] = []
    done_until: datetime = hook.sent_until
    for row, following in zip_longest(rows, rows[1:]):
        body = _body(row, campaign)
        text = json.dumps(body, ensure_ascii=False)
        done_until = row.at if following is None or following.at > row.at else done_until
        sent = Delivery(
            hook.campaign_id, hook.url, str(body["id"]), text, sign(hook.secret, text), hook.events_attempts
        )
        events.append(PersonEvent(sent, done_until, following is None))
    return events


def _body(row: Any, campaign: dict[str, str]) -> dict[str, object]:
    """Body of an event; its `id` is the same on every server, and for a label its `event_id` of exports and the API."""
    return {
        "id": row.id if row.source == "label" else f"{row.source}-{row.id}-{int(row.at.timestamp())}",
        "event": f"{row.source}.{row.act}",
        "reason": row.reason,
        "at": row.at.isoformat(),
        "campaign": campaign,
        "person": row.person,
        "item_id": row.item_id,
    }


def note_event(store: Store, event: PersonEvent, error: str, now: datetime) -> None:
    """Record the delivery of an event, or the error of a failed one with the time of the next attempt; see `note_attempt`."""
    sent = event.delivery
    attempts = sent.attempts + 1
    values = {
        "sent_until": event.done_until,
        "events_attempts": 0,
        "events_error": "",
        "events_next_at": now if event.is_last else now + _LEASE,
    }
    if error:
        again = now + wait_after(sent.attempts) if attempts < MOST_ATTEMPTS else None
        values = {"events_attempts": attempts, "events_error": error[:MAX_ERROR], "events_next_at": again}
    # a webhook that was saved again in between begins later
    own = update(Webhook).where(
        col(Webhook.campaign_id) == sent.campaign_id, col(Webhook.sent_until) <= event.done_until
    )
    with store.writing() as session:
        session.execute(own.values(**values))


def _rows(source: str, id: Any, at: Any, act: Any, reason: Any, item_id: Any) -> Select[Any]:
    return select_columns(
        literal(source).label("source"),
        id.label("id"),
        at.label("at"),
        act.label("act"),
        reason.label("reason"),
        col(Person.pseudonym).label("person"),
        item_id.label("item_id"),
    ).where(at > bindparam("since", type_=UtcDateTime), at <= bindparam("until", type_=UtcDateTime))


_BEFORE = aliased(VersionRow)


def _in_span(at: Any) -> tuple[ColumnElement[bool], ...]:
    return at > bindparam("since", type_=UtcDateTime), at <= bindparam("until", type_=UtcDateTime)


def _row_of_many(source: str, id: Any, at: Any, act: str, reason: Any) -> Select[Any]:
    """A row of an event that is nobody's."""
    return select_columns(
        literal(source).label("source"),
        id.label("id"),
        at.label("at"),
        literal(act).label("act"),
        cast(reason, String).label("reason"),
        literal("").label("person"),
        literal("").label("item_id"),
    )


_NOTICE_ROWS: Sequence[Select[Any]] = [
    _row_of_many("items", func.max(Task.id), func.max(Task.created_at), "added", func.count())
    .where(col(Task.campaign_id) == bindparam("campaign"), *_in_span(col(Task.created_at)))
    .having(func.count() > 0),
    _row_of_many("guidelines", col(VersionRow.id), col(VersionRow.created_at), "changed", col(VersionRow.version))
    .join(
        _BEFORE,
        and_(
            col(_BEFORE.campaign_id) == col(VersionRow.campaign_id),
            col(_BEFORE.version) == col(VersionRow.version) - 1,
        ),
    )
    .where(
        col(VersionRow.campaign_id) == bindparam("campaign"),
        *_in_span(col(VersionRow.created_at)),
        or_(col(_BEFORE.guidelines) != col(VersionRow.guidelines), col(_BEFORE.questions) != col(VersionRow.questions)),
    ),
    _rows(
        "flag",
        col(FlagResolution.response_id),
        col(FlagResolution.created_at),
        literal("resolved"),
        col(FlagResolution.note),
        col(Task.item_id),
    )
    .join(Response, col(Response.id) == col(FlagResolution.response_id))
    .join(Reservation, col(Reservation.id) == Response.reservation_id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .join(Person, col(Person.id) == Reservation.person_id)
    .where(col(Reservation.campaign_id) == bindparam("campaign")),
]

NOTICES = frozenset({"items.added", "guidelines.changed", "flag.resolved"})
"""The events that annotators wait for."""

_ROWS_OF: dict[EventKind, Sequence[Select[Any]]] = {
    EventKind.ASSIGNMENT: [
        _rows(
            "item",
            col(Reservation.id),
            col(Reservation.reserved_at),
            literal("assigned"),
            literal(""),
            col(Task.item_id),
        )
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(col(Reservation.campaign_id) == bindparam("campaign"))
    ],
    EventKind.LABEL: [
        _rows(
            "label",
            col(Response.event_id),
            col(Response.created_at),
            col(Response.act),
            col(Response.reason),
            col(Task.item_id),
        )
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .where(col(Reservation.campaign_id) == bindparam("campaign"))
    ],
    EventKind.PAUSE: [
        _rows(
            "person",
            col(LimitEvent.id),
            col(LimitEvent.created_at),
            col(LimitEvent.act),
            col(LimitEvent.reason),
            literal(""),
        )
        .join(Person, col(Person.id) == LimitEvent.person_id)
        .where(col(LimitEvent.campaign_id) == bindparam("campaign"))
    ],
    EventKind.EXCLUSION: [
        _rows(
            "labels",
            col(Exclusion.id),
            col(Exclusion.created_at),
            literal("excluded"),
            col(Exclusion.reason),
            literal(""),
        )
        .join(Person, col(Person.id) == Exclusion.person_id)
        .where(col(Exclusion.campaign_id) == bindparam("campaign")),
        _rows(
            "labels",
            col(Exclusion.id),
            col(Reinstatement.created_at),
            literal("reinstated"),
            col(Reinstatement.reason),
            literal(""),
        )
        .select_from(Reinstatement)
        .join(Exclusion, col(Exclusion.id) == Reinstatement.exclusion_id)
        .join(Person, col(Person.id) == Exclusion.person_id)
        .where(col(Exclusion.campaign_id) == bindparam("campaign")),
    ],
    EventKind.NOTICE: _NOTICE_ROWS,
}
