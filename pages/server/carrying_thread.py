"""The thread of a server that goes on with jobs of an earlier server, and keeps how far jobs are."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from core.errors import TouchstoneError
from pages.server import services, startup

_EVERY_SECONDS = 2.0
_WAIT_FOR_PAGE_SECONDS = 60.0  # the first visitor comes first
_NEEDED_PAGE = "stress"  # whose imports are those of jobs
_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def carrying_jobs(_: st.App) -> AsyncIterator[None]:
    """Carry them as long as the server runs."""
    stopped = threading.Event()
    threading.Thread(target=_carry_until, args=(stopped,), name="jobs", daemon=True).start()
    yield
    stopped.set()


def _carry_until(stopped: threading.Event) -> None:
    startup.first_page_drawn.wait(_WAIT_FOR_PAGE_SECONDS)
    try:
        if not services.store().read_only and services.jobs().interrupted():
            for part in (startup.PAGES, startup.METRICS, _NEEDED_PAGE):
                startup.load(part)
            # it imports half of the program, which a server without interrupted jobs loads later
            from pages.server.job_work import carry_on

            carry_on()
    except TouchstoneError as error:
        _LOG.warning("Jobs of an earlier server stay interrupted: %s", error)
    while not stopped.wait(_EVERY_SECONDS):
        services.jobs().record()
