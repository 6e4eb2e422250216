"""The HTTP API of a shared server: JSON under `api/v1/`, for programs with a token."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.exchange.api_reads import MOST_ROWS, ApiReads, PageOfRows, UnknownCampaignError
from annotations.exchange.api_writes import ApiWrites, ReadOnlyTokenError, RepeatedKeyError
from annotations.people.tokens import WrongTokenError
from annotations.store.records import RecordError, StoreError
from pages.server import services
from pages.server.api_routes import (
    DESCRIPTION,
    MOST_BODY_BYTES,
    OPERATIONS,
    ROWS_BY_DEFAULT,
    Operation,
    match_path,
    openapi,
)
from pages.server.base_path import base_path
from pages.server.request_body import read_beginning
from pages.server.sign_in import address_of, guess_delay, is_shared

_PATHS = ", ".join(dict.fromkeys(operation.path.replace("{id}", "ID") for operation in OPERATIONS))


class UnknownPathError(StoreError):
    """A path under which there is nothing."""


class WrongMethodError(StoreError):
    """A path that is asked in another way."""


_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_ANSWERS: Mapping[type[StoreError], tuple[int, Mapping[str, str]]] = MappingProxyType(
    {
        WrongTokenError: (401, {"WWW-Authenticate": 'Bearer error="invalid_token"'}),
        ReadOnlyTokenError: (403, _NO_HEADERS),
        UnknownPathError: (404, _NO_HEADERS),
        WrongMethodError: (405, _NO_HEADERS),
        RepeatedKeyError: (409, _NO_HEADERS),
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
    path = str(request.scope["path"]).removeprefix(f"{base_path()}api/").rstrip("/")
    if request.method == "GET" and path == f"v1/{DESCRIPTION}":
        return JSONResponse(openapi())
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return _problem(401, "Send a token: `Authorization: Bearer TOKEN`.", {"WWW-Authenticate": "Bearer"})
    try:
        answering = await run_in_threadpool(_open, request, path, token.strip())
        body = await read_beginning(request, MOST_BODY_BYTES) if answering.operation.body else b""
        if len(body) > MOST_BODY_BYTES:
            return _problem(413, f"Send at most {MOST_BODY_BYTES // 2**20} MB at once.")
        return JSONResponse(await run_in_threadpool(_answer, request, answering, body))
    except StoreError as error:
        if isinstance(error, WrongTokenError):  # never reached with a valid one, which waits for nobody
            await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
        status, headers = next(answer for kind, answer in _ANSWERS.items() if isinstance(error, kind))
        return _problem(status, str(error), headers)


@dataclass(frozen=True, slots=True)
class _Answering:
    """The operation that is asked for, what answers it for this token, and the campaign that it is asked for."""

    operation: Operation
    actions: ApiReads | ApiWrites
    campaign: str


def _open(request: Request, path: str, token: str) -> _Answering:
    """Find the operation for a request, before its body is read. Only a valid token learns what there is, and what is wrong with the rest."""
    reads = ApiReads(services.store(), token)
    campaign, operations = match_path(path.removeprefix("v1/") if path.startswith("v1/") else "")
    if not operations:
        raise UnknownPathError(f"There is nothing here. Under {base_path()}api/v1/ there are {_PATHS}.")
    operation = operations.get("GET" if request.method == "HEAD" else request.method)
    if operation is None:
        raise WrongMethodError(f"Send {', '.join(operations)} here, and not {request.method}.")
    if not operation.body:
        return _Answering(operation, reads, campaign)
    key = request.headers.get("idempotency-key", "")
    return _Answering(operation, ApiWrites(services.store(), token, key), campaign)


def _answer(request: Request, answering: _Answering, body: bytes) -> dict[str, Any]:
    """Record that is asked for, or that was written."""
    operation = answering.operation
    act = getattr(answering.actions, operation.name)
    arguments = [answering.campaign] if answering.campaign else []
    if operation.body:
        written: dict[str, Any] = act(*arguments, body)
        return written
    if not operation.rows:
        figures: dict[str, Any] = act(*arguments)
        return figures
    limit = request.query_params.get("limit", str(ROWS_BY_DEFAULT))
    if not (limit.isascii() and limit.isdecimal() and len(limit) <= 4 and 1 <= int(limit) <= MOST_ROWS):
        raise RecordError(f"`limit` is a number from 1 to {MOST_ROWS}.")
    page: PageOfRows = act(*arguments, request.query_params.get("after", ""), int(limit))
    return {operation.rows: page.rows, "next": page.next}


def _problem(status: int, sentence: str, headers: Mapping[str, str] = _NO_HEADERS) -> JSONResponse:
    return JSONResponse({"problem": sentence}, status_code=status, headers=headers)
