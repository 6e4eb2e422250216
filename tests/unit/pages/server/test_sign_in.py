"""Links and codes over HTTP, as a browser, a proxy and an attacker send them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import replace
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from annotations.people.people import Member, Role, add_person, change_person
from annotations.people.sign_in import GuessDelay, create_invite, end_session, member_by_session
from annotations.store.database import read_session
from annotations.store.records import UnavailableError
from annotations.store.store import Store
from core.settings import Settings
from pages.server import services, sign_in
from pages.server.sign_in import (
    ORGANISATION_COOKIE,
    SESSION_COOKIE,
    SignInMiddleware,
    is_signed_in,
    organisation_member,
)

PAGE = {"Accept": "text/html,*/*"}
HERE = {"Origin": "http://testserver"}


class NoDelay(GuessDelay):
    """Counts what it would have waited for."""

    waits: list[float]

    def after_wrong(self, source: str) -> float:
        self.waits = [*getattr(self, "waits", []), super().after_wrong(source)]
        return 0.0


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'touchstone.db'}")
    monkeypatch.setattr(services, "store", lambda: opened)
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    yield opened
    opened.close()


@pytest.fixture
def delay(monkeypatch: pytest.MonkeyPatch) -> NoDelay:
    found = NoDelay()
    monkeypatch.setattr(sign_in, "guess_delay", lambda: found)
    return found


@pytest.fixture
def codes(store: Store) -> dict[str, str]:
    with store.writing() as session:
        return {
            name: create_invite(session, add_person(session, name, Role.ANNOTATOR).id, "boss")
            for name in ("ada", "ben")
        }


def client(base_url: str = "http://testserver") -> TestClient:
    def page(request: Request) -> Response:
        return PlainTextResponse(f"page {request.url.path}")

    return TestClient(
        SignInMiddleware(Starlette(routes=[Route("/{path:path}", page)])), base_url=base_url, follow_redirects=False
    )


def who(store: Store, answer: Any) -> Member | None:
    """Who is signed in by the cookie that came with an answer."""
    with read_session(store.engine) as session:
        return member_by_session(session, answer.cookies[SESSION_COOKIE])


def test_a_link_leads_to_its_page_without_the_code(store: Store, codes: dict[str, str]) -> None:
    answer = client().get(f"/annotate?invite={codes['ada']}&campaign=c1", headers=PAGE)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/annotate?campaign=c1"
    member = who(store, answer)
    assert member is not None
    assert member.name == "ada"


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "//evil.example",
        "///evil.example/a",
        "/\\evil.example",
        "/x//evil.example",
        "/%2fevil.example",
        "/%5cevil.example",
        "/\t/evil.example",
        "/a:b@evil.example",
        "//evil.example/%2e%2e",
        "/..//evil.example",
    ],
)
def test_a_link_leads_to_a_page_of_this_server_and_nowhere_else(codes: dict[str, str], path: str) -> None:
    scope = {"type": "http", "method": "GET", "path": unquote(path), "query_string": f"invite={codes['ada']}".encode()}
    headers = [(b"host", b"testserver"), (b"accept", b"text/html")]
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    scope |= {"headers": headers, "scheme": "http", "server": ("testserver", 80), "client": ("127.0.0.1", 1)}
    asyncio.run(SignInMiddleware(Starlette())(scope, receive, send))
    assert (sent[0]["status"], dict(sent[0]["headers"])[b"location"]) == (303, b"/")


@pytest.mark.parametrize(("scheme", "secure"), [("http", ""), ("https", True)])
def test_no_script_reads_the_cookie_and_it_is_not_sent_in_the_clear(
    codes: dict[str, str], scheme: str, secure: object
) -> None:
    answer = client(f"{scheme}://testserver").get(f"/?invite={codes['ada']}", headers=PAGE)
    morsel = SimpleCookie(answer.headers["set-cookie"])[SESSION_COOKIE]
    assert (morsel["httponly"], morsel["samesite"], morsel["path"], morsel["secure"]) == (True, "lax", "/", secure)
    assert morsel["expires"]
    assert codes["ada"] not in answer.headers["set-cookie"]
    assert answer.headers["cache-control"] == "no-store"


def test_the_same_link_again_changes_the_id_and_that_of_another_person_is_left_to_the_page(
    store: Store, codes: dict[str, str]
) -> None:
    browser = client()
    first = browser.get(f"/?invite={codes['ada']}", headers=PAGE)
    second = browser.get(f"/?invite={codes['ada']}", headers=PAGE)
    assert first.cookies[SESSION_COOKIE] != second.cookies[SESSION_COOKIE]
    assert who(store, first) is None
    asked = browser.get(f"/?invite={codes['ben']}", headers=PAGE)
    assert (asked.status_code, asked.text) == (200, "page /")
    member = who(store, second)
    assert member is not None
    assert member.name == "ada"
    switched = browser.post("/sign-in", content=codes["ben"], headers=HERE)
    assert switched.json() == {"name": "ben"}
    assert who(store, second) is None


def test_the_address_of_the_sign_out_ends_no_session_and_takes_the_cookie_of_one_that_ended(
    store: Store, codes: dict[str, str]
) -> None:
    browser = client()
    signed_in = browser.get(f"/?invite={codes['ada']}", headers=PAGE)
    opened = browser.get("/sign-out", headers=PAGE)
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    assert "set-cookie" not in opened.headers
    assert who(store, signed_in) is not None
    with store.writing() as session:
        end_session(session, signed_in.cookies[SESSION_COOKIE])
    assert browser.get("/sign-out", headers=PAGE).headers["location"] == "/"
    assert SESSION_COOKIE not in browser.cookies


def test_an_outage_takes_no_cookie_at_the_address_of_the_sign_out(
    codes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Store:
        raise UnavailableError("The database cannot be reached.")

    browser = client()
    browser.get(f"/?invite={codes['ada']}", headers=PAGE)
    monkeypatch.setattr(services, "store", away)
    assert browser.get("/sign-out", headers=PAGE).status_code == 303
    assert SESSION_COOKIE in browser.cookies


def test_a_wrong_code_waits_longer_each_time_and_a_valid_one_never_does(codes: dict[str, str], delay: NoDelay) -> None:
    browser = client()
    answers = [browser.post("/sign-in", content=f"guess-{number}", headers=HERE) for number in range(12)]
    assert {answer.status_code for answer in answers} == {403}
    assert all(answer.json()["problem"].startswith("This code is not valid") for answer in answers)
    assert browser.get("/?invite=guess", headers=PAGE).text == "page /"
    assert delay.waits == sorted(delay.waits)
    assert len(delay.waits) == 13
    assert browser.post("/sign-in", content=codes["ada"], headers=HERE).status_code == 200
    assert len(delay.waits) == 13


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://testserver:81"}]
)
def test_no_other_site_signs_a_browser_in(codes: dict[str, str], headers: dict[str, str]) -> None:
    answer = client().post("/sign-in", content=codes["ada"], headers=headers)
    assert answer.status_code == 403
    assert SESSION_COOKIE not in answer.cookies


@pytest.mark.usefixtures("store", "delay")
@pytest.mark.parametrize("body", [b"", b"\xff\x00", b"x" * 5_000_000])
def test_whatever_is_sent_instead_of_a_code_is_refused(body: bytes) -> None:
    assert client().post("/sign-in", content=body, headers=HERE).status_code == 403


def test_a_local_server_takes_no_codes(codes: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=False))
    answer = client().get(f"/?invite={codes['ada']}", headers=PAGE)
    assert (answer.text, SESSION_COOKIE in answer.cookies) == ("page /", False)


VERIFIED = {"email": "ada@example.org", "email_verified": True}


@pytest.mark.parametrize(
    ("secret", "name", "claims", "let_in"),
    [
        ("our secret", ORGANISATION_COOKIE, VERIFIED, True),
        ("theirs", ORGANISATION_COOKIE, VERIFIED, False),
        ("our secret", "other", VERIFIED, False),
        ("our secret", ORGANISATION_COOKIE, {**VERIFIED, "email": "eve@example.org"}, False),
        ("our secret", ORGANISATION_COOKIE, {"email": "ada@example.org"}, False),
        ("our secret", ORGANISATION_COOKIE, {**VERIFIED, "long": random.Random(0).randbytes(4000).hex()}, True),
    ],
)
def test_a_cookie_of_an_organisation_counts_with_its_signature_and_a_person_of_this_server_alone(
    secret: str, name: str, claims: dict[str, Any], let_in: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("authlib")
    monkeypatch.setattr(secrets_singleton, "_secrets", {"auth": {"cookie_secret": "our secret"}})
    with store.writing() as session:
        add_person(session, "ada@example.org", Role.ANNOTATOR)
    parts: list[bytes] = []

    def signed(part: str, value: str) -> bytes:
        return create_signed_value(secret, part.replace(ORGANISATION_COOKIE, name), value)

    def keep(part: str, value: str) -> None:
        parts.append(part.encode() + b"=" + signed(part, value))

    set_cookie_with_chunks(keep, signed, ORGANISATION_COOKIE, claims, cookie_attr_size=100)
    assert (len(parts) > 1) is ("long" in claims)
    request = Request({"type": "http", "headers": [(b"cookie", b"; ".join(parts))]})
    assert asyncio.run(is_signed_in(request)) is let_in
    anything = Request({"type": "http", "headers": [(b"cookie", ORGANISATION_COOKIE.encode() + b"=anything")]})
    assert not asyncio.run(is_signed_in(anything))


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"email": "ada@example.org", "email_verified": True}, "ada@example.org"),
        ({"email": "Ada@Example.org", "email_verified": "true"}, "ada@example.org"),
        ({"email": "ada@example.org", "email_verified": "false"}, None),  # in words, as some providers say it
        ({"email": "ada@example.org", "email_verified": 0}, None),
        ({"email": "ada@example.org"}, None),  # whoever may choose an address could be anybody
        ({"email": "\u212ate@example.org", "email_verified": True}, None),  # the sign of Kelvin is no k
        ({"email": ["ada@example.org"], "email_verified": True}, None),
        ({"email": "", "email_verified": True}, None),
        ({"email": "gone@example.org", "email_verified": True}, None),
    ],
)
def test_an_organisation_vouches_for_verified_addresses_of_active_people(
    claims: dict[str, Any], name: str | None, store: Store
) -> None:
    with store.writing() as session:
        for person in ("ada@example.org", "kte@example.org"):
            add_person(session, person, Role.ANNOTATOR)
        gone = add_person(session, "gone@example.org", Role.ANNOTATOR)
        change_person(session, replace(gone, active=False), "boss")
    member = organisation_member(claims)
    assert (member.name if member else None) == name


def test_the_operator_may_vouch_for_a_provider_that_says_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.writing() as session:
        add_person(session, "ada@example.org", Role.ANNOTATOR)
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True, trust_email=True))
    assert organisation_member({"email": "ada@example.org"})
    assert organisation_member({"email": "ada@example.org", "email_verified": False}) is None
