"""Threads that a server runs beside answering: for word of campaigns, for counts of labels, and for jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.server.carrying_thread import carrying_jobs
from pages.server.counting_thread import counting_labels
from pages.server.webhook_thread import sending_webhooks


@asynccontextmanager
async def working_in_background(app: st.App) -> AsyncIterator[None]:
    """All of them as long as the server runs."""
    async with sending_webhooks(app), counting_labels(app), carrying_jobs(app):
        yield
