"""The thread of a server that sends word of the state of campaigns and of their events; labelling never waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import streamlit as st

from annotations.management.mails import MAILTO, compose, recipients
from annotations.management.webhook_events import load_events, note_event
from annotations.management.webhooks import Delivery, Seen, load_due, note_attempt, note_ends, refuse_address
from annotations.store.database import read_session
from annotations.store.store import Store
from core.base import LookUp, look_up
from core.errors import TouchstoneError
from pages.server import services, startup
from pages.server.mail_sending import send_mail

_EVERY_SECONDS = 5.0
_WAIT_FOR_PAGE_SECONDS = 60.0  # the first visitor comes first
_ANSWER_SECONDS = 10.0
_REDIRECTS = range(300, 400)
_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def sending_webhooks(_: st.App) -> AsyncIterator[None]:
    """Send as long as the server runs."""
    stopped = threading.Event()
    threading.Thread(target=_send_until, args=(stopped,), name="webhooks", daemon=True).start()
    yield
    stopped.set()


def _send_until(stopped: threading.Event) -> None:
    startup.first_page_drawn.wait(_WAIT_FOR_PAGE_SECONDS)
    seen: Seen = {}
    problem = ""
    while not stopped.wait(_EVERY_SECONDS):
        try:
            send_due(services.store(), seen)
            problem = ""
        except TouchstoneError as error:  # the database is away; what is to be sent waits in it
            if str(error) != problem:
                problem = str(error)
                _LOG.warning("Webhooks wait: %s", problem)


def send_due(store: Store, seen: Seen, resolve: LookUp = look_up) -> None:
    """Send what is due, once each, to the addresses that `resolve` gives; a store that keeps nothing sends nothing."""
    if store.read_only:
        return
    note_ends(store, seen, datetime.now(UTC))
    for delivery in load_due(store, datetime.now(UTC)):
        note_attempt(store, delivery, _send(store, delivery, resolve), datetime.now(UTC))
    for events in load_events(store, datetime.now(UTC)):
        for event in events:
            problem = _send(store, event.delivery, resolve)
            note_event(store, event, problem, datetime.now(UTC))
            if problem:  # what follows waits: events come in their order
                break


def _send(store: Store, delivery: Delivery, resolve: LookUp) -> str:
    """Send an event by mail or to its URL; the error for which it did not arrive, or nothing."""
    if not delivery.url.startswith(MAILTO):
        return _post(delivery, resolve)
    settings = services.settings()
    with read_session(store.engine) as session:
        addresses = recipients(session, delivery)
    if not addresses:
        _LOG.warning(
            "A notice of campaign %s went to nobody: it is of nobody whose name is an address.", delivery.campaign_id
        )
        return ""
    return send_mail(compose(delivery, settings.smtp_from), addresses, settings)


def _post(delivery: Delivery, resolve: LookUp) -> str:
    """Send an event to its URL; the error for which it did not arrive, or nothing. Of the answer only the status is read."""
    # not needed by a server that sends nothing
    import httpx2

    from core.base import CheckedTransport, RefusedAddressError, goes_by_proxy

    headers = {
        "Content-Type": "application/json",
        "User-Agent": "touchstone",
        "X-Touchstone-Event": delivery.event_id,
        "X-Touchstone-Signature": delivery.signature,
    }
    try:
        transport = None if goes_by_proxy(delivery.url) else CheckedTransport(refuse_address, resolve)
        with (
            httpx2.Client(timeout=_ANSWER_SECONDS, follow_redirects=False, transport=transport) as client,
            client.stream("POST", delivery.url, content=delivery.body.encode(), headers=headers) as answer,
        ):
            status = answer.status_code
    except RefusedAddressError as error:
        return str(error)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return f"It could not be sent: {error or type(error).__name__}"
    if status in _REDIRECTS:
        return f"The server answered {status}, and redirects are not followed."
    return "" if answer.is_success else f"The server answered {status}."
