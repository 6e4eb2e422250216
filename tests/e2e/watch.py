"""Errors that a page reports while a test uses it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, ConsoleMessage


@contextmanager
def watched(context: BrowserContext) -> Iterator[None]:
    """Raise AssertionError at the end for every exception and console error in the context's pages."""
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("console", lambda message: problems.append(message.text) if _is_error(message) else None)
    yield
    assert not problems, problems


def _is_error(message: ConsoleMessage) -> bool:
    # On a sub-path Streamlit looks for its server at the wrong place first, then at the root.
    probing = "404" in message.text and "/_stcore/" in message.location.get("url", "")
    return message.type == "error" and not probing
