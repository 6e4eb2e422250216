"""Sign-in over HTTP: a personal link or a typed code gives the browser a cookie that no script can read."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

from annotations.people.people import Member, find_person
from annotations.people.sign_in import (
    GuessDelay,
    SessionEndedError,
    StartedSession,
    WrongCodeError,
    member_by_code,
    member_by_session,
    start_session,
)
from annotations.store.database import read_session
from annotations.store.records import StoreError
from core.errors import TouchstoneError
from pages.server import services
from pages.server.base_path import base_path
from pages.server.request_body import read_beginning

SESSION_COOKIE = "touchstone_session"
LINK_PARAMETER = "invite"
SIGN_OUT = "sign-out"
"""Name of the page that signs a person out; only a press in the menu opens it, an address does not."""
ORGANISATION_COOKIE = "_streamlit_user"
"""Cookie of who signed in at an organisation, set and signed by Streamlit."""
MAX_CODE_BYTES = 200
_PAGE_NAME = re.compile(r"[a-z-]*")


@lru_cache(maxsize=1)
def guess_delay() -> GuessDelay:
    """One for the whole process, for typed codes, links and cookies alike."""
    return GuessDelay()


def sign_in_path() -> str:
    """Path that a code is sent to."""
    return f"{base_path()}sign-in"


class SignInMiddleware:
    """Middleware that takes personal links and typed codes on a shared server, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._response(Request(scope, receive)) if scope["type"] == "http" else None
        await (response or self._app)(scope, receive, send)

    async def _response(self, request: Request) -> Response | None:
        if not is_shared():
            return None
        if request.method == "POST" and request.url.path == sign_in_path():
            return await _sign_in_by_code(request)
        if request.method == "GET" and request.url.path == f"{base_path()}{SIGN_OUT}":
            return await _leave_sign_out(request)
        code = request.query_params.get(LINK_PARAMETER, "")
        if code and request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return await _sign_in_by_link(request, code)
        return None


async def _leave_sign_out(request: Request) -> Response:
    """Lead to the start, where somebody who signed out can sign in again and stays so; their cookie goes."""
    response = RedirectResponse(base_path(), status_code=303)
    response.headers["cache-control"] = "no-store"
    with suppress(StoreError):  # where nobody can tell now, the cookie stays
        if await run_in_threadpool(member_here, request.cookies.get(SESSION_COOKIE, "")) is None:
            response.delete_cookie(SESSION_COOKIE, path=base_path())
    return response


async def is_signed_in(request: Request) -> bool:
    """True if a browser still has a session here, or the signed cookie of an organisation that vouches for a person of this server."""
    try:
        return await run_in_threadpool(_member_of, request) is not None
    except StoreError:  # a session that has ended, or nobody can tell now
        return False


def _member_of(request: Request) -> Member | None:
    if has_organisation() and (claims := _organisation_claims(request)) and (member := organisation_member(claims)):
        return member
    return _member(request.cookies.get(SESSION_COOKIE, ""))


def _member(session_id: str) -> Member | None:
    with read_session(services.store().engine) as session:
        return member_by_session(session, session_id)


def _organisation_claims(request: Request) -> dict[str, Any]:
    """Claims of the provider about a person, from a cookie that Streamlit signed, a long one in parts; empty where there is none."""

    def part(name: str) -> bytes | None:
        cookie = request.cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(get_cookie_secret(), name, cookie)

    claims = get_cookie_with_chunks(part, ORGANISATION_COOKIE)
    return dict(json.loads(claims)) if claims else {}


def organisation_member(claims: Mapping[str, Any]) -> Member | None:
    """The active person of this server with the address that a provider of OpenID Connect says is verified."""
    email = verified_email(claims)
    # beyond ASCII, lower case makes other people's addresses: K, the sign of Kelvin, becomes k
    names = [email, email.lower()] if email.isascii() else [email]
    with read_session(services.store().engine) as session:
        person = next(filter(None, (find_person(session, name) for name in names if name)), None)
    return person if person and person.active else None


def verified_email(claims: Mapping[str, Any]) -> str:
    """The address that the provider says is verified, as a Boolean or in words; "" where it says nothing, unless the operator vouches for it."""
    verified = claims.get("email_verified", services.settings().trust_email)
    return str(claims.get("email") or "") if str(verified).lower() == "true" else ""


def has_organisation() -> bool:
    """True if sign-in by OIDC is configured in Streamlit's secrets and its package is here."""
    return find_spec("authlib") is not None and st.secrets.load_if_toml_exists() and "auth" in st.secrets


def is_shared() -> bool:
    """True if people sign in here."""
    try:
        return services.settings().shared
    except TouchstoneError:  # every page says what is set wrongly
        return False


async def _sign_in_by_code(request: Request) -> Response:
    """Answer a code that was sent by the sign-in form, or for another person than the one who is signed in."""
    if urlsplit(request.headers.get("origin", "")).netloc != request.headers.get("host"):
        return JSONResponse({"problem": "Sign in on the page of this server."}, status_code=403)
    sent = await read_beginning(request, MAX_CODE_BYTES)
    code = sent[:MAX_CODE_BYTES].decode(errors="replace")
    try:
        started = await run_in_threadpool(_start, code, request.cookies.get(SESSION_COOKIE, ""))
    except WrongCodeError as error:
        await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
        return JSONResponse({"problem": str(error)}, status_code=403)
    except StoreError as error:
        return JSONResponse({"problem": str(error)}, status_code=503)
    return with_cookie(JSONResponse({"name": started.member.name}), started, request)


async def _sign_in_by_link(request: Request, code: str) -> Response | None:
    """Lead to the page without the code, signed in; None where the page has to say or ask something first."""
    try:
        started = await run_in_threadpool(
            _start_unless_another, code[:MAX_CODE_BYTES], request.cookies.get(SESSION_COOKIE, "")
        )
    except WrongCodeError:
        await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
        return None
    except StoreError:
        return None
    if started is None:
        return None
    return with_cookie(RedirectResponse(_page_address(request), status_code=303), started, request)


def _page_address(request: Request) -> str:
    """Address of the page of this server that is asked for, without the code; a path that a browser could read as a host is none."""
    path, query = str(request.scope["path"]), request.url.remove_query_params(LINK_PARAMETER).query
    name = path.removeprefix(base_path())
    page = f"{base_path()}{name}" if _PAGE_NAME.fullmatch(name) else base_path()
    return f"{page}?{query}" if query else page


def _start(code: str, replaced: str) -> StartedSession:
    with services.store().writing() as session:
        return start_session(session, code, replaced)


def _start_unless_another(code: str, current: str) -> StartedSession | None:
    """Sign in, unless somebody else is signed in here: they are asked first."""
    with read_session(services.store().engine) as session:
        member = member_by_code(session, code)
    here = member_here(current)
    return _start(code, current) if here is None or here.id == member.id else None


def member_here(current: str) -> Member | None:
    """The person whom the cookie of a browser signs in; None where it has none, or that of a session which has ended."""
    try:
        return _member(current) if current else None
    except SessionEndedError:
        return None


def with_cookie(response: Response, started: StartedSession, request: Request) -> Response:
    """A response that signs a browser in."""
    response.set_cookie(
        SESSION_COOKIE,
        started.id,
        expires=started.expires_at,
        path=base_path(),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    response.headers["cache-control"] = "no-store"
    return response


def address_of(request: HTTPConnection) -> str:
    """Address of the browser; the server itself reads what a trusted proxy forwards."""
    return request.client.host if request.client else ""
