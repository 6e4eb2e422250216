"""Every answer says what a browser may do with it, and pages of other sites get no connection."""

from __future__ import annotations

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.server.protection import HEADERS, Protection


def client() -> TestClient:
    def page(_: Request) -> Response:
        return PlainTextResponse("page", headers={"X-Frame-Options": "ALLOWALL", "Set-Cookie": "touchstone_session=x"})

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("here")

    return TestClient(
        Protection(Starlette(routes=[WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", page)]))
    )


@pytest.mark.parametrize("path", ["/", "/probe", "/_stcore/health"])
def test_every_answer_has_each_header_once(path: str) -> None:
    answer = client().get(path)
    assert answer.text == "page"
    for name, value in HEADERS.items():
        assert answer.headers.get_list(name) == [value]


def test_a_file_that_a_page_gave_has_an_origin_of_its_own() -> None:
    answer = client().get("/media/report.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads; ")
    assert "allow-same-origin" not in policy
    assert "connect-src 'none'" in policy
    assert "set-cookie" not in answer.headers
    assert "sandbox" not in client().get("/probe").headers["content-security-policy"]


@pytest.mark.parametrize("origin", [None, "http://testserver", "https://touchstone.example.org"])
def test_its_own_pages_and_programs_are_connected(monkeypatch: pytest.MonkeyPatch, origin: str | None) -> None:
    _allow(monkeypatch, "localhost", "touchstone.example.org")
    headers = {"Origin": origin} if origin else {}
    with client().websocket_connect("/_stcore/stream", headers=headers) as socket:
        assert socket.receive_text() == "here"


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://testserver.evil.example",
        "http://testserver:3000",
        "http://localhost:3000",
        "http://127.0.0.1",
        "null",
        "file://",
    ],
)
def test_pages_of_other_sites_are_not(monkeypatch: pytest.MonkeyPatch, origin: str) -> None:
    _allow(monkeypatch, "localhost", "127.0.0.1", "touchstone.example.org")
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client().websocket_connect("/_stcore/stream", headers={"Origin": origin}),
    ):
        pass
    assert refused.value.code == 1008


def _allow(monkeypatch: pytest.MonkeyPatch, *hosts: str) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: list(hosts) if name == "server.allowedHosts" else None)
