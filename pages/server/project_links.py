"""Read-only links: one project as a page for whoever has the link, without a session and without a script."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.people.project_links import WrongLinkError, read_project
from annotations.store.records import StoreError
from pages.server import services
from pages.server.base_path import base_path
from pages.server.sign_in import address_of, guess_delay


def project_path(token: str) -> str:
    """Path of a link by its token."""
    return f"{base_path()}read/{token}"


class ProjectPages:
    """Middleware that answers `read/TOKEN` with the project that the link opens, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not str(scope["path"]).startswith(project_path("")):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        response = await _response(request)
        # neither a cache nor another site learns of the link
        response.headers["cache-control"] = "no-store"
        response.headers["referrer-policy"] = "no-referrer"
        response.headers["x-robots-tag"] = "noindex"
        await response(scope, receive, send)


async def _response(request: Request) -> Response:
    token = str(request.scope["path"]).removeprefix(project_path(""))
    try:
        return HTMLResponse(await run_in_threadpool(_page, token))
    except WrongLinkError as error:
        await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
        return PlainTextResponse(str(error), 403)
    except StoreError as error:
        return PlainTextResponse(str(error), 503)


def _page(token: str) -> str:
    # most visitors of a server open no link, and the parts of a report import much
    from pages.server.linked_report import linked_page

    return linked_page(read_project(services.store(), token))
