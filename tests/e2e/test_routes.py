"""The table of routes, asked of a server that runs: by each kind of person and token, and what uploads it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx2
import pytest

from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.people.sign_in import load_invites, revoke_invite
from pages.server.routes import RouteRule, route_rules
from pages.server.sign_in import SESSION_COOKIE
from tests.attacks.paths import answers, leaks
from tests.e2e.page_connection import open_page
from tests.e2e.server import Server, serve
from tests.e2e.shared_server import SharedServer, opened

_REFUSED = {401, 403, 404, 405}
_NUMBERS = count()
_FILE = b"x" * 19_000_000


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    with opened(tmp_path_factory.mktemp("routes"), STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as server:
        yield server


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("demo"), TOUCHSTONE_DEMO="true") as server:
        yield server


@pytest.fixture(scope="module")
def headers(shared: SharedServer) -> dict[str, dict[str, str]]:
    """The headers that each kind of asker sends."""
    boss, code = shared.code(Role.MANAGER, "Boss")
    asking = {"nobody": {}, "manager": {"Cookie": _cookie(shared, code)}, "invented": {"Cookie": f"{SESSION_COOKIE}=a"}}
    for role in (Role.ANNOTATOR, Role.ADJUDICATOR, Role.RESEARCHER):
        asking[role.value] = {"Cookie": _cookie(shared, shared.code(role)[1])}
    gone, code = shared.code(Role.MANAGER, "Gone")
    asking["revoked"] = {"Cookie": _cookie(shared, code)}
    with shared.store.writing() as session:
        [invite] = [row for row in load_invites(session) if row.person == gone.name]
        revoke_invite(session, invite.id, "boss")
    manager = ManagerActions(shared.store, boss)
    for name, writes in (("reads", False), ("writes", True), ("revoked-token", False)):
        asking[name] = {"Authorization": f"Bearer {manager.create_token(name, writes=writes)}"}
    [revoked] = [row for row in manager.tokens() if row.name == "revoked-token"]
    manager.revoke_token(revoked.id)
    return asking


def _cookie(shared: SharedServer, code: str) -> str:
    with httpx2.Client() as http:
        http.get(f"{shared.server.url}/?invite={code}", headers={"Accept": "text/html"})
        return f"{SESSION_COOKIE}={http.cookies[SESSION_COOKIE]}"


def _ask(http: httpx2.Client, rule: RouteRule, method: str, headers: dict[str, str]) -> int:
    path = re.sub(r"\{[^}]*\}", "x", rule.path)
    # from an address of its own each: wrong tokens of one are answered ever later
    number = next(_NUMBERS)
    forwarded = {"X-Forwarded-For": f"10.1.{number // 250}.{number % 250}"}
    http.cookies.clear()
    return http.request(method, f"/{path}", headers=headers | forwarded).status_code


def _walk(url: str, headers: dict[str, str]) -> Iterator[tuple[RouteRule, str, int]]:
    """Every rule and method with the status of the answer."""
    with httpx2.Client(base_url=url, timeout=30) as http:
        for rule in route_rules():
            for method in {*rule.methods} - {"WEBSOCKET"}:
                yield rule, method, _ask(http, rule, method, headers)


_SIGNED_IN = {"manager", "annotator", "adjudicator", "researcher"}
_ASKERS = ("nobody", "invented", *sorted(_SIGNED_IN), "revoked", "reads", "writes", "revoked-token")
_TOKENS = {"reads", "writes"}


@pytest.mark.parametrize("asker", _ASKERS)
def test_every_row_of_the_table_answers_whom_it_names(
    shared: SharedServer, headers: dict[str, dict[str, str]], asker: str
) -> None:
    for rule, method, status in _walk(shared.server.url, headers[asker]):
        row = (method, rule.path, status)
        assert status < 500, row
        if rule.who == "nobody":
            assert status == 404, row
        elif rule.who == "signed in":
            assert (status != 403 or "upload" in rule.path) if asker in _SIGNED_IN else status == 403, row
        elif rule.who == "token":
            assert (status == 401) is (asker not in _TOKENS), row
            if asker == "reads" and method != "GET":
                assert status in _REFUSED, row


@pytest.mark.parametrize("asker", ["nobody", "annotator", "manager"])
def test_no_path_leads_out_of_what_the_server_gives(
    shared: SharedServer, headers: dict[str, dict[str, str]], asker: str
) -> None:
    answered = list(answers(shared.server.url, headers[asker] | {"X-Forwarded-For": f"10.2.0.{len(asker)}"}))
    assert len(answered) >= 40
    assert not [path for path, status, content in answered if status >= 500 or leaks(content)]


def test_a_visitor_of_a_demo_has_no_door_but_those_of_anybody(demo: Server) -> None:
    for rule, method, status in _walk(demo.url, {}):
        assert status < 500, (method, rule.path, status)
        if rule.who in {"nobody", "token"}:
            assert status == 404, (method, rule.path, status)


def test_a_stranger_uploads_nothing(shared: SharedServer) -> None:
    with open_page(shared.server.url) as page:
        assert {page.upload(f"file{number}", _FILE) for number in range(4)} == {403}


def test_a_page_without_an_uploader_takes_no_file_and_one_with_it_no_more_than_its_share(shared: SharedServer) -> None:
    code = shared.code(Role.RESEARCHER)[1]
    with open_page(shared.server.url, "home", code) as page:
        assert "file_uploader" not in page.shown
        assert page.upload("file", b"pairs") == 403
        with open_page(shared.server.url, "probe", code) as other:
            assert other.upload("file", b"pairs") == 204
            assert [other.upload(f"file{number}", _FILE) for number in range(5)] == [204, 204, 204, 413, 413]
            assert other.upload("small", b"pairs") == 204


@pytest.mark.slow
def test_the_files_of_all_pages_are_limited_and_go_with_their_pages(demo: Server, shared: SharedServer) -> None:
    code = shared.code(Role.RESEARCHER)[1]
    before = _resident_mb(shared.server)
    for _ in range(3):
        with open_page(shared.server.url, "probe", code) as page:
            assert [page.upload(f"file{number}", _FILE) for number in range(3)] == [204] * 3
    statuses = []
    for _ in range(7):
        with open_page(demo.url, "probe") as page:
            statuses += [page.upload(f"file{number}", _FILE) for number in range(3)]
    assert statuses[:9] == [204] * 9
    assert statuses[-1] == 503
    assert _resident_mb(shared.server) - before < 200


def _resident_mb(server: Server) -> int:
    lines = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8").splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS")]
    return int(line.split()[1]) // 1024
