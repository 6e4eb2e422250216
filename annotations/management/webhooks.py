"""Webhooks: signed events about the state of a campaign, stored until the receiver has each at least once."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import urlsplit
from uuid import uuid4

from sqlalchemy import update
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.management.campaign_progress import CampaignProgress, compute_progress, count_events
from annotations.results.progress_counts import count_changed
from annotations.store.campaign_tables import Webhook
from annotations.store.database import read_session
from annotations.store.records import RecordError, require_text
from annotations.store.store import Store
from core.base import Address, gives_secrets, is_public, literal_address, secrets_refusal

STARTED, ENDED, RESUMED = "campaign.started", "campaign.ended", "campaign.resumed"
"""Events: the first label, an end, and a campaign that goes on after its end."""
EVENTS = MappingProxyType(
    {
        STARTED: "The first label is there.",
        ENDED: "All items are labelled, the last day is over, the campaign is closed, or its draw stopped; `reason` says which.",
        RESUMED: "The campaign goes on after its end.",
        "item.assigned": "An item is handed to a person.",
        "label.answer": "A person answers an item, or changes the answer; `id` is the `event_id` of the label.",
        "label.skip": "A person skips an item.",
        "label.flag": "A person flags an item.",
        "label.undo": "A person takes the last answer back.",
        "person.warn": "The labels of a person fall short of a limit.",
        "person.pause": "A person is paused, by a limit or a manager.",
        "person.resume": "A person may go on.",
        "labels.excluded": "Labels of a person are left out.",
        "labels.reinstated": "Labels that were left out count again.",
        "items.added": "There are new items; `reason` is their number.",
        "guidelines.changed": "Guidelines or questions changed; `reason` is the version.",
        "flag.resolved": "A flag of a person is answered; `reason` is the note.",
    }
)
"""Every value of `event` in what is sent, and when; those of people and items are sent where the campaign chose their kind."""
_SECRET_BYTES = 32
_MAX_URL, MAX_ERROR = 2000, 300  # characters
_FIRST_WAIT, _LONGEST_WAIT, MOST_ATTEMPTS = timedelta(seconds=10), timedelta(hours=1), 30
Seen = dict[str, tuple[object, ...]]
"""State of each campaign at the last check, so that figures are computed only after a change."""


class EventKind(StrEnum):
    """Events of people and items that a campaign may have sent beside those of its state."""

    ASSIGNMENT = "assignment"
    LABEL = "label"
    PAUSE = "pause"
    EXCLUSION = "exclusion"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class WebhookState:
    """Address of the receiver, and the state of the delivery."""

    url: str
    """Address that events are sent to."""
    attempts: int
    """Number of failed attempts at the event that waits."""
    next_at: datetime | None
    """Time of the next attempt; None where nothing waits to be sent."""
    delivered_at: datetime | None
    """Time of the last delivery; None before the first."""
    error: str
    """Error of the last attempt; "" where it did not fail."""
    kinds: tuple[EventKind, ...]
    """Events of people and items that are sent too."""
    events_next_at: datetime | None
    """Time at which the next of these are sent; None where they were given up."""
    events_error: str
    """Error of the last of these that was not delivered; "" where it was."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Message to send now, repeated until it succeeds; the receiver recognises a repetition by `event_id`."""

    campaign_id: str
    url: str
    event_id: str
    body: str
    signature: str
    attempts: int


def set_webhook(session: Session, campaign_id: str, url: str, by: str, kinds: Sequence[EventKind] = ()) -> str:
    """Send word of a campaign's state, and of these events from now on, to a checked address, in place of another; the secret that signs it,
    which is shown once.
    """
    load_campaign(session, campaign_id)
    remove_webhook(session, campaign_id)
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    now = datetime.now(UTC)
    session.add(
        Webhook(
            campaign_id=campaign_id,
            url=url,
            secret=secret,
            by=by,
            created_at=now,
            kinds=list(kinds),
            sent_until=now,
            events_next_at=now if kinds else None,
        )
    )
    session.flush()
    return secret


def remove_webhook(session: Session, campaign_id: str) -> None:
    """Remove the webhook of a campaign; an undelivered event is dropped."""
    row = session.get(Webhook, campaign_id)
    if row:
        session.delete(row)
        session.flush()


def load_webhook(session: Session, campaign_id: str) -> WebhookState | None:
    row = session.get(Webhook, campaign_id)
    if row is None:
        return None
    kinds = tuple(EventKind(kind) for kind in row.kinds)
    state = (row.url, row.attempts, row.next_at, row.delivered_at, row.error)
    return WebhookState(*state, kinds, row.events_next_at, row.events_error)


def require_webhook_url(url: str) -> None:
    """Raise RecordError for a URL that is not https, or http to this machine or a private address in figures."""
    require_text("URL", url, _MAX_URL)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise RecordError("This is no URL. Give one that begins with https://") from None
    if not host or "@" in parts.netloc or not (url.isascii() and url.isprintable() and " " not in url):
        raise RecordError("Give a URL with a host and without a name, password, blank or non-ASCII character.")
    address = literal_address(host)
    if parts.scheme != "https" and not (parts.scheme == "http" and (host == "localhost" or _is_inner(address))):
        raise RecordError(
            "Give a URL that begins with https://. Only localhost and a private address in figures may have http://."
        )
    if address and (error := refuse_address(host, address)):
        raise RecordError(error)


def _is_inner(address: Address | None) -> bool:
    return address is not None and not is_public(address) and not gives_secrets(address)


def refuse_address(host: str, address: Address) -> str:
    """Error of sending to a host at one of its addresses; empty where it may be sent.

    A name may lead out of this network only: whoever owns it can let it lead anywhere, and at another time elsewhere.
    """
    if error := secrets_refusal(host, address):
        return f"{error} Give another URL."
    is_inner_name = literal_address(host) is None and not is_public(address)
    if is_inner_name and not (host == "localhost" and address.is_loopback):
        return (
            f"{host} leads to {address}, inside of this network, and nothing is sent there by a name. Give the address in "
            "figures, or a host outside."
        )
    return ""


def reason_of_end(campaign: CampaignSettings, progress: CampaignProgress, now: datetime) -> str:
    """Reason why a campaign has ended: complete, stopped, closed or deadline; empty while it goes on or has no label."""
    if not progress.answered:
        return ""
    if progress.complete >= progress.tasks:
        return "complete"
    if progress.draw and progress.draw.stopped is not None:
        return "stopped"
    if not campaign.is_open:
        return "closed"
    return "deadline" if campaign.rules.deadline and campaign.rules.deadline < now.date() else ""


def note_ends(store: Store, seen: Seen, now: datetime) -> None:
    """Enqueue an event for each campaign that has started, ended or resumed since its last event."""
    with read_session(store.engine) as session:
        waiting = session.exec(
            select(Webhook.campaign_id, Webhook.event_id, Webhook.body, Webhook.created_at).where(
                col(Webhook.next_at).is_(None)
            )
        ).all()
    for campaign_id, event_id, body, created_at in waiting:
        before = _Sent(event_id, str(json.loads(body)["event"]) if body else "", created_at)
        try:
            _note_end(store, seen, campaign_id, before, now)
        except RecordError as error:  # an unreadable campaign must not block the others
            _note_unreadable(store, seen, campaign_id, str(error))


@dataclass(frozen=True, slots=True)
class _Sent:
    """Last event of a webhook that was made at a time; "" before the first."""

    id: str
    event: str
    made_at: datetime


def _event_of(progress: CampaignProgress, reason: str, before: str) -> str:
    """The event that the state of a campaign is, after the one before; "" while nobody has labelled."""
    if reason:
        return ENDED
    if not progress.answered:
        return ""
    return RESUMED if before == ENDED else before or STARTED


def _note_end(store: Store, seen: Seen, campaign_id: str, before: _Sent, now: datetime) -> None:
    """Raises RecordError for a campaign whose questions or rules cannot be read."""
    count_changed(store, campaign_id)
    with read_session(store.engine) as session:
        campaign = load_campaign(session, campaign_id)
        is_like = (campaign.version, count_events(session, campaign_id), before, now.date())
        if seen.get(campaign_id) == is_like:
            return
        progress = compute_progress(session, campaign)
    reason = reason_of_end(campaign, progress, now)
    event = _event_of(progress, reason, before.event)
    if event != before.event:
        body = _event_body(campaign, progress, event, reason, now) if event else {}
        with store.writing() as session:
            session.execute(
                update(Webhook)
                .where(col(Webhook.campaign_id) == campaign.id, col(Webhook.event_id) == before.id)
                .values(
                    event_id=body.get("id", ""),
                    body=json.dumps(body, ensure_ascii=False) if body else "",
                    attempts=0,
                    next_at=datetime.now(UTC) if body else None,
                    delivered_at=None,
                    error="",
                )
            )
    seen[campaign_id] = is_like


def _note_unreadable(store: Store, seen: Seen, campaign_id: str, error: str) -> None:
    """Record the error of a campaign that cannot be read, once."""
    if seen.get(campaign_id) == (error,):
        return
    with store.writing() as session:
        own = update(Webhook).where(col(Webhook.campaign_id) == campaign_id)
        session.execute(own.values(error=error[:MAX_ERROR]))
    seen[campaign_id] = (error,)


def _event_body(
    campaign: CampaignSettings, progress: CampaignProgress, event: str, reason: str, now: datetime
) -> dict[str, object]:
    return {
        "id": uuid4().hex,
        "event": event,
        "reason": reason,
        "at": now.isoformat(),
        "campaign": {"id": campaign.id, "name": campaign.name},
        "counts": {
            "items": progress.tasks,
            "complete": progress.complete,
            "labels": progress.answered,
            "required": progress.required,
            "disputed": progress.disputed,
            "adjudicated": progress.adjudicated,
            "flags": progress.flags,
        },
    }


def load_due(store: Store, now: datetime) -> list[Delivery]:
    """Deliveries that are due now."""
    with read_session(store.engine) as session:
        rows = session.exec(select(Webhook).where(col(Webhook.next_at) <= now)).all()
        return [
            Delivery(row.campaign_id, row.url, row.event_id, row.body, sign(row.secret, row.body), row.attempts)
            for row in rows
        ]


def sign(secret: str, body: str) -> str:
    """`sha256=` and HMAC-SHA256 of a body in UTF-8, in hexadecimal."""
    return f"sha256={hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()}"


def note_attempt(store: Store, sent: Delivery, error: str, now: datetime) -> None:
    """Record a delivery, or the error of a failed one with the time of the next attempt.

    That is 10 s later, then twice as long each time, up to an hour; it is given up after 30 times, about a day.
    """
    attempts = sent.attempts + 1
    with store.writing() as session:
        session.execute(
            update(Webhook)
            .where(col(Webhook.campaign_id) == sent.campaign_id, col(Webhook.event_id) == sent.event_id)
            .values(
                attempts=attempts,
                next_at=now + wait_after(sent.attempts) if error and attempts < MOST_ATTEMPTS else None,
                delivered_at=None if error else now,
                error=error[:MAX_ERROR],
            )
        )


def wait_after(attempts: int) -> timedelta:
    """Time until the next attempt, by the number of failed attempts before the last."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * (1 << min(attempts, 20)))
