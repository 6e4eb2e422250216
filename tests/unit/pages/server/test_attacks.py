"""What an attacker tries, one row each: another's items, rights that a role has not, links, codes, cookies, origins, downloads, tokens, texts.

Every row is refused by what the pages themselves call, so that a widget id or an address that is not shown gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from sqlalchemy import event
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.export_format import ExportActions
from annotations.labelling.labelling import AnnotatorActions, load_revealed_scores
from annotations.labelling.responses import SentResponse
from annotations.management.adjudication import AdjudicatorActions
from annotations.management.comments import AdjudicatorComments, AnnotatorComments, ManagerComments
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role, add_person, find_person
from annotations.people.sign_in import (
    GuessDelay,
    WrongCodeError,
    create_invite,
    load_invites,
    member_by_code,
    revoke_invite,
)
from annotations.results.curation import CuratorActions
from annotations.store.database import read_session
from annotations.store.records import MAX_NAME, StoreError
from annotations.store.store import Store
from core.settings import Settings
from core.text.displayed_text import spreadsheet_safe, with_visible_controls
from pages.server import api, services, sign_in
from pages.server.api import Api
from pages.server.protection import Protection
from pages.server.route_guard import RouteGuard
from pages.server.sign_in import SESSION_COOKIE, SignInMiddleware
from pages.ui.shared import session_user
from pages.ui.shared.markup import diff_html, escape_label, escape_markdown, escape_message, safe_guidelines
from tests.unit.annotations.campaigns.actors import ANSWERS, make_campaign

HERE, PAGE = {"Origin": "http://testserver"}, {"Accept": "text/html,*/*"}


class NoDelay(GuessDelay):
    """Keeps what it would have waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def after_wrong(self, source: str) -> float:
        self.waits.append(super().after_wrong(source))
        return 0.0


@dataclass(frozen=True)
class Site:
    """A shared server with a campaign: `victim` holds `task`, and `eve` is an annotator too."""

    store: Store
    eve: Member
    code: str
    task: ShownTask

    @property
    def actions(self) -> AnnotatorActions:
        return AnnotatorActions(self.store, self.eve)

    def browser(self) -> TestClient:
        def page(request: Request) -> Response:
            return PlainTextResponse(f"page {request.url.path}")

        async def stream(socket: WebSocket) -> None:
            await socket.accept()
            await socket.send_text("here")

        routes = [WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", page)]
        return TestClient(
            Protection(RouteGuard(Api(SignInMiddleware(Starlette(routes=routes))))), follow_redirects=False
        )


@pytest.fixture
def site(tmp_path: Path, migrated_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    monkeypatch.setattr(services, "store", lambda: store)
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    for asked in (sign_in, api):
        monkeypatch.setattr(asked, "guess_delay", NoDelay)
    monkeypatch.setattr(st, "get_option", lambda name: [] if name == "server.allowedHosts" else "")
    opened = make_campaign(store, "label-summaries", items=2)
    task, eve = opened.next_task(opened.annotator("victim")), opened.person("eve")
    with store.writing() as session:
        code = create_invite(session, eve.id, "boss")
    yield Site(store, eve, code, task)
    store.close()


def of_role(site: Site, role: Role) -> Member:
    with site.store.writing() as session:
        return add_person(session, f"a {role.value}", role)


OTHERS_ITEMS: dict[str, Callable[[Site], object]] = {
    **{
        f"send an {act} to another's item": lambda site, act=act: site.actions.send(
            SentResponse(site.task.reservation, act, f"event-of-eve-{act}", ANSWERS["label-summaries"], "Mine now.")
        )
        for act in ("answer", "skip", "flag", "undo")
    },
    "comment on another's item": lambda site: AnnotatorComments(site.store, site.eve).send(
        site.task.reservation, "Mine now.", "e" * 16
    ),
    "send to an item that is nobody's": lambda site: site.actions.send(SentResponse(10**6, "answer", "e" * 16, {})),
    "read another's item": lambda site: site.actions.shown(site.task.reservation),
    "read what comes after another's item": lambda site: site.actions.ahead(site.task.reservation),
    "read the feedback on another's item": lambda site: site.actions.feedback(site.task.reservation),
    "read the scores of another's item": lambda site: load_revealed_scores(site.store, site.eve, site.task.reservation),
    "read the scores of no item": lambda site: load_revealed_scores(site.store, site.eve, 10**6),
    "label in a campaign that is not there": lambda site: site.actions.next("' OR 1=1 --"),
    "send an endless reason": lambda site: site.actions.send(
        SentResponse(site.task.reservation, "skip", "e" * 16, {}, "x" * 20_001)
    ),
    "send an endless answer": lambda site: site.actions.send(
        SentResponse(site.task.reservation, "answer", "e" * 16, {"verdict": "x" * 2_000_001})
    ),
    "send what no database holds": lambda site: site.actions.send(
        SentResponse(site.task.reservation, "skip", "e" * 16, {}, "\0\ud800")
    ),
    "keep an endless draft": lambda site: site.actions.save_draft(site.task.reservation, {"answers": "x" * 10**6}),
    "take an endless name": lambda site: ManagerActions(site.store, of_role(site, Role.MANAGER)).add_person(
        "x" * (MAX_NAME + 1), Role.ANNOTATOR
    ),
    "take the name of another": lambda site: ManagerActions(site.store, of_role(site, Role.MANAGER)).add_person(
        "victim", Role.MANAGER
    ),
    **{
        f"{kind.__name__} as {role.value}": lambda site, kind=kind, role=role: kind(site.store, of_role(site, role))
        for kind, roles in {
            ManagerActions: (Role.RESEARCHER, Role.ADJUDICATOR, Role.ANNOTATOR),
            ExportActions: (Role.RESEARCHER, Role.ADJUDICATOR, Role.ANNOTATOR),
            AdjudicatorActions: (Role.RESEARCHER, Role.ANNOTATOR),
            CuratorActions: (Role.RESEARCHER, Role.ANNOTATOR),
            ManagerComments: (Role.RESEARCHER, Role.ADJUDICATOR, Role.ANNOTATOR),
            AdjudicatorComments: (Role.RESEARCHER, Role.ANNOTATOR),
        }.items()
        for role in roles
    },
}


@pytest.mark.parametrize("attack", OTHERS_ITEMS)
def test_what_is_not_a_persons_own_is_refused(site: Site, attack: str) -> None:
    with pytest.raises(StoreError):
        OTHERS_ITEMS[attack](site)
    assert site.task.answers == {}


def test_a_draft_for_anothers_item_is_never_theirs(site: Site) -> None:
    site.actions.save_draft(site.task.reservation, {"answers": {"verdict": "consistent"}})
    with read_session(site.store.engine) as session:
        victim = find_person(session, "victim")
    assert victim
    assert AnnotatorActions(site.store, victim).draft(site.task.reservation) == {}


PAGES_OF = {
    Role.ANNOTATOR: {"annotate"},
    Role.ADJUDICATOR: {"annotate", "campaigns", "review"},
    Role.RESEARCHER: {
        "home",
        "probe",
        "stress",
        "annotate",
        "evaluate",
        "papers",
        "audit",
        "projects",
        "data",
        "metrics",
        "prompts",
    },
}


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("role", PAGES_OF)
def test_no_page_of_another_role_has_an_address(role: Role, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "Page", lambda page, **given: SimpleNamespace(page=page, **given))
    groups = session_user.pages_for(Member("id", "somebody", role))
    shown = {page.url_path for group in groups.values() for page in group}
    assert shown - {"", "sign-out"} == PAGES_OF[role]


CODES = ["", " ", "x", "*", "%", "' OR 1=1 --", "\0", "../../etc/passwd", "{{7*7}}", "ａｂｃ", "null", "x" * 5_000_000]
ORIGINS = [
    None,
    "null",
    "file://",
    "http://evil.example",
    "http://testserver:81",
    "http://testserver.evil.example",
    "http://evil.example/http://testserver",
    "https://TESTSERVER.evil",
]


@pytest.mark.parametrize("code", CODES)
def test_a_guessed_code_lets_nobody_in(site: Site, code: str) -> None:
    answer = site.browser().post("/sign-in", content=code.encode(), headers=HERE)
    assert (answer.status_code, SESSION_COOKIE in answer.cookies) == (403 if len(code) < 1_000 else 413, False)


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_another_site_signs_nobody_in_and_gets_no_connection(site: Site, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    assert site.browser().post("/sign-in", content=site.code, headers=headers).status_code == 403
    if origin:
        with (
            pytest.raises(WebSocketDisconnect),
            site.browser().websocket_connect("/_stcore/stream", headers=headers),
        ):
            pass


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/base/_stcore/metrics", "/x/../_stcore/metrics"])
def test_the_servers_metrics_are_not_there(site: Site, path: str) -> None:
    assert site.browser().get(path).status_code == 404


COOKIES = ["", "guess", "' OR 1=1 --", "\x7f", "x" * 4000]


@pytest.mark.parametrize("cookie", COOKIES)
def test_a_download_of_another_needs_more_than_its_address(site: Site, cookie: str) -> None:
    answer = site.browser().get("/media/0123456789abcdef.csv", headers={"Cookie": f"{SESSION_COOKIE}={cookie}"})
    assert (answer.status_code, "page" in answer.text) == (403, False)


def test_a_download_ends_with_the_link_and_with_signing_out(site: Site) -> None:
    browser = site.browser()
    browser.get(f"/?invite={site.code}", headers=PAGE)
    assert browser.get("/media/a.csv").status_code == 200
    with site.store.writing() as session:
        [invite] = load_invites(session)
        revoke_invite(session, invite.id, "boss")
    assert browser.get("/media/a.csv").status_code == 403
    assert browser.get(f"/?invite={site.code}", headers=PAGE).status_code == 200  # led nowhere
    assert site.browser().post("/sign-in", content=site.code, headers=HERE).status_code == 403


def test_a_download_that_waited_asks_again_who_it_is_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = site.browser()
    started = browser.get(f"/?invite={site.code}", headers=PAGE).cookies[SESSION_COOKIE]
    state = session_user.SessionUserState(session_id=started)
    monkeypatch.setattr(session_user, "session_user_state", lambda: state)
    later = session_user.member_later()
    assert later().name == "eve"
    with site.store.writing() as session:
        [invite] = load_invites(session)
        revoke_invite(session, invite.id, "boss")
    with pytest.raises(StoreError, match="revoked"):
        later()


def test_a_code_that_begins_right_takes_no_more_queries_than_any_other(site: Site) -> None:
    def queries(code: str) -> int:
        seen: list[str] = []
        event.listen(site.store.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
        with read_session(site.store.engine) as session, pytest.raises(WrongCodeError):
            member_by_code(session, code)
        return len(seen)

    # only its hash is compared, by the database; no code has a point
    assert queries(f"{site.code[:-1]}.") == queries(".")


@dataclass(frozen=True)
class ApiAttack:
    """A request with a token that may read the campaign `here` of two, after something was done to it."""

    status: int
    path: str = "campaigns/{here}/labels"
    method: str = "GET"
    authorization: str = "Bearer {token}"
    before: Callable[[Site, Member], object] = lambda *_: None


def revoke_all_tokens(site: Site, boss: Member) -> None:
    manager = ManagerActions(site.store, boss)
    for row in manager.tokens():
        manager.revoke_token(row.id)


def change_boss(**changes: object) -> Callable[[Site, Member], object]:
    def change(site: Site, boss: Member) -> None:
        with site.store.writing() as session:
            add_person(session, "another manager", Role.MANAGER)
        ManagerActions(site.store, boss).change_person(replace(boss, **changes), ())  # type: ignore[arg-type]

    return change


API = {
    "no token": ApiAttack(401, authorization=""),
    "an empty token": ApiAttack(401, authorization="Bearer "),
    "a token as a password": ApiAttack(401, authorization="Basic {token}"),
    "a wrong token": ApiAttack(401, authorization="Bearer {token}x"),
    "a token with more before it": ApiAttack(401, authorization="Bearer TOUCHSTONE_{token}"),
    "an injected token": ApiAttack(401, authorization="Bearer ' OR 1=1 --"),
    "a sign-in code as a token": ApiAttack(401, authorization="Bearer {code}"),
    "a token in the address": ApiAttack(401, path="campaigns?token={token}", authorization=""),
    "a revoked token": ApiAttack(401, before=revoke_all_tokens),
    "a token of a demoted manager": ApiAttack(401, before=change_boss(role=Role.RESEARCHER)),
    "a token of a manager who left": ApiAttack(401, before=change_boss(active=False)),
    "another campaign": ApiAttack(404, path="campaigns/{there}/labels"),
    "the items of another campaign": ApiAttack(404, path="campaigns/{there}/items"),
    "the progress of another campaign": ApiAttack(404, path="campaigns/{there}/progress"),
    "an injected campaign": ApiAttack(404, path="campaigns/' OR 1=1 --/labels"),
    "a campaign that no database holds": ApiAttack(404, path="campaigns/%00/labels"),
    "a path that leads out": ApiAttack(404, path="campaigns/..%2f..%2fmedia/labels"),
    "an injected cursor": ApiAttack(400, path="campaigns/{here}/labels?after=' OR 1=1 --"),
    "an injected cursor of items": ApiAttack(400, path="campaigns/{here}/items?after=0;DROP TABLE task"),
    "a negative cursor": ApiAttack(400, path="campaigns/{here}/items?after=-1"),
    "an endless cursor": ApiAttack(400, path=f"campaigns/{{here}}/items?after={'9' * 5000}"),
    "everything at once": ApiAttack(400, path="campaigns/{here}/labels?limit=100000000"),
    **{f"{method} instead of GET": ApiAttack(405, method=method) for method in ("POST", "PUT", "PATCH", "DELETE")},
    "asking for another site": ApiAttack(405, method="OPTIONS"),
}


@pytest.mark.parametrize("attack", API)
def test_the_api_gives_nothing_without_a_right_to_it(site: Site, attack: str) -> None:
    boss, tried = of_role(site, Role.MANAGER), API[attack]
    manager = ManagerActions(site.store, boss)
    [campaign] = manager.campaigns()
    there = manager.create("Ships", manager.versions(campaign.id)[0].content)
    names = {"here": campaign.id, "there": there.id, "code": site.code}
    names["token"] = manager.create_token("program", campaigns=[campaign.id])
    tried.before(site, boss)
    headers = {"Authorization": tried.authorization.format(**names)}
    answer = site.browser().request(
        tried.method, f"/api/v1/{tried.path.format(**names)}", headers=headers, content=b"x" * (tried.method != "GET")
    )
    assert (answer.status_code, set(answer.json())) == (tried.status, {"problem"})
    assert "access-control-allow-origin" not in answer.headers


def test_a_valid_token_never_waits_for_those_who_guess(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    delay = NoDelay()
    monkeypatch.setattr(api, "guess_delay", lambda: delay)
    token = ManagerActions(site.store, of_role(site, Role.MANAGER)).create_token("program")
    browser = site.browser()
    for number in range(12):
        assert browser.get("/api/v1/campaigns", headers={"Authorization": f"Bearer {number}"}).status_code == 401
    waited = delay.waits[:]
    assert (len(waited), waited == sorted(waited), waited[-1] > waited[0]) == (12, True, True)
    assert browser.get("/api/v1/campaigns", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert delay.waits == waited


HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "![a](http://evil.example/a.png)",
    "[a](javascript:alert(1))",
    "`<b>`</code>",
    ":red[a] $x$ **b**",
    "</div><style>*{display:none}</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_shown_as_text_wherever_it_is_written(text: str) -> None:
    shown = diff_html([(-1, text), (0, text), (1, text)])
    assert "<script" not in shown
    assert "<img" not in shown
    assert shown.count("<style>") == 1
    for escaped in (escape_markdown(text), escape_label(text)):
        assert not any(f"{sign}" in escaped.replace(f"\\{sign}", "") for sign in "<>[]*`$")
    assert "![" not in safe_guidelines(text)
    shown = escape_message(f"{text} is no run. Give a file that `stress` wrote, not {text}")
    assert "`stress`" in shown
    assert not any(f"{sign}" in re.sub(r"(?<!\\)`[^`]+`", "", shown).replace(f"\\{sign}", "") for sign in "<>[]*`$")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =cmd|' /C calc'!A0", "＝1+1", "\r=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert spreadsheet_safe(text) == f"'{text}"


@pytest.mark.parametrize("control", "\u202a\u202b\u202d\u202e\u2066\u2067\u2068")
def test_no_character_turns_a_text_around_unseen(control: str) -> None:
    hidden = f"paid {control}001 euros"
    assert "\u2426" in with_visible_controls(hidden)
    assert control not in diff_html([(0, hidden)])


def test_there_are_as_many_attacks_as_were_asked_for() -> None:
    assert sum(map(len, (OTHERS_ITEMS, PAGES_OF, CODES, ORIGINS, COOKIES, API, HOSTILE))) >= 85
