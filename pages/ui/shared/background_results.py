"""Long work off the script thread, its progress in a line, and its result once it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from core.base import BackgroundTask, Progress
from core.types import T
from pages.server import services
from pages.server.jobs import BackgroundJob
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import escape_message
from pages.ui.shared.session_state import page_state
from pages.ui.shared.session_user import job_person

P = ParamSpec("P")

_LOOK_S = 0.4
_BAR_FROM_S = 1.0  # before that nothing jumps
_FREE_THREADS = threading.BoundedSemaphore(2)  # more would take turns on the cores that draw the pages


@dataclass(eq=False)
class RedrawState:
    """State of the open page: whether only the person's own actions rerun it, as in a dialog with a file field, and its name."""

    held: bool = False
    view: str = ""


def redraw() -> None:
    """Rerun the page for new results, unless reruns are held: then the next run renders them.

    At the end of a run of the whole page Streamlit now and then draws the fields of an open dialog as other ones, and what was
    typed there, or a file under way, is gone. Fragments that draw themselves again below a dialog end by this, not by `st.rerun`.
    """
    if not page_state(RedrawState).held:
        st.rerun()


def polled(every_s: float) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a fragment of a function, which draws itself again every so many seconds; while redraws are held, only when it is called.

    Where a fragment asks for its turn right after a person did, and the server is busy, Streamlit takes another thread for it and
    drops what the one before has answered to the person (`AppSession.request_rerun`). In a dialog the choice is lost then, as no run follows.
    """

    def wrap(look: Callable[P, None]) -> Callable[P, None]:
        @wraps(look)
        def draw(*args: P.args, **kwargs: P.kwargs) -> None:
            fragment = st.fragment(run_every=None if page_state(RedrawState).held else every_s)
            fragment(look)(*args, **kwargs)

        return draw

    return wrap


def background_result(what: str, key: Hashable, work: Callable[[], T], shape: str = "") -> T | None:
    """The result of the work of this key; None while it is under way, and where it failed, which is shown.

    `work` runs in another thread: it touches nothing of the page. `shape` is HTML in the place of what is not there yet.
    """
    results = background_results(what, key, lambda: (done() for done in [work]), 1, shape)
    return results[0] if results else None


def background_results(
    what: str, key: Hashable, work: Callable[[], Iterable[T]], total: int, shape: str = ""
) -> list[T] | None:
    """All of the about `total` results that the work of this key gives one after the other, with a bar of how many are there."""
    task: BackgroundTask[T] = _start(key, work, total, what, page_state(RedrawState).view)
    if task.running:
        _show_waiting(what, key, task, shape)
        return None
    if task.error:
        st.error(escape_message(task.error), icon=":material/error:")
        return None
    return task.results


@st.cache_resource(max_entries=24, show_spinner=False)
def _start(  # the key is that of the cache
    key: Hashable,
    _work: Callable[[], Iterable[T]],
    _total: int,
    _what: str,
    _view: str,
) -> BackgroundTask[T]:
    def work_in_turn() -> Generator[T]:
        with _FREE_THREADS:
            yield from _work()

    job = BackgroundJob(
        f"figures {hash(key)}", "figures", _what.rstrip(".…"), _view, st.query_params.to_dict(), person=job_person()
    )
    return services.jobs().start(job, lambda: BackgroundTask(work_in_turn, _total, unit="parts"), listed=False)


@polled(_LOOK_S)
def _show_waiting(what: str, key: Hashable, task: BackgroundTask[Any], shape: str) -> None:  # noqa: ARG001  # two works are two fragments
    if not task.running:
        redraw()
    now = task.progress
    if now.total > 1 and task.elapsed_s > _BAR_FROM_S:
        st.progress(min(1.0, now.done / now.total), f"{what} {now.done} of {now.total}")
    else:
        st.caption(f":material/hourglass_empty: {what}")
    endpoint_waits()
    if shape:
        st.html(shape)


def progress_bar(now: Progress, cancel: Callable[..., Any], *args: object) -> None:
    """Scores done and left, how many a second, and about how long the rest will take; that it stops, once it was cancelled."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, now.done / max(1, now.total)), str(now))
        st.button(
            "Stopping…" if now.stopping else "Cancel",
            icon=":material/stop:",
            on_click=cancel,
            args=args,
            key=f"cancel-{args}",
            disabled=now.stopping,
        )
    endpoint_waits()
