"""Mails of campaigns through a real server of SMTP on this machine: whom they go to, what they say, and what is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import update

from annotations.campaigns.campaign import NewTask
from annotations.management import webhook_events
from annotations.management.comments import ManagerComments
from annotations.management.mails import ANNOTATORS
from annotations.management.manage import ManagerActions
from annotations.management.webhooks import EventKind
from annotations.people.people import Role
from annotations.store.campaign_tables import Webhook
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.errors import BadSettingError
from core.settings import Settings
from pages.server import services
from pages.server.mail_sending import send_mail
from pages.server.webhook_thread import send_due
from tests.doubles.smtp import MailServer, mail_server
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    monkeypatch.setattr(webhook_events, "_SETTLED", timedelta(0))
    with mail_server() as running:
        settings = Settings(smtp_url=SecretStr(f"smtp://127.0.0.1:{running.port}"), smtp_from="bench@lab.org")
        monkeypatch.setattr(services, "settings", lambda: settings)
        yield running


@pytest.fixture
def opened(tmp_path: Path, migrated_database: Path) -> Iterator[CampaignFixture]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    yield make_campaign(store, items=4)
    store.close()


def subjects(server: MailServer) -> list[tuple[list[str], str]]:
    return [(addresses, str(mail["Subject"]).partition(": ")[2]) for addresses, mail in server.mails]


def test_the_state_of_a_campaign_goes_to_the_addresses_once_and_names_none_of_them(
    opened: CampaignFixture, server: MailServer
) -> None:
    manager = ManagerActions(opened.store, opened.person("boss", Role.MANAGER))
    manager.set_webhook(opened.campaign.id, "mailto:ana@lab.org, ben@lab.org")
    opened.label(opened.annotator("cleo"), 1)
    server.down = True
    send_due(opened.store, {})
    state = manager.webhook(opened.campaign.id)
    assert state
    assert state.error == "The mail server answered 451."
    server.down = False
    with opened.store.writing() as session:
        session.execute(update(Webhook).values(next_at=datetime.now(UTC)))
    send_due(opened.store, {})
    send_due(opened.store, {})
    assert subjects(server) == [(["ana@lab.org", "ben@lab.org"], "campaign started")]
    [(_, mail)] = server.mails
    assert "ana@" not in mail.as_string()
    assert "The first label is there." in mail.get_content()
    assert "items: 4" in mail.get_content()


def test_annotators_hear_of_new_items_together_and_of_an_answered_flag_alone(
    opened: CampaignFixture, server: MailServer
) -> None:
    store, id = opened.store, opened.campaign.id
    boss = opened.person("boss", Role.MANAGER)
    manager, comments = ManagerActions(store, boss), ManagerComments(store, boss)
    for name in ("ben@lab.org", "cleo"):
        opened.label(opened.annotator(name), 1)
    manager.set_webhook(id, ANNOTATORS, [EventKind.NOTICE])
    ana = opened.annotator("ana@lab.org")
    opened.send(ana, opened.next_task(ana), "flag")
    [flagged] = comments.conversations(id)
    comments.resolve(id, flagged.flags[0].response, "It was the font.", "resolved-1")
    opened.add_tasks([NewTask(save_items(store, 41)[0])])
    send_due(store, {})
    assert sorted(subjects(server)) == [
        (["ana@lab.org"], "flag resolved"),
        (["ana@lab.org", "ben@lab.org"], "items added"),
    ]
    [mail] = [mail for addresses, mail in server.mails if addresses == ["ana@lab.org"]]
    assert "Answer: It was the font." in mail.get_content()


def test_a_notice_of_nobody_with_an_address_is_logged_and_not_tried_again(
    opened: CampaignFixture, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    manager = ManagerActions(opened.store, opened.person("boss", Role.MANAGER))
    opened.label(opened.annotator("cleo"), 1)
    manager.set_webhook(opened.campaign.id, ANNOTATORS, [EventKind.NOTICE])
    opened.add_tasks([NewTask(save_items(opened.store, 41)[0])])
    for _ in range(2):
        send_due(opened.store, {})
    assert caplog.text.count("went to nobody") == 2  # the start of the campaign, and its new item
    assert server.mails == []


@pytest.mark.parametrize(
    ("target", "kinds", "error"),
    [
        ("mailto:", (), "Give 1 to 20 addresses"),
        ("mailto:ana@lab.org,Bcc: x@y.z", (), "is no e-mail address"),
        ("mailto:ana@lab.org\nBcc:x@y.z", (), "is no e-mail address"),
        (ANNOTATORS, (EventKind.LABEL,), "not about each label"),
    ],
)
def test_what_no_mail_can_go_to_is_refused(
    opened: CampaignFixture, target: str, kinds: tuple[EventKind, ...], error: str
) -> None:
    manager = ManagerActions(opened.store, opened.person("boss", Role.MANAGER))
    with pytest.raises(RecordError, match=error):
        manager.set_webhook(opened.campaign.id, target, kinds)


def mail() -> EmailMessage:
    message = EmailMessage()
    message["From"] = "bench@lab.org"
    message.set_content("Hello.")
    return message


def test_some_refused_addresses_keep_the_mail_from_nobody_else(
    server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.refused = {"gone@lab.org"}
    settings = services.settings()
    assert send_mail(mail(), ["gone@lab.org", "ana@lab.org"], settings) == ""
    assert "refused 1 of 2 addresses" in caplog.text
    assert "gone@" not in caplog.text
    assert send_mail(mail(), ["gone@lab.org"], settings) == "The mail server refused every address (550)."
    assert [addresses for addresses, _ in server.mails] == [["ana@lab.org"]]


def test_a_password_goes_to_this_machine_and_without_tls_to_no_other(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_password = Settings(smtp_url=SecretStr(f"smtp://a:b%40c@127.0.0.1:{server.port}"), smtp_from="bench@lab.org")
    assert send_mail(mail(), ["ana@lab.org"], with_password) == ""
    assert len(server.logins) == 1
    monkeypatch.setattr("pages.server.mail_sending._is_here", lambda _: False)
    assert "offers no encryption" in send_mail(mail(), ["ana@lab.org"], with_password)
    assert len(server.logins) == 1


def test_without_a_server_the_error_says_what_to_set_and_a_wrong_one_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "TOUCHSTONE_SMTP_URL" in send_mail(mail(), ["ana@lab.org"], Settings(smtp_url=SecretStr("")))
    monkeypatch.setenv("TOUCHSTONE_SMTP_URL", "http://name:hidden@lab.org")
    with pytest.raises(BadSettingError, match="smtp://HOST:PORT") as refused:
        Settings.read()
    assert "hidden" not in str(refused.value)
