"""A real receiver on this machine gets word of the end of a campaign, signed, and again until it has it."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import update

from annotations.campaigns.campaign import CampaignRules, NewTask
from annotations.campaigns.exclusions import WhatIsExcluded
from annotations.management import webhook_events
from annotations.management.comments import ManagerComments
from annotations.management.manage import ManagerActions
from annotations.management.webhooks import EventKind, WebhookState, sign
from annotations.people.people import Role, load_pseudonyms
from annotations.store.campaign_tables import Webhook
from annotations.store.database import read_session
from annotations.store.store import Store
from pages.server.webhook_thread import send_due
from pages.ui.campaigns.webhook_form import format_webhook
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items


@dataclass
class Receiver:
    """Answers with these statuses, one after the other, and keeps what came."""

    statuses: list[int]
    url: str = ""
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver([])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.came.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status = found.statuses.pop(0)
            self.send_response(status)
            if status == 302:
                self.send_header("Location", found.url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/ended"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def opened(tmp_path: Path, migrated_database: Path) -> Iterator[CampaignFixture]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    yield make_campaign(store, items=1)
    store.close()


def due_now(store: Store) -> None:
    """As if the wait were over."""
    with store.writing() as session:
        session.execute(update(Webhook).values(next_at=datetime.now(UTC)))


def test_word_arrives_signed_after_failures_and_once(opened: CampaignFixture, receiver: Receiver) -> None:
    store, campaign = opened.store, opened.campaign
    manager = ManagerActions(store, opened.person("boss", Role.MANAGER))
    secret = manager.set_webhook(campaign.id, receiver.url)
    send_due(store, {})
    assert receiver.came == []
    opened.label(opened.annotator("ben"), 1)
    receiver.statuses += [500, 302, 204]
    for problem in ("The server answered 500.", "The server answered 302, and redirects are not followed.", ""):
        send_due(store, {})  # nothing is remembered in between, as after a restart
        state = manager.webhook(campaign.id)
        assert state
        assert state.error == problem
        assert problem in format_webhook(state)
        if problem:
            due_now(store)
    send_due(store, {})
    assert len(receiver.came) == 3
    bodies = {body for _, body in receiver.came}
    [body] = bodies
    for headers, _ in receiver.came:
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        assert headers["x-touchstone-signature"] == f"sha256={signature}"
        assert headers["x-touchstone-event"] == json.loads(body)["id"]
    assert format_webhook(_state(manager, campaign.id)).startswith("Delivered to http://127.0.0.1")


def test_nobody_at_the_other_end_is_a_line_for_the_manager(opened: CampaignFixture, receiver: Receiver) -> None:
    store, manager = opened.store, ManagerActions(opened.store, opened.person("boss", Role.MANAGER))
    manager.set_webhook(opened.campaign.id, "http://127.0.0.1:9/")
    opened.label(opened.annotator("ben"), 1)
    send_due(store, {})
    line = format_webhook(_state(manager, opened.campaign.id))
    assert line.startswith("The webhook failed (attempt 1; tried again at ")
    assert "could not be sent" in line
    assert receiver.came == []


def test_events_of_people_and_items_arrive_in_order_once_and_only_those_that_were_chosen(
    opened: CampaignFixture, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_events, "_SETTLED", timedelta(0))
    store, campaign = opened.store, opened.campaign
    manager, ben = ManagerActions(store, opened.person("boss", Role.MANAGER)), opened.person("ben")
    secret = manager.set_webhook(campaign.id, receiver.url, list(EventKind))
    opened.label(opened.annotator_of(ben), 1)
    manager.exclude(campaign.id, WhatIsExcluded(ben.id), "Did not read.")
    manager.pause(campaign.id, ben.id, "Did not read.")
    receiver.statuses += [204, 204, 500]
    send_due(store, {})
    assert "tried again" in format_webhook(_state(manager, campaign.id))
    with store.writing() as session:
        session.execute(update(Webhook).values(events_next_at=datetime.now(UTC)))
    receiver.statuses += [204, 204]
    for _ in range(2):
        send_due(store, {})
    bodies = [json.loads(body) for _, body in receiver.came]
    assert [(body["event"], body["reason"]) for body in bodies] == [
        ("item.assigned", ""),
        ("label.answer", ""),
        ("labels.excluded", "Did not read."),
        ("labels.excluded", "Did not read."),
        ("person.pause", "Did not read."),
    ]
    assert bodies[2] == bodies[3]
    with read_session(store.engine) as session:
        assert {body["person"] for body in bodies} == {load_pseudonyms(session)["ben"]}
    assert len({body["id"] for body in bodies}) == 4
    headers, text = receiver.came[-1]
    assert headers["x-touchstone-signature"] == sign(secret, text.decode())
    manager.set_webhook(campaign.id, receiver.url, [EventKind.PAUSE])
    manager.resume(campaign.id, ben.id, "Has read.")
    opened.label(opened.annotator("cem"), 1)
    receiver.statuses += [204, 204]
    send_due(store, {})
    assert [json.loads(body)["event"] for _, body in receiver.came[5:]] == ["campaign.ended", "person.resume"]


def test_what_annotators_wait_for_arrives_as_a_notice(
    opened: CampaignFixture, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_events, "_SETTLED", timedelta(0))
    store, id = opened.store, opened.campaign.id
    boss = opened.person("boss", Role.MANAGER)
    manager, comments = ManagerActions(store, boss), ManagerComments(store, boss)
    manager.set_webhook(id, receiver.url, [EventKind.NOTICE])
    ben = opened.annotator("ben")
    opened.send(ben, opened.next_task(ben), "flag")
    [flagged] = comments.conversations(id)
    comments.resolve(id, flagged.flags[0].response, "The source ends there.", "resolved-1")
    opened.add_tasks([NewTask(item) for item in (save_items(store, 41)[0], save_items(store, 42)[0])])
    assert ben.count_new_items(id) == 2
    newest = manager.versions(id)[0].content
    manager.revise(id, replace(newest, guidelines="Read all of it."))
    manager.revise(id, replace(newest, guidelines="Read all of it.", rules=CampaignRules(overlap=3)))
    receiver.statuses += [204] * 4
    send_due(store, {})
    bodies = [json.loads(body) for _, body in receiver.came]
    assert [(body["event"], body["reason"]) for body in bodies if not body["event"].startswith("campaign.")] == [
        ("flag.resolved", "The source ends there."),
        ("items.added", "2"),
        ("guidelines.changed", "2"),
    ]
    assert [bool(body["person"]) for body in bodies[-3:]] == [True, False, False]


INWARD = {
    "the address of a cloud's secrets": ["169.254.169.254"],
    "the same as IPv6": ["::ffff:169.254.169.254"],
    "this machine": ["127.0.0.1"],
    "a machine beside it": ["10.0.0.7"],
    "one outside and one inside": ["93.184.216.34", "::1"],
}


@pytest.mark.parametrize("host", INWARD)
def test_a_name_that_leads_inwards_when_it_is_sent_gets_nothing(
    opened: CampaignFixture, receiver: Receiver, host: str
) -> None:
    store, manager = opened.store, ManagerActions(opened.store, opened.person("boss", Role.MANAGER))
    port = urlsplit(receiver.url).port
    manager.set_webhook(opened.campaign.id, f"https://hooks.example:{port}/ended")
    opened.label(opened.annotator("ben"), 1)
    lookups: list[str] = []

    def resolve(name: str, _port: int) -> list[str]:
        lookups.append(name)
        return INWARD[host]

    send_due(store, {}, resolve)
    line = format_webhook(_state(manager, opened.campaign.id))
    assert re.search(r"hooks\.example,? (which )?leads to", line)
    assert "nothing is sent there" in line
    assert (lookups, receiver.came) == (["hooks.example"], [])


def _state(manager: ManagerActions, campaign_id: str) -> WebhookState:
    state = manager.webhook(campaign_id)
    assert state
    return state
