"""Mails about a campaign: a webhook whose address is `mailto:` with addresses, or with the campaign's own annotators."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from email.message import EmailMessage

from sqlmodel import Session, col, select

from annotations.management.webhook_events import NOTICES
from annotations.management.webhooks import EVENTS, STARTED, Delivery, EventKind
from annotations.store.people_tables import Person
from annotations.store.records import RecordError
from annotations.store.response_tables import Reservation

MAILTO, ANNOTATORS = "mailto:", "mailto:annotators"
_MOST_ADDRESSES = 20
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


def require_mail_target(target: str, kinds: Sequence[EventKind]) -> None:
    """Raise RecordError for a target that no mail can go to, or for events that are none of annotators' business."""
    if target == ANNOTATORS:
        if others := [kind.value for kind in kinds if kind is not EventKind.NOTICE]:
            raise RecordError(
                f"Annotators get mails about notices alone, and not about each {' or '.join(others)}. Give addresses for these."
            )
        return
    addresses = _addresses(target)
    if not 0 < len(addresses) <= _MOST_ADDRESSES:
        raise RecordError(f"Give 1 to {_MOST_ADDRESSES} addresses, with commas between them; got {len(addresses)}.")
    if wrong := [address for address in addresses if not _ADDRESS.fullmatch(address)]:
        raise RecordError(f"{wrong[0][:60]!r} is no e-mail address. Write each as name@host.org, or {ANNOTATORS}.")


def recipients(session: Session, delivery: Delivery) -> list[str]:
    """The addresses that a mail goes to.

    Of annotators: of whoever the event is of, otherwise everybody who has had an item of the campaign, where they are active and
    their name is their address, as with a sign-in by an organisation. That somebody else labelled first is no news to them.
    """
    if delivery.url != ANNOTATORS:
        return _addresses(delivery.url)
    body = json.loads(delivery.body)
    if body["event"] == STARTED:
        return []
    people = (
        select(Person.name)
        .join(Reservation, col(Reservation.person_id) == col(Person.id))
        .where(col(Reservation.campaign_id) == delivery.campaign_id, col(Person.active))
        .distinct()
        .order_by(Person.name)
    )
    if body.get("person"):
        people = people.where(col(Person.pseudonym) == body["person"])
    return [name for name in session.exec(people) if _ADDRESS.fullmatch(name)]


def compose(delivery: Delivery, sender: str) -> EmailMessage:
    """The mail of an event, without its recipients: the addresses of others are nobody's business."""
    body = json.loads(delivery.body)
    name, event = " ".join(str(body["campaign"]["name"]).split()), str(body["event"])
    lines = [f"Campaign “{name}”: {EVENTS[event]}"]
    if reason := " ".join(str(body.get("reason") or "").split()):
        lines.append(f"{_REASONS.get(event, 'Reason')}: {reason}")
    lines += [f"{noun}: {number}" for noun, number in body.get("counts", {}).items()]
    if event in NOTICES:
        lines.append("Open Annotate to read or go on.")
    message = EmailMessage()
    message["Subject"] = f"{name}: {event.replace('.', ' ')}"
    message["From"], message["To"] = sender, "undisclosed-recipients:;"
    message["Message-ID"] = f"<{delivery.event_id}@touchstone.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("\n".join(lines))
    return message


_REASONS = {"items.added": "Number", "guidelines.changed": "Version", "flag.resolved": "Answer"}


def _addresses(target: str) -> list[str]:
    parts = (part.strip() for part in target.removeprefix(MAILTO).split(","))
    return list(dict.fromkeys(part for part in parts if part))
