"""The documents under `docs/`, for whoever opens them: they need no network, no session and no sign-in.

A page is HTML, and as NAME.md the Markdown that programs read; llms.txt lists these.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.base import open_templates
from pages.server.base_path import base_path
from pages.server.docs_pages import CONTENTS, DOCS, page_names, read_contents, render_page
from pages.server.docs_search import MAX_WORDS_BYTES, SEARCH, search_docs

_ASSETS = Path(__file__).parents[1] / "ui" / "assets"
_FILES = {".md", ".png", ".svg", ".txt"}
_METHODS = ("GET", "HEAD")


def docs_address(name: str) -> str:
    """The address of a page of the documents, or of a picture in them, by its path below `docs/`; of the contents for "index"."""
    return f"{base_path()}docs/{'' if name == CONTENTS else name}"


class Docs:
    """Middleware that answers what is asked under `docs/`, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = docs_address(CONTENTS)
        if scope["type"] != "http" or not f"{scope['path']}/".startswith(start):
            await self._app(scope, receive, send)
            return
        response = await run_in_threadpool(_response, Request(scope), start)
        await response(scope, receive, send)


def _response(request: Request, start: str) -> Response:
    if request.method not in _METHODS:
        return PlainTextResponse("Documents are for reading.", 405, {"Allow": ", ".join(_METHODS)})
    path = str(request.scope["path"])
    if path == start.rstrip("/"):
        return RedirectResponse(start)
    name = path.removeprefix(start).rstrip("/") or CONTENTS
    if name in _files():
        return FileResponse(DOCS / name)
    if name == SEARCH:
        return HTMLResponse(_found(base_path(), request.query_params.get("q", "")[:MAX_WORDS_BYTES]))
    if name not in _names():
        missing_page = _draw(
            base_path(),
            "",
            title="There is no such page",
            body=f"docs/{name} is not here. The contents list all pages.",
            headings=(),
        )
        return HTMLResponse(missing_page, 404)
    return HTMLResponse(_page(base_path(), name))


@cache
def _names() -> frozenset[str]:
    return frozenset(page_names())


@cache
def _files() -> frozenset[str]:
    return frozenset(file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*") if file.suffix in _FILES)


@cache
def _page(base: str, name: str) -> str:
    """A page as a whole; documents do not change while a server runs."""
    page = render_page(name, docs_address)
    return _draw(
        base, name, title=page.title, body=Markup(page.html), headings=page.headings
    )  # escaped by the renderer


def _found(base: str, words: str) -> str:
    """The sections that have the words, with a field for others."""
    title = f"Sections with “{words}”" if words.strip() else "Search the documentation"
    template = open_templates(_ASSETS).get_template("docs_found.html")
    body = template.render(
        title=title, words=words, found=search_docs(words), action=docs_address(SEARCH), address=docs_address
    )
    return _draw(base, SEARCH, title=title, body=Markup(body), headings=())  # escaped by the template


def _draw(base: str, name: str, **values: object) -> str:
    sections = read_contents()
    listed = [chapter for chapters in sections.values() for chapter in chapters.items()]
    at = next((place for place, (other, _) in enumerate(listed) if other == name), None)
    around = {
        "before": listed[at - 1] if at else None,
        "after": listed[at + 1] if at is not None and at + 1 < len(listed) else None,
    }
    template = open_templates(_ASSETS).get_template("docs.html")
    return template.render(
        sections=sections, search=docs_address(SEARCH), name=name, app=base, address=docs_address, **around, **values
    )
