"""The thread of a server that counts labels for the figures of progress; labelling never waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from annotations.results.progress_counts import changed_campaigns, count_changed
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.errors import TouchstoneError
from pages.server import services, startup

_EVERY_SECONDS = 5.0
_WAIT_FOR_PAGE_SECONDS = 60.0  # the first visitor comes first
_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def counting_labels(_: st.App) -> AsyncIterator[None]:
    """Count as long as the server runs."""
    stopped = threading.Event()
    threading.Thread(target=_count_until, args=(stopped,), name="counting", daemon=True).start()
    yield
    stopped.set()


def _count_until(stopped: threading.Event) -> None:
    startup.first_page_drawn.wait(_WAIT_FOR_PAGE_SECONDS)
    problem = ""
    while not stopped.wait(_EVERY_SECONDS):
        latest = count_all(services.store())
        if latest and latest != problem:
            _LOG.warning("Labels wait to be counted: %s", latest)
        problem = latest


def count_all(store: Store) -> str:
    """Count what changed in each campaign; why some could not be counted, which holds up no other. A store that keeps nothing counts nothing."""
    if store.read_only:
        return ""
    problems = []
    try:
        for campaign in changed_campaigns(store):
            try:
                count_changed(store, campaign)
            except RecordError as error:
                problems.append(str(error))
    except TouchstoneError as error:  # the database is away
        problems.append(str(error))
    return " ".join(problems)
