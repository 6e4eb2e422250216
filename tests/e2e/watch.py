"""Errors that a page reports while a test uses it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse

from playwright.sync_api import BrowserContext, ConsoleMessage, WebError


@contextmanager
def watched(context: BrowserContext) -> Iterator[None]:
    """Raise AssertionError at the end for every exception and console error in the context's pages."""
    problems: list[str] = []

    def note_error(error: WebError) -> None:
        problems.append(str(error.error))

    def note_message(message: ConsoleMessage) -> None:
        if _is_error(message):
            problems.append(message.text)

    context.on("weberror", note_error)
    context.on("console", note_message)
    yield
    context.remove_listener("weberror", note_error)
    context.remove_listener("console", note_message)
    assert not problems, problems


def _is_error(message: ConsoleMessage) -> bool:
    path = urlparse(message.location.get("url", "")).path
    # Nobody is signed in yet, or any more: the icon of the page, a wrong code and a look at the jobs are refused, which not every build
    # of Chromium logs.
    icon = "/media/" in path and path.endswith(".png")
    refused = "403" in message.text and (path.endswith("/sign-in") or "/jobs/" in path or icon)
    return message.type == "error" and not refused
