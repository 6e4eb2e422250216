"""The end of a campaign is noticed once, kept in a row, and tried again later each time."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent, create_campaign
from annotations.campaigns.questions import bundled_question_sets
from annotations.management.manage import ManagerActions
from annotations.management.webhooks import Seen, load_due, load_webhook, note_attempt, note_ends, require_webhook_url
from annotations.people.people import Role
from annotations.store.campaign_tables import VersionRow
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

URL = "https://example.org/ended"


def managed(store: Store, **rules: object) -> tuple[CampaignFixture, ManagerActions]:
    opened = make_campaign(store, items=2, **rules)
    return opened, ManagerActions(store, opened.person("boss", Role.MANAGER))


def test_all_items_labelled_is_an_end_that_is_written_once(store: Store) -> None:
    opened, manager = managed(store)
    manager.set_webhook(opened.campaign.id, URL)
    ben, now = opened.annotator("ben"), datetime.now(UTC)
    note_ends(store, {}, now)
    assert load_due(store, datetime.now(UTC)) == []
    opened.label(ben, 1)
    note_ends(store, {}, now)
    [started] = load_due(store, datetime.now(UTC))
    assert json.loads(started.body)["event"] == "campaign.started"
    note_attempt(store, started, "", datetime.now(UTC))
    note_ends(store, {}, now)
    assert load_due(store, datetime.now(UTC)) == []
    opened.label(ben, 1)
    for _ in range(2):
        note_ends(store, {}, now)  # as a second server, or after a restart
        [due] = load_due(store, datetime.now(UTC))
    body = json.loads(due.body)
    assert (body["id"], body["event"], body["reason"]) == (due.event_id, "campaign.ended", "complete")
    assert body["campaign"]["name"] == "Boats"
    assert (body["counts"]["items"], body["counts"]["labels"]) == (2, 2)
    assert "ben" not in due.body
    note_attempt(store, due, "", datetime.now(UTC))
    note_ends(store, {}, now)
    assert load_due(store, datetime.now(UTC)) == []
    state = manager.webhook(opened.campaign.id)
    assert state
    assert state.delivered_at


def test_closing_and_the_last_day_are_ends_and_going_on_makes_room_for_another(store: Store) -> None:
    opened, manager = managed(store, deadline=date(2020, 1, 1))
    campaign, seen, now = opened.campaign, {}, datetime.now(UTC)
    [issued] = manager.versions(campaign.id)
    manager.revise(campaign.id, VersionContent(issued.content.questions, "", CampaignRules(overlap=1)))
    manager.set_webhook(campaign.id, URL)
    opened.label(opened.annotator("ben"), 1)
    events = []
    for changed in (
        VersionContent(issued.content.questions, "", CampaignRules(overlap=1), is_open=False),
        VersionContent(issued.content.questions, "", CampaignRules(overlap=1)),
        issued.content,
    ):
        manager.revise(campaign.id, changed)
        note_ends(store, seen, now)
        for due in load_due(store, datetime.now(UTC)):
            body = json.loads(due.body)
            events.append((body["event"], body["reason"], due.event_id))
            note_attempt(store, due, "", now)
    assert [event for *event, _ in events] == [
        ["campaign.ended", "closed"],
        ["campaign.resumed", ""],
        ["campaign.ended", "deadline"],
    ]
    assert len({id for *_, id in events}) == 3


def test_a_failure_is_kept_and_tried_again_later_each_time_until_it_is_given_up(store: Store) -> None:
    opened, manager = managed(store)
    secret = manager.set_webhook(opened.campaign.id, URL)
    opened.label(opened.annotator("ben"), 2)
    note_ends(store, {}, datetime.now(UTC))
    now, waits = datetime.now(UTC), []
    while due := load_due(store, now):
        note_attempt(store, due[0], "The server answered 500.", now)
        assert load_due(store, now) == []
        state = manager.webhook(opened.campaign.id)
        assert state
        assert state.error == "The server answered 500."
        if state.next_at:
            waits.append(state.next_at - now)
            now = state.next_at
    assert (waits[0], waits[1], waits[-1]) == (timedelta(seconds=10), timedelta(seconds=20), timedelta(hours=1))
    assert len(waits) == 29
    assert manager.set_webhook(opened.campaign.id, URL) != secret
    note_ends(store, {}, now)
    assert len(load_due(store, datetime.now(UTC))) == 1
    manager.remove_webhook(opened.campaign.id)
    assert manager.webhook(opened.campaign.id) is None


def test_a_campaign_is_looked_at_again_only_after_a_change(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotations.management import webhooks

    opened, manager = managed(store)
    manager.set_webhook(opened.campaign.id, URL)
    computed, seen, compute = [], {}, webhooks.compute_progress
    monkeypatch.setattr(webhooks, "compute_progress", lambda *given: computed.append(1) or compute(*given))
    for _ in range(5):
        note_ends(store, seen, datetime.now(UTC))
    assert len(computed) == 1
    opened.label(opened.annotator("ben"), 1)
    note_ends(store, seen, datetime.now(UTC))
    assert len(computed) == 2


def test_a_campaign_that_cannot_be_read_holds_up_no_other(store: Store) -> None:
    (broken, manager), now = managed(store), datetime.now(UTC)
    with store.writing() as session:
        wording = VersionContent(bundled_question_sets()["label-summaries"], "", CampaignRules(overlap=1))
        other = CampaignFixture(store, create_campaign(session, "Rafts", "ada", wording))
    other.add_tasks([NewTask(id) for id in save_items(store, 5)])
    for one in (broken, other):
        manager.set_webhook(one.campaign.id, URL)
    other.label(other.annotator("cem"), 1)
    values = {"guidelines": "", "questions": "[", "rules": "{}", "open": True, "by": "ada", "created_at": now}
    with store.writing() as session:
        session.add(VersionRow(campaign_id=broken.campaign.id, version=9, **values))
    seen: Seen = {}
    for _ in range(2):
        note_ends(store, seen, now)
        [due] = load_due(store, datetime.now(UTC))
        assert due.campaign_id == other.campaign.id
    with read_session(store.engine) as session:
        state = load_webhook(session, broken.campaign.id)
    assert state
    assert "is no YAML" in state.error


def test_a_url_may_lead_to_a_server_by_tls_or_to_an_address_near_by(store: Store) -> None:
    opened, manager = managed(store)
    for url in (URL, "http://127.0.0.1:8080/x", "http://localhost/x", "http://10.0.0.7/", "http://[::1]/"):
        manager.set_webhook(opened.campaign.id, url)
        state = manager.webhook(opened.campaign.id)
        assert state
        assert state.url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://example.org/",
        "http://93.184.216.34/",
        "http://169.254.169.254/latest/meta-data",
        "https://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/",
        "https://[::ffff:a9fe:a9fe]/",
        "https://[64:ff9b::169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "https://[fd00:ec2::254]/",
        "https://[fe80::1]/",
        "https://100.100.100.200/",
        "https://0.0.0.0/",
        "http://0.0.0.0/",
        "http://localhost.evil.example/",
        "https://",
        "https://user:secret@example.org/",
        "https://:secret@example.org/",
        "https://example.org/\r\nX: y",
        "https://exämple.org/",
        "https://example.org:99999/",
        "https://[::1",
        "https://example.org/" + "x" * 2000,
    ],
)
def test_a_url_may_not_be(url: str) -> None:
    with pytest.raises(RecordError):
        require_webhook_url(url)
