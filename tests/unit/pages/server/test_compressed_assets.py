"""Static files are compressed once for all browsers that take it, and sent as they are to all others."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Scope

from pages.server.compressed_assets import CompressedAssets

SCRIPT = "const one = 1;\n" * 5_000
PATH = "/static/js/index.abc.js"
PLAIN = {"Accept-Encoding": "identity"}


def client(requests: list[str], status: int = 200) -> TestClient:
    """Sends the script for every address, and notes who asked for it."""

    def send(request: Request) -> Response:
        requests.append(request.url.path)
        return Response(SCRIPT, status, headers={"Content-Type": "text/javascript", "ETag": "W/old"})

    return TestClient(CompressedAssets(Starlette(routes=[Route("/{path:path}", send)])))


def test_a_script_is_compressed_once_and_read_as_it_was() -> None:
    requests: list[str] = []
    browser = client(requests)
    answers = [browser.get(PATH) for _ in range(3)]
    assert requests == [PATH]
    for answer in answers:
        assert answer.text == SCRIPT
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "accept-encoding"
        assert int(answer.headers["content-length"]) < len(SCRIPT) / 20
        assert "etag" not in answer.headers


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PATH, PLAIN),
        (PATH, {"Range": "bytes=0-10"}),
        ("/static/media/font.woff2", {}),
        ("/media/table.json", {}),
        ("/app", {}),
    ],
)
def test_anything_else_is_sent_as_it_is(path: str, headers: dict[str, str]) -> None:
    answer = client([]).get(path, headers=headers)
    assert answer.text == SCRIPT
    assert "content-encoding" not in answer.headers
    assert answer.headers["etag"] == "W/old"


def test_a_missing_file_is_asked_for_again() -> None:
    requests: list[str] = []
    browser = client(requests, status=404)
    assert [browser.get(PATH).status_code for _ in range(2)] == [404, 404]
    assert len(requests) == 2


def test_a_browser_that_leaves_meanwhile_does_not_shorten_the_file_for_others(tmp_path: Path) -> None:
    file = tmp_path / "index.abc.js"
    file.write_text(SCRIPT)
    assets = CompressedAssets(FileResponse(file))
    scope: Scope = {
        "type": "http",
        "asgi": {"spec_version": "2.3"},
        "method": "GET",
        "path": PATH,
        "headers": [(b"accept-encoding", b"gzip")],
    }

    async def leave() -> Message:
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def note(message: Message) -> None:
        sent.append(message)

    for _ in range(2):
        asyncio.run(assets(scope, leave, note))
    assert [gzip.decompress(one["body"]).decode() for one in sent if "body" in one] == [SCRIPT, SCRIPT]
