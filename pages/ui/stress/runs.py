"""Stress runs: begin one, choose one, load it, follow it while it goes on."""

from __future__ import annotations

from functools import partial

import streamlit as st

from annotations.records import RunRow
from annotations.shelf import Shelf
from annotations.store import Store
from core.stress.records import Opinion, Run, as_line
from core.stress.runfile import assembled, lines_of
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.stress.progress import progress_bar

_NEW = ""
_LOOK_S = 1.0
_ANEW = 0.1  # of all scores have come since the page was drawn: few enough drawings, and figures that are not old


def listed() -> dict[str, RunRow]:
    """The runs to choose from, by id: those of the database and, in a demo, one's own and the one that the address names."""
    own = [row for row in services.shelf().runs() if row.owner == services.owner() or row.id == _named()]
    return {row.id: row for row in [*own, *services.store().runs()]}


def chosen_run() -> RunRow | None:
    """The run that the address names; None where a new one is to be set up."""
    return listed().get(_named())


def run_bar(chosen: RunRow | None) -> None:
    """The stored runs, and the way to a new one."""
    rows = listed()
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
        if services.settings().demo:
            st.badge(
                "demo: runs stay until the server stops, and are not kept",
                icon=":material/visibility_lock:",
                color="orange",
            )


def open_run(id: str) -> None:
    """Let the address name a run, so that a reload finds it; an empty id sets a new one up."""
    st.query_params.from_dict({"run": id} if id else {})


def load(row: RunRow) -> Run:
    """The run with everything that is stored of it now."""
    return _assembled(row.id, row.lines)


def begin(run: Run) -> None:
    """Keep a new run with what it holds, carry it on and open it. Raises RecordError for a name that is empty or taken."""
    demo = services.settings().demo
    home = services.shelf() if demo else services.store()
    by = services.owner() if demo else st.session_state.get("annotator", services.settings().user)
    id = home.begin_run(run.plan.name, by, as_line(run.plan))
    home.append_run(id, list(lines_of(run))[1:])
    start(id)
    open_run(id)


def start(id: str) -> None:
    """Carry a run on in the background; what comes is added to it."""
    home = _home(id)
    # a run of its own: the one that pages read must not grow while they read it
    services.conductor().start(id, assembled(home.run_lines(id)), partial(home.append_run, id))


def say(id: str, opinion: Opinion) -> None:
    """Add what a person says of a variant. Raises StoreError where it cannot be kept."""
    _home(id).append_run(id, [as_line(opinion)])


def can_be_added_to(id: str) -> bool:
    """Whether people may say something of a run: not of one that a demo shows out of its database."""
    return not services.settings().demo or id in services.shelf()


def follow(row: RunRow, run: Run) -> None:
    """How far the run is, with the buttons to stop it, to go on, and to try again what failed; draws anew what has come."""
    now = services.conductor().progress(row.id)
    if run.done < run.total or (now and now.running):
        _progress(row.id, row.lines, run)
    else:
        _complete(row.id, run)


@st.cache_resource(max_entries=8, show_spinner="Reading the run…")
def _assembled(id: str, lines: int) -> Run:  # noqa: ARG001  # their number is part of the key
    return assembled(_home(id).run_lines(id))


def _home(id: str) -> Shelf | Store:
    """Where a run is."""
    shelf = services.shelf()
    return shelf if id in shelf else services.store()


def _named() -> str:
    return st.query_params.get("run", _NEW)


@st.fragment(run_every=_LOOK_S)
def _progress(id: str, lines: int, run: Run) -> None:
    now = services.conductor().progress(id)
    if now and now.running:
        if now.done - run.done > (now.total * _ANEW if run.done else 0):
            st.rerun()
        progress_bar(now, services.conductor().cancel, id)
        return
    row = listed().get(id)
    if row is None or row.lines != lines:
        st.rerun()
    if now and now.trouble:
        st.error(plain(now.trouble), icon=":material/error:")
    if run.done < run.total:
        _offer_to_go_on(id, run)


def _complete(id: str, run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        made = sum(variant.summary is not None for variant in run.variants.values())
        st.caption(
            f"Complete: {len(run.sources)} pair{'' if len(run.sources) == 1 else 's'}, {made} variants, {run.total} scores{_and_checks(run)}; seed {run.plan.seed}."
        )
        if run.failed:
            again = f"Try again what failed ({run.failed})"
            st.button(again, icon=":material/refresh:", on_click=start, args=(id,), disabled=not can_be_added_to(id))


def _and_checks(run: Run) -> str:
    return " and checks" if run.plan.guard else ""


def _offer_to_go_on(id: str, run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{run.done} of {run.total} scores{_and_checks(run)} are here.")
        st.button("Go on", icon=":material/play_arrow:", on_click=start, args=(id,), disabled=not can_be_added_to(id))


def _open() -> None:
    open_run(st.session_state["stress-run"] or _NEW)
