"""Headers of every answer, and the refusal of connections of other sites."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.base_path import base_path

# Streamlit draws with inline styles and scripts, compiles some charts, and makes workers and downloads of blobs
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "connect-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}
HEADERS = {
    "content-security-policy": "; ".join(f"{part} {sources}" for part, sources in _POLICY.items()),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",
}
_MTURK = "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"
_FRAMED = {"frame-ancestors": f"'self' {_MTURK}", "form-action": f"'self' {_MTURK}"}
"""MTurk shows a task in a frame; only the page of a study link may be in one, which shows and does nothing but that link."""
_STUDY_HEADERS = {
    **{name: value for name, value in HEADERS.items() if name != "x-frame-options"},
    "content-security-policy": "; ".join(f"{part} {sources}" for part, sources in {**_POLICY, **_FRAMED}.items()),
}
_FILE_HEADERS = {
    **HEADERS,
    "content-security-policy": "; ".join(
        f"{part} {sources}"
        for part, sources in {
            "sandbox": "allow-scripts allow-downloads",
            **_POLICY,
            "connect-src": "'none'",
            "form-action": "'none'",
        }.items()
    ),
}
"""A file that a page gave, such as a report with texts of others: opened in a tab it has an origin of its own, and reads no page of ours."""
_FORBIDDEN = 1008
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Protection:
    """Middleware that adds the headers and refuses the connections of other sites' pages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            headers = Headers(scope=scope)
            origin = urlsplit(headers.get("origin", ""))
            # programs that are no browsers send no origin; a page of another port of this machine is another site
            is_own_page = not headers.get("origin") or origin.netloc == headers.get("host")
            if not is_own_page and origin.hostname not in {*st.get_option("server.allowedHosts")} - _LOOPBACK:
                await send({"type": "websocket.close", "code": _FORBIDDEN})
                return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        own_headers = {f"{base_path()}study/": _STUDY_HEADERS, f"{base_path()}media/": _FILE_HEADERS}
        added = next((own for start, own in own_headers.items() if scope["path"].startswith(start)), HEADERS)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers[name] = value
                if added is _FILE_HEADERS:
                    del headers["set-cookie"]
            await send(message)

        await self._app(scope, receive, send_with_headers)
