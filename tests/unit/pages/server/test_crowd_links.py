"""Study links over HTTP, as Prolific, MTurk and an attacker open them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from sqlmodel import select, update
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.crowd import PREVIEW, StudyTerms, study_address
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.signed_links import sign_participant, signed_address
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.people.sign_in import GuessDelay, create_invite, end_session, member_by_session, start_session
from annotations.store.campaign_tables import CrowdSession
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError
from annotations.store.store import Store
from core.errors import BadSettingError
from core.settings import Settings
from pages.server import crowd_links, services
from pages.server.crowd_links import CrowdLinks
from pages.server.protection import Protection
from pages.server.sign_in import SESSION_COOKIE, SignInMiddleware
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

TERMS = StudyTerms("prolific", 2, 30, "DONE1", "OUT2", "STOP3", pay=3.0, screened_out_pay=0.5)
MTURK = StudyTerms("mturk", 2, 30, pay=1.0, currency="USD")
SUBMIT = "https://workersandbox.mturk.com"


class NoDelay(GuessDelay):
    def after_wrong(self, source: str) -> float:  # noqa: ARG002  # nobody waits in a test
        return 0.0


@dataclass
class Study:
    """A shared server with a campaign of three items, two of them for each participant."""

    store: Store
    opened: CampaignFixture
    manager: ManagerActions
    http: TestClient
    key: str = ""

    def come(self, participant: str, **others: str) -> httpx2.Response:
        """Open the link as the browser of a participant, who has no cookie."""
        self.http.cookies.clear()
        given = {"PROLIFIC_PID": participant, "STUDY_ID": "study1", "SESSION_ID": f"s-{participant}", **others}
        return self.http.get(f"/study/{self.key}", params=given)

    def accept(self, worker: str, part: str = "", **others: str) -> httpx2.Response:
        self.http.cookies.clear()
        given = {"workerId": worker, "hitId": "H1", "assignmentId": f"A{worker}", "turkSubmitTo": SUBMIT, **others}
        return self.http.get(f"/study/{self.key}{part}", params=given)

    def end(self) -> httpx2.Response:
        return self.http.get("/study/end", params={"campaign": self.opened.campaign.id})

    @property
    def member(self) -> Member:
        with read_session(self.store.engine) as session:
            found = member_by_session(session, self.http.cookies[SESSION_COOKIE])
        assert found
        return found

    def label(self, number: int = 2) -> None:
        self.opened.label(AnnotatorActions(self.store, self.member), number)

    def outcomes(self) -> dict[str, str]:
        return {row.participant: row.outcome for row in self.manager.sessions(self.opened.campaign.id)}


@pytest.fixture
def study(tmp_path: Path, migrated_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    monkeypatch.setattr(services, "store", lambda: store)
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    monkeypatch.setattr(crowd_links, "guess_delay", NoDelay)
    opened = make_campaign(store, items=3, overlap=3, most_per_person=2, apart=0)
    manager = ManagerActions(store, opened.person("boss", Role.MANAGER))

    def page(request: Request) -> Response:
        return PlainTextResponse(f"page {request.url.path}")

    app = Protection(CrowdLinks(SignInMiddleware(Starlette(routes=[Route("/{path:path}", page)]))))
    found = Study(store, opened, manager, TestClient(app, follow_redirects=False))
    found.key = manager.set_study(opened.campaign.id, TERMS)
    yield found
    store.close()


def test_the_link_has_the_documented_parameters_of_prolific() -> None:
    assert study_address("https://lab.example", "k", "prolific") == (
        "https://lab.example/study/k?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_a_participant_labels_and_goes_back_to_prolific_with_the_code_of_completion(study: Study) -> None:
    came = study.come("5f1c")
    assert (came.status_code, came.headers["location"]) == (303, f"/?campaign={study.opened.campaign.id}")
    assert study.member.name == "Prolific 5f1c"
    study.label(1)
    assert study.end().headers["location"].startswith("/?campaign=")
    study.label(1)
    end = study.end()
    assert end.headers["location"] == "https://app.prolific.com/submissions/complete?cc=DONE1"
    [row] = study.manager.sessions(study.opened.campaign.id)
    assert (row.outcome, row.labels, row.pay, row.verdict, row.submission) == ("completed", 2, 3.0, "approve", "s-5f1c")
    again = study.come("5f1c")
    assert again.status_code == 200
    assert "complete?cc=DONE1" in again.text
    with pytest.raises(KeyError):
        study.http.cookies[SESSION_COOKIE]


def test_a_signed_study_opens_by_the_participants_own_link_alone(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "a secret of this server"
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True, study_secret=SecretStr(secret)))
    unsigned = study.come("5f1c")
    assert (unsigned.status_code, study.outcomes()) == (403, {})
    assert "This study takes signed links only, and yours has no signature" in unsigned.text
    for wrong in (
        sign_participant(secret, study.key, "6a2d"),
        sign_participant("another secret of old", study.key, "5f1c"),
        sign_participant(secret, "another-study", "5f1c"),
        "ä",
    ):
        refused = study.come("5f1c", signature=wrong)
        assert (refused.status_code, study.outcomes()) == (403, {})
        assert "The signature of this link is not that of its participant" in refused.text
    study.http.cookies.clear()
    address = signed_address("http://testserver", study.key, "prolific", "5f1c", secret)
    assert study.http.get(address).status_code == 303
    assert (study.member.name, study.outcomes()) == ("Prolific 5f1c", {"5f1c": "open"})
    study.manager.set_study(study.opened.campaign.id, MTURK)
    assert study.accept("W1", "/work").status_code == 403
    assert study.accept("W1", "/work", signature=sign_participant(secret, study.key, "W1")).status_code == 303


def test_a_secret_that_is_guessed_easily_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_STUDY_SECRET", "short")
    with pytest.raises(BadSettingError, match="TOUCHSTONE_STUDY_SECRET: a secret has 16 characters or more"):
        Settings.read()


def test_a_link_signs_nobody_else_out(study: Study) -> None:
    manager = sign_in(study, study.manager._person)
    study.http.cookies.set(SESSION_COOKIE, manager, "testserver.local")
    given = {"PROLIFIC_PID": "5f1c", "STUDY_ID": "study1", "SESSION_ID": "s"}
    refused = study.http.get(f"/study/{study.key}", params=given)
    assert (refused.status_code, "set-cookie" in refused.headers) == (409, False)
    assert "You are signed in as boss. Sign out first, or open the link in a private window." in refused.text
    assert (study.member.name, study.outcomes()) == ("boss", {})
    with study.store.writing() as session:
        end_session(session, manager)
    assert study.http.get(f"/study/{study.key}", params=given).status_code == 303
    assert study.member.name == "Prolific 5f1c"
    again = study.http.get(f"/study/{study.key}", params=given)
    assert (again.status_code, study.member.name) == (303, "Prolific 5f1c")


def sign_in(study: Study, member: Member) -> str:
    """Cookie of a browser in which a person signed in by a personal link."""
    with study.store.writing() as session:
        invite = create_invite(session, member.id, "test")
        session.flush()
        return start_session(session, invite).id


def test_one_session_for_each_participant_and_no_more_than_there_are_places(study: Study) -> None:
    study.come("aa")
    first = study.member
    study.come("aa")
    assert study.member.id == first.id
    study.come("bb")
    refused = study.come("cc")
    assert (refused.status_code, "All places" in refused.text) == (403, True)
    assert study.outcomes() == {"aa": "open", "bb": "open"}
    study.manager.return_session(study.opened.campaign.id, "aa")
    assert study.come("cc").status_code == 303
    assert study.outcomes() == {"aa": "returned", "bb": "open", "cc": "open"}
    with pytest.raises(RecordError, match="session that is open"):
        study.manager.return_session(study.opened.campaign.id, "aa")


def test_who_knows_the_id_of_a_participant_is_not_signed_in_as_them(study: Study) -> None:
    study.come("aa")
    own = study.http.cookies[SESSION_COOKIE]
    refused = study.come("aa", SESSION_ID="invented")
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
    assert "open under another submission" in refused.text
    study.http.cookies.set(SESSION_COOKIE, own, "testserver.local")  # the same browser, after it was accepted again
    given = {"PROLIFIC_PID": "aa", "STUDY_ID": "study1", "SESSION_ID": "again"}
    assert study.http.get(f"/study/{study.key}", params=given).status_code == 303
    assert study.member.name == "Prolific aa"


def test_invented_participants_give_their_places_back(study: Study) -> None:
    for invented in ("aa", "bb"):
        study.come(invented)
    assert study.come("cc").status_code == 403
    study.come("bb")
    study.label(1)
    _begun_earlier(study, minutes=9)
    assert study.come("cc").status_code == 403
    _begun_earlier(study, minutes=2)
    assert study.come("cc").status_code == 303
    assert study.come("dd").status_code == 403
    assert study.come("aa").status_code == 303  # who was only slow goes on


def _begun_earlier(study: Study, minutes: int) -> None:
    with study.store.writing() as session:
        for row in session.exec(select(CrowdSession)):
            row.begun_at -= timedelta(minutes=minutes)
            session.add(row)


def test_a_session_is_over_after_its_minutes_and_its_place_is_free(study: Study) -> None:
    study.come("aa")
    actions = AnnotatorActions(study.store, study.member)
    study.label(1)
    with study.store.writing() as session:
        session.execute(update(CrowdSession).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    assert study.outcomes() == {"aa": "timed out"}
    with pytest.raises(RightsError):
        actions.next(study.opened.campaign.id)
    assert "The time is over" in study.end().text
    assert [study.come(one).status_code for one in ("bb", "cc", "dd")] == [303, 303, 403]


def test_a_participant_sees_no_campaign_but_that_of_the_session(study: Study) -> None:
    other = make_campaign(study.store, called="Ships")
    study.come("aa")
    actions = AnnotatorActions(study.store, study.member)
    assert [campaign.id for campaign in actions.campaigns()] == [study.opened.campaign.id]
    with pytest.raises(RightsError):
        actions.next(other.campaign.id)


def test_who_is_paused_by_the_limits_is_rejected_with_the_evidence(study: Study) -> None:
    study.come("aa")
    study.label(1)
    study.manager.pause(study.opened.campaign.id, study.member.id, "0 of 4 known answers right")
    assert study.end().headers["location"].endswith("cc=STOP3")
    [row] = study.manager.sessions(study.opened.campaign.id)
    assert (row.verdict, row.pay, row.evidence) == ("reject", 0.0, "0 of 4 known answers right")
    exported = ExportActions(study.store, study.manager._person)
    table = exported.file(study.opened.campaign.id, "crowd-sessions", ExportTerms()).decode()
    assert "aa,study1,s-aa," in table
    assert "reject,0 of 4 known answers right" in table


def test_the_data_statement_has_pay_and_time_for_a_label(study: Study) -> None:
    study.come("aa")
    study.label()
    study.end()
    exported = ExportActions(study.store, study.manager._person)
    text = exported.file(study.opened.campaign.id, "data-statement", ExportTerms()).decode()
    assert "1 participants of Prolific began a session (1 completed)" in text
    assert "paid 3.00 GBP, 1.500 a label" in text


def test_mturk_previews_opens_the_work_and_takes_the_code(study: Study) -> None:
    study.manager.set_study(study.opened.campaign.id, MTURK)
    preview = study.accept("W1", assignmentId=PREVIEW)
    assert "Accept the task" in preview.text
    assert study.outcomes() == {}
    frame = study.accept("W1")
    assert f'action="{SUBMIT}/mturk/externalSubmit"' in frame.text
    assert 'name="assignmentId" value="AW1"' in frame.text
    policy = frame.headers["content-security-policy"]
    assert "https://workersandbox.mturk.com" in policy
    assert "x-frame-options" not in frame.headers
    assert study.outcomes() == {}
    assert study.accept("W1", "/work").status_code == 303
    study.label()
    [row] = study.manager.sessions(study.opened.campaign.id)
    assert f"<code>{row.code}</code>" in study.end().text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"turkSubmitTo": "https://evil.example"}, "not a server of MTurk"),
        ({"turkSubmitTo": "https://www.mturk.com.evil.example"}, "not a server of MTurk"),
    ],
)
def test_a_form_goes_to_mturk_alone(study: Study, changes: dict[str, str], said: str) -> None:
    study.manager.set_study(study.opened.campaign.id, MTURK)
    refused = study.accept("W1", **changes)
    assert (refused.status_code, said in refused.text) == (403, True)


@pytest.mark.parametrize("participant", ["", "a b", "<b>", "x" * 101, "../../etc"])
def test_a_link_without_a_participant_is_refused(study: Study, participant: str) -> None:
    refused = study.come(participant)
    assert refused.status_code == 403
    assert "<b>" not in refused.text
    assert study.outcomes() == {}


def test_an_unknown_study_and_a_wrong_code_are_refused(study: Study) -> None:
    assert study.http.get("/study/nothing", params={"PROLIFIC_PID": "aa"}).status_code == 403
    assert study.end().status_code == 403
    assert study.http.post(f"/study/{study.key}").status_code == 405
    for wrong in ({"completed_code": "a&b"}, {"currency": "pounds"}, {"places": 0}, {"completed_code": ""}):
        changed: dict[str, Any] = {"platform": "prolific", "completed_code": "DONE1", **wrong}
        with pytest.raises(RecordError):
            study.manager.set_study(study.opened.campaign.id, StudyTerms(**changed))
