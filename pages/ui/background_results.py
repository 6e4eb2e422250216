"""Long work off the script thread, its progress in a line, and its result once it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import streamlit as st

from core.errors import TouchstoneError
from core.stress.runner import Progress
from pages.ui.markup import escape_markdown

_LOOK_S = 0.4
_MAX_THREADS = 2

T = TypeVar("T")


def background_result(what: str, key: Hashable, work: Callable[[], T]) -> T | None:
    """What the work of this key came to; None while it goes on, and where it failed, which is said.

    `work` runs in another thread: it touches nothing of the page.
    """
    future: Future[T] = _submit(key, work)
    if not future.done():
        _show_waiting(what, key, future)
        return None
    try:
        return future.result()
    except TouchstoneError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None


@st.cache_resource(show_spinner=False)
def _thread_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="evaluate")


@st.cache_resource(max_entries=24, show_spinner=False)
def _submit(key: Hashable, _work: Callable[[], Any]) -> Future[Any]:  # noqa: ARG001  # the key is that of the cache
    return _thread_pool().submit(_work)


@st.fragment(run_every=_LOOK_S)
def _show_waiting(what: str, key: Hashable, future: Future[Any]) -> None:  # noqa: ARG001  # two works are two fragments
    if future.done():
        st.rerun()
    st.caption(f":material/hourglass_empty: {what}")


def progress_bar(now: Progress, cancel: Callable[..., Any], *args: object) -> None:
    """Scores done and left, how many a second, and about how long the rest will take."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, now.done / max(1, now.total)), str(now))
        st.button("Cancel", icon=":material/stop:", on_click=cancel, args=args, key=f"cancel-{args}")
