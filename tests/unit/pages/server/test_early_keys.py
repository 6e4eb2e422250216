"""The script that keeps early keys and the name of what is loading stand in the page of Streamlit, and in nothing else that is sent."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.server.early_keys import EarlyKeys

PAGE = '<html><head><title>é</title></head><body><div id="root"></div></body></html>'
BROWSER = {"Accept": "text/html,*/*", "Accept-Encoding": "gzip", "If-None-Match": "W/old"}


def client(**headers: str) -> TestClient:
    """Sends the page with these headers, unless the browser says that it has it."""

    def send(request: Request) -> Response:
        status = 304 if "if-none-match" in request.headers else 200
        return Response(PAGE, status, headers={"Content-Type": "text/html; charset=utf-8", "ETag": "W/old", **headers})

    return TestClient(EarlyKeys(Starlette(routes=[Route("/{path:path}", send)])))


def test_the_page_opens_with_the_script_and_is_never_an_older_one() -> None:
    answer = client().get("/review", headers=BROWSER)
    assert answer.status_code == 200
    assert answer.text.startswith("<html><head><script>")
    _, _, body = answer.text.partition("</script>")
    style, _, body = body.partition("</style>")
    assert ".stMainBlockContainer { max-width: none" in style
    assert body.startswith('<title>é</title></head><body><div id="root"><main')
    assert "<strong>Touchstone</strong> is loading…" in body
    assert '<div class="ts-skeleton" aria-hidden="true">' in body
    assert answer.headers["content-length"] == str(len(answer.content))
    assert "etag" not in answer.headers


@pytest.mark.parametrize(
    "header", [{"Content-Disposition": 'attachment; filename="plots.html"'}, {"Content-Type": "text/plain"}]
)
def test_a_download_or_another_kind_of_text_is_sent_as_it_is(header: dict[str, str]) -> None:
    assert client(**header).get("/media/plots.html", headers={"Accept": "text/html"}).text == PAGE


def test_what_is_not_asked_for_as_a_page_is_sent_as_it_is() -> None:
    assert client().get("/media/plots.html", headers={"Accept": "*/*"}).text == PAGE
