"""Long work off the script thread: begun once for all sessions, watched by the page, its result kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import streamlit as st

from core.errors import TouchstoneError
from pages.ui.plain import plain

_LOOK_S = 0.4
_AT_ONCE = 2

T = TypeVar("T")


def result_of(what: str, key: Hashable, work: Callable[[], T]) -> T | None:
    """What the work of this key came to; None while it goes on, and where it failed, which is said.

    `work` runs in another thread: it touches nothing of the page.
    """
    future: Future[T] = _begun(key, work)
    if not future.done():
        _watch(what, key, future)
        return None
    try:
        return future.result()
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


@st.cache_resource(show_spinner=False)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="evaluate")


@st.cache_resource(max_entries=24, show_spinner=False)
def _begun(key: Hashable, _work: Callable[[], Any]) -> Future[Any]:  # noqa: ARG001  # the key is that of the cache
    return _threads().submit(_work)


@st.fragment(run_every=_LOOK_S)
def _watch(what: str, key: Hashable, future: Future[Any]) -> None:  # noqa: ARG001  # two works are two fragments
    if future.done():
        st.rerun()
    st.caption(f":material/hourglass_empty: {what}")
