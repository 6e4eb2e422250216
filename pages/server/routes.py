"""Every address of the server: Streamlit's and ours, with who may ask for it and the most that a request may take.

`route_guard` refuses what has no row here, so that an address which an upgrade of Streamlit adds stays closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import Pattern
from typing import Literal

import streamlit as st
from starlette.routing import compile_path

from pages.server.api_routes import DESCRIPTION, MOST_BODY_BYTES, OPERATIONS
from pages.server.base_path import base_path
from pages.server.sign_in import MAX_CODE_BYTES, SIGN_OUT

Access = Literal["anyone", "signed in", "token", "nobody"]
"""People and programs that may ask: on a server without sign-in, `signed in` is anyone, and `token` nobody."""

_VIEWS = Path(__file__).parents[1] / "views"
_MB = 2**20
_FORM_BYTES = 64 * 1024  # around the file of an upload
_ANY_METHOD = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@dataclass(frozen=True, slots=True)
class RouteRule:
    """An address, and what a request to it may take. Numbers are for one address on the network; 0 is no limit."""

    path: str
    """Path below the base path of the server, in the form of Starlette; pages as `{page}`."""
    methods: tuple[str, ...]
    """Methods that are answered; GET includes HEAD, and WEBSOCKET is a connection."""
    who: Access
    """People and programs that may ask."""
    purpose: str
    """Use of the address, for a reader of the table."""
    most_bytes: int = 0
    """Size of the largest body, in bytes; 0 for requests without a body."""
    per_minute: int = 600
    """Number of requests in a minute."""
    at_once: int = 32
    """Number of requests that are answered at the same time."""
    seconds: float = 60.0
    """Time until a request is given up, in seconds."""


def upload_bytes() -> int:
    """Size of the largest file of an upload, in bytes, as `server.maxUploadSize` sets it."""
    return int(st.get_option("server.maxUploadSize") or 0) * _MB


def route_rules() -> tuple[RouteRule, ...]:
    """The table; the first row that fits a request decides."""
    return _rules(upload_bytes())


@cache
def _rules(most_upload_bytes: int) -> tuple[RouteRule, ...]:
    pages = [f"{name}{end}" for name in page_names() for end in ("", "/")]
    api = [
        RouteRule(
            f"api/v1/{operation.path}",
            (operation.method,),
            "token",
            operation.about,
            MOST_BODY_BYTES if operation.body else 0,
            per_minute=1_200,
            at_once=8,
            seconds=120.0,
        )
        for operation in OPERATIONS
    ]
    return (
        RouteRule("", ("GET",), "anyone", "the page that every visitor gets, with the sign-in"),
        *(RouteRule(page, ("GET",), "anyone", "the same, for the address of a page") for page in pages),
        RouteRule(SIGN_OUT, ("GET",), "anyone", "the way back after signing out"),
        RouteRule("sign-in", ("POST",), "anyone", "a typed code", MAX_CODE_BYTES, per_minute=120),
        RouteRule("study/{key}", ("GET",), "anyone", "a study link of a crowd platform", per_minute=300),
        RouteRule("study/{key}/work", ("GET",), "anyone", "the work of a task of MTurk", per_minute=300),
        RouteRule(
            "jobs/{key}", ("GET",), "signed in", "work in the background of the person whose pages have the key", per_minute=1_200
        ),
        RouteRule("component-scripts/{file}", ("GET",), "anyone", "scripts of our components", per_minute=6_000, at_once=128),
        RouteRule("read/{token}", ("GET",), "anyone", "one project, for whoever has its link", per_minute=120),
        RouteRule("docs", ("GET",), "anyone", "the documents"),
        RouteRule("docs/{path:path}", ("GET",), "anyone", "the documents"),
        RouteRule(f"api/v1/{DESCRIPTION}", ("GET",), "anyone", "the description of the HTTP API"),
        *api,
        RouteRule("api", _ANY_METHOD, "token", "a sentence on what there is"),
        RouteRule("api/{path:path}", _ANY_METHOD, "token", "a sentence on what there is", MOST_BODY_BYTES, at_once=8),
        # Streamlit's own
        RouteRule("index.html", ("GET",), "anyone", "the page by its file"),
        RouteRule("favicon.png", ("GET",), "anyone", "the icon"),
        RouteRule("manifest.json", ("GET",), "anyone", "the name of the app for a browser"),
        RouteRule("static/{path:path}", ("GET",), "anyone", "scripts, styles and fonts", per_minute=12_000, at_once=256),
        RouteRule("_stcore/health", ("GET",), "anyone", "whether the server runs", per_minute=1_200),
        RouteRule("_stcore/host-config", ("GET",), "anyone", "what a page may be embedded in", per_minute=1_200),
        RouteRule(
            "_stcore/bidi-components/{path:path}", ("GET",), "anyone", "files of components", per_minute=6_000, at_once=128
        ),
        RouteRule(
            "_stcore/stream",
            ("WEBSOCKET",),
            "anyone",
            "the connection of a page, which shows the sign-in to a stranger",
            per_minute=1_200,
            at_once=256,
            seconds=0,
        ),
        RouteRule(
            "_stcore/upload_file/{session_id}/{file_id}",
            ("PUT",),
            "signed in",
            "a file for a page that shows an uploader",
            most_upload_bytes + _FORM_BYTES,
            per_minute=240,
            at_once=64,  # behind a proxy with HTTP/2 a browser sends all files of a selection at the same time
            seconds=300.0,
        ),
        RouteRule(
            "_stcore/upload_file/{session_id}/{file_id}",
            ("DELETE",),
            "signed in",
            "takes such a file away",
            _FORM_BYTES,  # Streamlit's browser names its session there
            per_minute=240,
        ),
        RouteRule(
            "media/{file_id:path}", ("GET",), "signed in", "downloads and pictures", per_minute=6_000, seconds=600.0
        ),
        RouteRule("auth/login", ("GET",), "anyone", "sign-in at an organisation", per_minute=120),
        RouteRule("auth/logout", ("GET",), "anyone", "sign-out at an organisation", per_minute=120),
        RouteRule("oauth2callback", ("GET",), "anyone", "the way back from an organisation", per_minute=120),
        RouteRule("component/{path:path}", ("GET", "OPTIONS"), "nobody", "components of the first kind, of which there are none"),
        RouteRule("_stcore/metrics", ("GET", "OPTIONS"), "nobody", "who is here, and what they hold in memory"),
        RouteRule("_stcore/script-health-check", ("GET", "OPTIONS"), "nobody", "a run of the pages without a visitor"),
        RouteRule("_stcore/agent/interact", _ANY_METHOD, "nobody", "programs that use the pages"),
        RouteRule("_stcore/agent/openapi.json", _ANY_METHOD, "nobody", "their description"),
        RouteRule("_stcore/agent/mcp", _ANY_METHOD, "nobody", "the same as a server of tools"),
        RouteRule("app/static/{path:path}", ("GET", "OPTIONS"), "nobody", "files beside the script"),
        RouteRule("_stcore/health", ("OPTIONS",), "nobody", "permission for pages of other sites"),
        RouteRule("_stcore/upload_file/{session_id}/{file_id}", ("OPTIONS",), "nobody", "permission for pages of other sites"),
        RouteRule("media/{file_id:path}", ("OPTIONS",), "nobody", "permission for pages of other sites"),
        RouteRule("_stcore/bidi-components/{path:path}", ("OPTIONS",), "nobody", "permission for pages of other sites"),
    )  # fmt: skip


FORMER_PAGES = ("data", "papers", "prompts", "review")
"""Names of pages that are parts of others today; their addresses lead there."""


@cache
def page_names() -> tuple[str, ...]:
    """Names of the pages and of the former ones, as addresses have them."""
    return tuple(sorted([*FORMER_PAGES, *(view.stem for view in _VIEWS.glob("*.py"))]))


def rules_at(path: str) -> list[RouteRule]:
    """The rules for a path of a request, with its base path; none for an address that the server does not have."""
    base = base_path()
    if path == base.rstrip("/"):
        path = base
    if not path.startswith(base):
        return []
    below = f"/{path.removeprefix(base)}"
    return [rule for rule, pattern in _patterns(route_rules()) if pattern.fullmatch(below)]


@cache
def _patterns(rules: tuple[RouteRule, ...]) -> tuple[tuple[RouteRule, Pattern[str]], ...]:
    return tuple((rule, compile_path(f"/{rule.path}")[0]) for rule in rules)
