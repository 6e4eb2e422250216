"""The guard refuses addresses, methods, people, bodies, and requests that are too many, too long or too slow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from core.settings import Settings
from pages.server import route_guard, routes, services
from pages.server.route_guard import RequestCounts, RouteGuard
from pages.server.routes import RouteRule, rules_at


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> RouteRule:
    """The rule of the sign-in, tightened."""
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    [own] = rules_at("/sign-in")
    tight = replace(own, most_bytes=10, per_minute=3, seconds=0.2)
    monkeypatch.setattr(route_guard, "rules_at", lambda path: [tight] if path == "/sign-in" else routes.rules_at(path))
    return tight


@pytest.fixture
def client() -> TestClient:
    async def answer(request: Request) -> Response:
        body = await request.body()
        if body == b"slow":
            await asyncio.sleep(5)
        return PlainTextResponse(f"{request.method} {len(body)}")

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("here")
        await socket.close()

    methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]
    app = Starlette(routes=[WebSocketRoute("/{path:path}", stream), Route("/{path:path}", answer, methods=methods)])
    return TestClient(RouteGuard(app), follow_redirects=False)


@pytest.mark.usefixtures("rule")
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/probe", 200),
        ("GET", "/nothing", 404),
        ("GET", "/_stcore/metrics", 404),
        ("OPTIONS", "/_stcore/metrics", 404),
        ("POST", "/_stcore/agent/interact", 404),
        ("OPTIONS", "/_stcore/health", 404),
        ("POST", "/", 405),
        ("DELETE", "/media/a.csv", 405),
        ("GET", "/media/a.csv", 403),
        ("PUT", "/_stcore/upload_file/s/f", 403),
        ("DELETE", "/_stcore/upload_file/s/f", 403),
        ("DELETE", "/api/v1/people", 200),
    ],
)
def test_a_request_is_let_through_by_its_rule_alone(client: TestClient, method: str, path: str, status: int) -> None:
    assert client.request(method, path).status_code == status


@pytest.mark.usefixtures("rule")
def test_a_body_is_no_longer_than_its_rule_says_however_it_is_sent(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(3):
            yield b"12345"

    assert client.post("/sign-in", content=b"1234567890").text == "POST 10"
    assert client.post("/sign-in", content=b"12345678901").status_code == 413
    assert client.post("/sign-in", content=parts()).status_code == 413
    assert client.request("GET", "/", content=b"1").status_code == 413


@pytest.mark.usefixtures("rule")
def test_more_requests_than_a_minute_has_wait(client: TestClient) -> None:
    answers = [client.post("/sign-in") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert client.get("/").status_code == 200


@pytest.mark.usefixtures("rule")
def test_a_request_that_takes_too_long_is_given_up(client: TestClient) -> None:
    answer = client.post("/sign-in", content=b"slow")
    assert (answer.status_code, "was given up" in answer.text) == (503, True)


def test_no_more_are_answered_at_once_than_the_rule_says(rule: RouteRule) -> None:
    counts, few = RequestCounts(), replace(rule, at_once=2, per_minute=0)
    with counts.running(few, "a"), counts.running(few, "a"):
        assert counts.wait_s(few, "a") > 0
        assert counts.wait_s(few, "b") == 0
    assert counts.wait_s(few, "a") == 0


def test_a_class_behind_a_proxy_may_send_files_of_a_selection_together() -> None:
    counts, [upload] = RequestCounts(), [own for own in rules_at("/_stcore/upload_file/s/f") if "PUT" in own.methods]
    with ExitStack() as sent:
        for _ in range(40):
            assert counts.wait_s(upload, "proxy") == 0
            sent.enter_context(counts.running(upload, "proxy"))


@pytest.mark.usefixtures("rule")
def test_connections_are_answered_at_one_address(client: TestClient) -> None:
    with client.websocket_connect("/_stcore/stream") as socket:
        assert socket.receive_text() == "here"
    for path in ("/", "/_stcore/stream2", "/probe/_stcore/stream", "/api/v1/campaigns"):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
            pass


@pytest.mark.usefixtures("rule")
def test_a_refusal_of_the_api_is_json(client: TestClient) -> None:
    answer = client.request("GET", "/api/v1/campaigns", content=b"1")
    assert answer.json() == {"problem": "A request to this address has no body."}


def test_a_file_is_taken_away_by_the_request_that_browsers_send() -> None:
    [rule] = [own for own in rules_at("/_stcore/upload_file/s/f") if "DELETE" in own.methods]
    assert rule.most_bytes >= len('{"sessionId":"00000000-0000-0000-0000-000000000000"}')
