"""Middleware that lets through what the table of routes allows, and refuses everything else."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from math import ceil

import streamlit as st
from cachetools import LRUCache
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.base_path import base_path
from pages.server.routes import RouteRule, rules_at
from pages.server.sign_in import address_of, is_shared, is_signed_in
from pages.server.uploads import UploadLimits, UploadRefusedError, forget_files_of_closed_pages

_SOCKET = "WEBSOCKET"
_TRY_AGAIN_LATER, _FORBIDDEN = 1013, 1008
_MINUTE_S = 60.0
_MOST_SOURCES = 20_000
_UPLOADS = "_stcore/upload_file/"


class _TooLongError(Exception):
    """A body that is longer than the rule allows."""


class RouteGuard:
    """Refuses addresses without a rule, people who may not ask, bodies that are too long, and requests that are too many or take too long."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._counts = RequestCounts()
        self._uploads = UploadLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        rule = next((rule for rule in rules_at(scope["path"]) if _SOCKET in rule.methods), None)
        source = address_of(HTTPConnection(scope))
        if rule is None or rule.who == "nobody":
            await send({"type": "websocket.close", "code": _FORBIDDEN})
        elif self._counts.wait_s(rule, source):
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
        else:
            try:
                with self._counts.running(rule, source):
                    await self._app(scope, receive, send)
            finally:
                later = float(st.get_option("server.disconnectedSessionTTL") or 0) + 1
                asyncio.get_running_loop().call_later(later, forget_files_of_closed_pages)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        rules = rules_at(scope["path"])
        method = "GET" if request.method == "HEAD" else request.method
        rule = next((rule for rule in rules if method in rule.methods), None)
        refused = _refuse(request, rules) if rule is None else await self._refuse_by_rule(request, rule)
        if refused or rule is None:
            await (refused or _answer(request, 404, ""))(scope, receive, send)
            return
        body = _LimitedBody(receive, rule.most_bytes)
        started = False

        async def send_on(message: Message) -> None:
            nonlocal started
            if body.is_too_long and not started:
                return  # an answer to what is refused
            started = True
            await send(message)

        async with AsyncExitStack() as stack:
            try:
                stack.enter_context(self._counts.running(rule, address_of(request)))
                if rule.most_bytes and rule.path.startswith(_UPLOADS):
                    session_id = scope["path"].removeprefix(f"{base_path()}{_UPLOADS}").partition("/")[0]
                    stack.enter_context(self._uploads.reserve(session_id, _content_length(request)))
                async with asyncio.timeout(rule.seconds or None):
                    await self._app(scope, body, send_on)
            except UploadRefusedError as error:
                refused = _answer(request, error.status, str(error))
            except _TooLongError:
                refused = _too_long(request, rule)
            except TimeoutError:
                refused = _answer(request, 503, f"This took longer than {rule.seconds:g} s, and was given up.")
            if refused and not started:
                await refused(scope, receive, send)

    async def _refuse_by_rule(self, request: Request, rule: RouteRule) -> Response | None:
        if rule.who == "nobody":
            return _answer(request, 404, "There is nothing here.")
        if wait := self._counts.wait_s(rule, address_of(request)):
            return _answer(request, 429, "Too many requests. Try again in a moment.", {"Retry-After": str(ceil(wait))})
        if rule.who == "signed in" and is_shared() and not await is_signed_in(request):
            return _answer(request, 403, "Sign in first.")
        if (_content_length(request) or 0) > rule.most_bytes:
            return _too_long(request, rule)
        return None


class RequestCounts:
    """Requests of the last minute and those that are being answered, by rule and address on the network."""

    def __init__(self) -> None:
        self._begun: LRUCache[tuple[RouteRule, str], tuple[float, int]] = LRUCache(_MOST_SOURCES)
        self._running: Counter[tuple[RouteRule, str]] = Counter()

    def wait_s(self, rule: RouteRule, source: str) -> float:
        """Seconds until one more request may come; 0 if it may now, and it counts."""
        now, key = time.monotonic(), (rule, source)
        since, number = self._begun.get(key, (now, 0))
        if now - since >= _MINUTE_S:
            since, number = now, 0
        if rule.per_minute and number >= rule.per_minute:
            return _MINUTE_S - (now - since)
        if rule.at_once and self._running[key] >= rule.at_once:
            return 1.0
        self._begun[key] = (since, number + 1)
        return 0.0

    @contextmanager
    def running(self, rule: RouteRule, source: str) -> Iterator[None]:
        """Count a request until it is answered."""
        key = (rule, source)
        self._running[key] += 1
        try:
            yield
        finally:
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]


def _refuse(request: Request, rules: list[RouteRule]) -> Response:
    if not rules or all(rule.who == "nobody" for rule in rules):
        return _answer(request, 404, "There is nothing here.")
    methods = sorted({method for rule in rules if rule.who != "nobody" for method in rule.methods} - {_SOCKET})
    return _answer(request, 405, f"Send {', '.join(methods)} here.", {"Allow": ", ".join(methods)})


def _too_long(request: Request, rule: RouteRule) -> Response:
    if not rule.most_bytes:
        return _answer(request, 413, "A request to this address has no body.")
    size = f"{rule.most_bytes // 2**20} MB" if rule.most_bytes >= 2**20 else f"{rule.most_bytes} bytes"
    return _answer(request, 413, f"Send at most {size} at once.")


def _answer(request: Request, status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    if str(request.scope["path"]).startswith(f"{base_path()}api/"):
        return JSONResponse({"problem": sentence}, status, headers)
    return PlainTextResponse(sentence, status, headers)


def _content_length(request: Request) -> int | None:
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


class _LimitedBody:
    """The messages of a request, up to a size. Raises _TooLongError at the first byte beyond it."""

    def __init__(self, receive: Receive, most_bytes: int) -> None:
        self._receive = receive
        self._bytes_left = most_bytes

    @property
    def is_too_long(self) -> bool:
        return self._bytes_left < 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._bytes_left -= len(message.get("body", b""))
        if self.is_too_long:
            raise _TooLongError
        return message
