"""Long work off the script thread, its progress in a line, and its result once it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import streamlit as st

from core.background import BackgroundTask, Progress
from core.types import T
from pages.ui.markup import escape_markdown

_LOOK_S = 0.4
_FREE_THREADS = threading.BoundedSemaphore(2)  # more would take turns on the cores that draw the pages


def background_result(what: str, key: Hashable, work: Callable[[], T]) -> T | None:
    """The result of the work of this key; None while it is under way, and where it failed, which is shown.

    `work` runs in another thread: it touches nothing of the page.
    """
    task: BackgroundTask[T] = _start(key, work)
    if task.running:
        _show_waiting(what, key, task)
        return None
    if task.error:
        st.error(escape_markdown(task.error), icon=":material/error:")
        return None
    [result] = task.results
    return result


@st.cache_resource(max_entries=24, show_spinner=False)
def _start(key: Hashable, _work: Callable[[], T]) -> BackgroundTask[T]:  # noqa: ARG001  # the key is that of the cache
    return BackgroundTask.call(partial(_in_turn, _work))


def _in_turn(work: Callable[[], T]) -> T:
    with _FREE_THREADS:
        return work()


@st.fragment(run_every=_LOOK_S)
def _show_waiting(what: str, key: Hashable, task: BackgroundTask[Any]) -> None:  # noqa: ARG001  # two works are two fragments
    if not task.running:
        st.rerun()
    st.caption(f":material/hourglass_empty: {what}")


def progress_bar(now: Progress, cancel: Callable[..., Any], *args: object) -> None:
    """Scores done and left, how many a second, and about how long the rest will take."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, now.done / max(1, now.total)), str(now))
        st.button("Cancel", icon=":material/stop:", on_click=cancel, args=args, key=f"cancel-{args}")
