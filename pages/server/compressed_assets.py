"""Streamlit's scripts and styles, sent compressed: each is compressed once, and then answered from memory."""

from __future__ import annotations

import gzip
from asyncio import get_running_loop

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEPT_BYTES = 16 * 2**20
_FOLDER = "/static/"
_SUFFIXES = (".js", ".css", ".json", ".svg", ".html")


class CompressedAssets:
    """Middleware that answers requests of static files by gzip where the browser takes it.

    Streamlit sends them as they are, as compressing them for every browser would hold all sessions up. Their names carry a
    hash of their content, so that one compressed copy serves everybody.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: LRUCache[str, tuple[Message, bytes]] = LRUCache(_KEPT_BYTES, lambda answer: len(answer[1]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_compressible = (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and _FOLDER in scope["path"]
            and scope["path"].endswith(_SUFFIXES)
            and "gzip" in Headers(scope=scope).get("accept-encoding", "")
            and "range" not in Headers(scope=scope)
        )
        if not is_compressible:
            await self._app(scope, receive, send)
            return
        answer = self._answers.get(scope["path"])
        if answer is None:
            answer = await self._fetch(scope)
        start, body = answer
        await send(start)
        await send({"type": "http.response.body", "body": body})

    async def _fetch(self, scope: Scope) -> tuple[Message, bytes]:
        """The whole answer of the app, compressed and kept if it is a file."""
        messages: list[Message] = []

        async def collect(message: Message) -> None:
            messages.append(message)

        request_headers = MutableHeaders(raw=list(scope["headers"]))
        for name in ("accept-encoding", "if-none-match", "if-modified-since"):
            del request_headers[name]  # the whole file, as it is on disk
        await self._app({**scope, "headers": request_headers.raw}, _never_leaves, collect)
        start, body = messages[0], b"".join(message.get("body", b"") for message in messages[1:])
        if start["status"] != 200:
            return start, body
        body = await run_in_threadpool(gzip.compress, body, 6)
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(body))
        headers.add_vary_header("accept-encoding")
        del headers["accept-ranges"], headers["etag"], headers["last-modified"]  # they are the file's as it is on disk
        answer = {**start, "headers": headers.raw}, body
        if len(body) <= _KEPT_BYTES:
            self._answers[scope["path"]] = answer
        return answer


async def _never_leaves() -> Message:
    """A browser that waits: the one that asked may leave meanwhile, and a file that ends there would be kept for everybody."""
    message: Message = await get_running_loop().create_future()
    return message
