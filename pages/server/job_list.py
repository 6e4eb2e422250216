"""The jobs of a person over HTTP, which the bar of every page reads again and again without running the page."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server import services
from pages.server.base_path import base_path
from pages.server.jobs import STATE_TITLES, BackgroundJob, job_actions

_RECENT_S = 600.0  # jobs that ended longer ago are on Home alone


def jobs_path(person: str) -> str:
    """Path at which the pages of this person read their jobs."""
    return f"{base_path()}jobs/{services.jobs().key_of(person)}"


class JobList:
    """Middleware that answers `jobs/KEY` with the jobs of the person whose pages were given that key, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = f"{base_path()}jobs/"
        if scope["type"] != "http" or not str(scope["path"]).startswith(start):
            await self._app(scope, receive, send)
            return
        key = Request(scope).url.path.removeprefix(start)
        rows = await run_in_threadpool(_rows, key)
        unknown = {"problem": "No page of this server has this key. Load the page again."}
        response = JSONResponse(unknown, 404) if rows is None else JSONResponse({"jobs": rows})
        response.headers["cache-control"] = "no-store"
        await response(scope, receive, send)


def _rows(key: str) -> list[dict[str, Any]] | None:
    person = services.jobs().person_of(key)
    return None if person is None else job_rows(person)


def job_rows(person: str) -> list[dict[str, Any]]:
    """The jobs that the bar of a person shows: those under way, and those that ended a short while ago."""
    jobs = services.jobs().rows(person)
    newest = max((job.changed_at for job in jobs), default=0.0)
    return [_row(job) for job in jobs if job.state == "running" or newest - job.changed_at < _RECENT_S]


def _row(job: BackgroundJob) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "title": job.title,
        "state": job.state,
        "says": ", ".join(filter(None, [state_line(job), job.line])),
        "share": min(1.0, job.done / job.total) if job.total > 1 else None,
        "error": job.error,
        "actions": job_actions(job),
    }


def state_line(job: BackgroundJob) -> str:
    """As “under way, resumed”."""
    return f"{STATE_TITLES[job.state]}{', resumed' if job.resumed and job.state == 'running' else ''}"
