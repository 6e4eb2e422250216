"""Threads that a server runs beside answering: one sends word of campaigns, one counts labels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.server.counting_thread import counting_labels
from pages.server.webhook_thread import sending_webhooks


@asynccontextmanager
async def working_in_background(app: st.App) -> AsyncIterator[None]:
    """Both as long as the server runs."""
    async with sending_webhooks(app), counting_labels(app):
        yield
