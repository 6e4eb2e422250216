"""Study links of crowd platforms: a participant is signed in for one session, and sent back with the code of its end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.labelling.crowd import (
    PREVIEW,
    CrowdRefusedError,
    JoinedSession,
    Participant,
    code_of_end,
    completion_address,
    find_study,
    join_study,
    participant_name,
    submit_address,
)
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.signed_links import check_signature
from annotations.people.sign_in import member_by_session
from annotations.store.database import read_session
from annotations.store.records import StoreError
from core.base import open_templates
from pages.server import services
from pages.server.base_path import base_path
from pages.server.sign_in import SESSION_COOKIE, address_of, guess_delay, is_shared, member_here, with_cookie

_ASSETS = Path(__file__).parents[1] / "ui" / "assets"
_END = "end"
_ENDS: Mapping[str, tuple[str, str]] = {
    "completed": ("Thank you", "You have done all that there is for you. Your labels are saved."),
    "screened out": ("Thank you", "The trial items show that this study is not for you. Nothing more is to be done."),
    "paused": (
        "Your work was stopped",
        "Too many answers fell short of what the guidelines ask for. The requester sees which.",
    ),
    "returned": ("You returned this study", "Your session is over. There is nothing more to be done."),
    "timed out": (
        "The time is over",
        "Your session took longer than the study allows. Please return it on the platform.",
    ),
}


def study_path(part: str) -> str:
    """Path of the link of a study by its key, or of the end of a session."""
    return f"{base_path()}study/{part}"


def end_path(campaign_id: str) -> str:
    """Path that ends the session in a campaign."""
    return f"{study_path(_END)}?{urlencode({'campaign': campaign_id})}"


class CrowdLinks:
    """Middleware that answers study links on a shared server, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(study_path("")):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        if not is_shared():
            await PlainTextResponse("This server is local and has no studies.", 404)(scope, receive, send)
            return
        if request.method != "GET":
            await PlainTextResponse("Open this link in a browser.", 405, {"Allow": "GET"})(scope, receive, send)
            return
        try:
            response = await run_in_threadpool(_response, request)
        except CrowdRefusedError as error:
            await asyncio.sleep(guess_delay().after_wrong(address_of(request)))
            response = _page(403, "This study cannot be opened", str(error))
        except StoreError as error:
            response = _page(503, "Try again in a moment", str(error))
        response.headers["cache-control"] = "no-store"
        await response(scope, receive, send)


def _response(request: Request) -> Response:
    key, _, part = str(request.scope["path"]).removeprefix(study_path("")).rstrip("/").partition("/")
    if key == _END:
        return _end(request)
    parameters, cookie = request.query_params, request.cookies.get(SESSION_COOKIE, "")
    with read_session(services.store().engine) as session:
        campaign, terms = find_study(session, key)
    if terms.platform == "mturk" and parameters.get("assignmentId") == PREVIEW:
        text = "Accept the task to begin: summaries are compared with documents, in a tab of its own."
        return _page(200, campaign.questions.title, text)
    if terms.platform == "mturk" and part != "work":
        return _page(
            200,
            campaign.questions.title,
            "The work opens in a tab of its own. At its end you get a code: enter it here and submit.",
            link=(f"{study_path(key)}/work?{request.url.query}", "Open the work"),
            submit=submit_address(parameters.get("turkSubmitTo", "")),
            assignment=parameters.get("assignmentId", ""),
        )
    participant = Participant.read(terms.platform, parameters)
    check_signature(services.settings().study_secret.get_secret_value(), key, participant, parameters)
    here, name = member_here(cookie), participant_name(terms.platform, participant.id)
    if here and here.name != name:
        text = f"You are signed in as {here.name}. Sign out first, or open the link in a private window."
        return _page(409, "Somebody else is signed in", text, link=(base_path(), "Open Touchstone"))
    with services.store().writing() as writing:
        joined = join_study(writing, key, parameters, cookie)
    if joined.started is None:
        return _ended(joined)
    response = RedirectResponse(f"{base_path()}?{urlencode({'campaign': joined.campaign.id})}", status_code=303)
    return with_cookie(response, joined.started, request)


def _end(request: Request) -> Response:
    """End the session of who is signed in, or lead back to what is left to label."""
    campaign_id = request.query_params.get("campaign", "")
    with read_session(services.store().engine) as session:
        member = member_by_session(session, request.cookies.get(SESSION_COOKIE, ""))
    if member is None:
        raise CrowdRefusedError("You are not signed in. Open the link of the study on the platform again.")
    joined = AnnotatorActions(services.store(), member).finish_session(campaign_id)
    if joined is None:
        return RedirectResponse(f"{base_path()}?{urlencode({'campaign': campaign_id})}", status_code=303)
    address = completion_address(joined)
    return RedirectResponse(address, status_code=303) if address else _ended(joined)


def _ended(joined: JoinedSession) -> Response:
    """Page on the end of a session, with the code for the platform."""
    title, text = _ENDS[joined.outcome]
    address = completion_address(joined)
    if address:
        return _page(200, title, text, link=(address, "Back to Prolific"))
    own = joined.code if joined.outcome == "completed" else ""
    return _page(200, title, text, code=own if joined.terms.platform == "mturk" else code_of_end(joined))


def _page(status: int, title: str, text: str, **values: object) -> HTMLResponse:
    template = open_templates(_ASSETS).get_template("study.html")
    shown = {"link": None, "code": "", "submit": "", "assignment": "", **values}
    return HTMLResponse(template.render(title=title, text=text, **shown), status)
