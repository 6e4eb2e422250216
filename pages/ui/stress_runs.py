"""Stored stress runs: choose one, load it, follow it while it goes on."""

from __future__ import annotations

from functools import partial

import streamlit as st

from annotations.records import RunRow
from core.stress.records import Run
from core.stress.runfile import assembled
from pages.ui import services
from pages.ui.plain import plain

_NEW = ""
_LOOK_S = 1.0


def chosen_run() -> RunRow | None:
    """The run that the address names; None where a new one is to be set up."""
    id = st.query_params.get("run", _NEW)
    return next((row for row in services.store().runs() if row.id == id), None)


def run_bar(chosen: RunRow | None) -> None:
    """The stored runs, and the way to a new one."""
    rows = {row.id: row for row in services.store().runs()}
    st.session_state["stress-run"] = chosen.id if chosen else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Run",
            list(rows),
            key="stress-run",
            format_func=lambda id: f"{rows[id].name} ({rows[id].created_at:%Y-%m-%d %H:%M})",
            placeholder="A new run" if rows else "No run yet",
            on_change=_open,
            width=420,
        )
        st.button("New run", icon=":material/add:", on_click=open_run, args=(_NEW,), disabled=chosen is None)


def open_run(id: str) -> None:
    """Let the address name a run, so that a reload finds it; an empty id sets a new one up."""
    st.query_params.from_dict({"run": id} if id else {})


def load(row: RunRow) -> Run:
    """The run with everything that is stored of it now."""
    return _assembled(row.id, row.lines)


def start(id: str, run: Run) -> None:
    """Carry a run on in the background; what comes is written to the database."""
    services.conductor().start(id, run, partial(services.store().append_run, id))


def follow(row: RunRow, run: Run) -> None:
    """How far the run is, with the buttons to stop it and to go on."""
    _progress(row.id, row.lines, run)


@st.cache_resource(max_entries=8, show_spinner="Reading the run…")
def _assembled(id: str, lines: int) -> Run:  # noqa: ARG001  # their number is part of the key
    return assembled(services.store().run_lines(id))


@st.fragment(run_every=_LOOK_S)
def _progress(id: str, lines: int, run: Run) -> None:
    now = services.conductor().progress(id)
    if now and now.running:
        _bar(id, now.done, now.total, now.rate, now.seconds_left)
        return
    stored = next(row.lines for row in services.store().runs() if row.id == id)
    if stored != lines:
        st.rerun()
    if now and now.trouble:
        st.error(plain(now.trouble), icon=":material/error:")
    if run.done < run.total:
        _offer_to_go_on(id, run)


def _bar(id: str, done: int, total: int, rate: float, left: float | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        ahead = "" if left is None else f", about {left:.0f} s left"
        st.progress(done / max(1, total), f"{done} of {total} scores, {rate:.0f} a second{ahead}")
        st.button("Cancel", icon=":material/stop:", on_click=services.conductor().cancel, args=(id,))


def _offer_to_go_on(id: str, run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{run.done} of {run.total} scores are here.")
        st.button("Go on", icon=":material/play_arrow:", on_click=start, args=(id, run))


def _open() -> None:
    open_run(st.session_state["stress-run"] or _NEW)
