"""Content of the page before Streamlit's scripts have come: the name and the shape of what is loading, the width that pages have, and
scripts that name the server and keep early keys."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base import open_templates

_HEAD = b"<head>"
_ASSETS = Path(__file__).parents[1] / "ui" / "assets"
_SCRIPT = b"".join((_ASSETS / name).read_bytes() for name in ("server_address.js", "early_keys.js"))
_STYLE = (_ASSETS / "early.css").read_bytes()
_ROOT = b'<div id="root">'
_LOADING = open_templates(_ASSETS).get_template("loading.html").render(tabs=False).encode()


class EarlyKeys:
    """Middleware that puts both into the one HTML page of Streamlit, whose first script replaces the name by the page.

    A component would come too late: its own script is fetched after the texts of the page are drawn.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        request_headers = MutableHeaders(raw=list(scope["headers"]))
        for name in ("accept-encoding", "if-none-match", "if-modified-since", "range"):
            del request_headers[name]  # the whole page, as it is on disk
        await self._app({**scope, "headers": request_headers.raw}, receive, _Page(send))


class _Page:
    """Sends on what the app sends; an HTML page once it is whole, with the script in it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            # HTML to look at, not a report to download
            if headers.get("content-type", "").startswith("text/html") and "content-disposition" not in headers:
                self._start = message
                return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        body = self._body.replace(_HEAD, _HEAD + b"<script>" + _SCRIPT + b"</script><style>" + _STYLE + b"</style>", 1)
        body = body.replace(_ROOT, _ROOT + _LOADING, 1)
        headers = MutableHeaders(raw=list(start["headers"]))
        del headers["etag"], headers["last-modified"]
        if "content-length" in headers and self._body:
            headers["content-length"] = str(len(body))
        await self._send({**start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})
