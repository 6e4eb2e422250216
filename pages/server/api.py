"""The read-only HTTP API of a shared server: JSON under `api/v1/`, for programs with a token."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.campaigns.tokens import WrongTokenError
from annotations.exchange.api_reads import MOST_ROWS, ApiReads, PageOfRows, UnknownCampaignError
from annotations.store.records import RecordError, StoreError
from pages.server import services
from pages.server.sign_in import address_of, base_path, guess_delay, is_shared

_ROWS_BY_DEFAULT = 100
_METHODS = ("GET", "HEAD")
_PATHS = "campaigns, campaigns/ID/items, campaigns/ID/labels and campaigns/ID/progress"


class UnknownPathError(StoreError):
    """A path under which there is nothing."""


_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_ANSWERS: Mapping[type[StoreError], tuple[int, Mapping[str, str]]] = MappingProxyType(
    {
        WrongTokenError: (401, {"WWW-Authenticate": 'Bearer error="invalid_token"'}),
        UnknownPathError: (404, _NO_HEADERS),
        UnknownCampaignError: (404, _NO_HEADERS),
        RecordError: (400, _NO_HEADERS),
        StoreError: (503, {"Retry-After": "5"}),  # the database is away, locked or full
    }
)
"""Status and headers, by the first kind that fits."""


class Api:
    """Middleware that answers what is asked under `api/v1/`, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not f"{scope['path']}/".startswith(f"{base_path()}api/"):
            await self._app(scope, receive, send)
            return
        response = await _response(Request(scope, receive))
        response.headers["cache-control"] = "no-store"
        await response(scope, receive, send)


async def _response(request: Request) -> JSONResponse:
    if not is_shared():
        return _problem(404, "This server is local and has no API. Start it with TOUCHSTONE_SHARED=1.")
    if request.method not in _METHODS:
        return _problem(405, "The API is for reading: send GET.", {"Allow": ", ".join(_METHODS)})
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return _problem(401, "Send a token: `Authorization: Bearer TOKEN`.", {"WWW-Authenticate": "Bearer"})
    try:
        return JSONResponse(await run_in_threadpool(_read, request, token.strip()))
    except StoreError as error:
        if isinstance(error, WrongTokenError):  # never reached with a valid one, which waits for nobody
            await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
        status, headers = next(answer for kind, answer in _ANSWERS.items() if isinstance(error, kind))
        return _problem(status, str(error), headers)


def _read(request: Request, token: str) -> dict[str, Any]:
    """What is asked for; only a valid token learns what there is, and what is wrong with the rest."""
    reads = ApiReads(services.store(), token)
    after, limit = request.query_params.get("after", ""), request.query_params.get("limit", str(_ROWS_BY_DEFAULT))
    match str(request.scope["path"]).removeprefix(f"{base_path()}api/").rstrip("/").split("/"):
        case ["v1", "campaigns"]:
            return _page("campaigns", reads.campaigns(after, _rows(limit)))
        case ["v1", "campaigns", id, "items"]:
            return _page("items", reads.items(id, after, _rows(limit)))
        case ["v1", "campaigns", id, "labels"]:
            return _page("labels", reads.labels(id, after, _rows(limit)))
        case ["v1", "campaigns", id, "progress"]:
            return reads.progress(id)
        case _:
            raise UnknownPathError(f"There is nothing here. Under {base_path()}api/v1/ there are {_PATHS}.")


def _rows(limit: str) -> int:
    if not (limit.isascii() and limit.isdecimal() and len(limit) <= 4 and 1 <= int(limit) <= MOST_ROWS):
        raise RecordError(f"`limit` is a number from 1 to {MOST_ROWS}.")
    return int(limit)


def _page(name: str, page: PageOfRows) -> dict[str, Any]:
    return {name: page.rows, "next": page.next}


def _problem(status: int, sentence: str, headers: Mapping[str, str] = _NO_HEADERS) -> JSONResponse:
    return JSONResponse({"problem": sentence}, status_code=status, headers=headers)
