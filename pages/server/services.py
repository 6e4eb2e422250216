"""Services that every session of the process shares: settings, engine and store."""

from __future__ import annotations

import gc
import os
from functools import partial
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotations.store.migration import migrate
from annotations.store.store import InMemoryRuns, Store
from annotations.store.unclosed_files import check_unclosed_file
from core.assessment import default_metrics
from core.base import BackgroundTask, limit_folders
from core.results import BackgroundRuns
from core.scoring import METRICS, Engine, read_code
from core.settings import Settings
from core.types import Example
from pages.server import startup
from pages.server.jobs import Jobs
from pages.server.person_jobs import PersonJobs

_PAYER = "payer"
_PATIENCE_S = 3.0  # a person waits at the screen for another program that writes; what they did is kept and sent again


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    return Settings.read()


def engine() -> Engine:
    """The engine, whose endpoints are paid by the person of this session on a shared server: work in the background takes it along."""
    context = get_script_run_ctx(suppress_warning=True)
    return shared_engine().charged_to(st.session_state.get(_PAYER, "") if context else "")


def engine_of(person: str) -> Engine:
    """The engine for work in the background that a person began, in a session or before the server was started again."""
    return shared_engine().charged_to(person if settings().shared else "")


def charge(person: str) -> None:
    """Have the questions of this session to endpoints counted as those of a person."""
    st.session_state[_PAYER] = person


@st.cache_resource(show_spinner="Starting the engine…")
def shared_engine() -> Engine:
    # torch's threads wait by spinning: one core is left to the pages, or typing would stutter while a model runs
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
    limit_folders(settings().guest_folders)
    started = Engine.open(settings())
    BackgroundTask.call(partial(_warm_up, started))
    return started


@st.cache_resource(show_spinner=False, on_release=Store.close)
def store() -> Store:
    check_unclosed_file(settings().database_url)
    if not settings().demo:
        migrate(settings().database_url)
    return Store.open(
        settings().database_url,
        read_only=settings().demo,
        patience_s=_PATIENCE_S,
        read_code=partial(read_code, settings().cache_dir),
    )


@st.cache_resource(show_spinner=False)
def demo_runs() -> InMemoryRuns:
    """Stress runs of a demo, which stay until the server stops."""
    return InMemoryRuns()


@st.cache_resource(show_spinner=False)
def stress_runner() -> BackgroundRuns:
    """Carries stress runs on, for all sessions."""
    return BackgroundRuns()


@st.cache_resource(show_spinner=False)
def person_jobs() -> PersonJobs:
    """Work in the background of every person of a shared server."""
    return PersonJobs(settings().person_jobs if settings().shared else None)


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The list of work in the background, of all people."""
    return Jobs(store, person_jobs())


@st.cache_resource(scope="session", on_release=lambda owner: shared_engine().release(owner), show_spinner=False)
def session_owner(part: str = "") -> str:  # noqa: ARG001  # each part has a name of its own
    """This session's name towards the engine, or that of a part of its page; its work is dropped when the tab closes."""
    return uuid4().hex


def _warm_up(started: Engine) -> None:
    """Import the other pages and torch, and load what ships with the packages, before the first person needs it."""
    startup.load_other_pages()
    packaged = [METRICS.parse(line.name) for line in default_metrics(started.pool) if line.checkpoints]
    for _ in started.run(packaged, [Example("warm-up", "The bench is being warmed up.", "The bench is warm.")]):
        pass
    # A collection walks every object of the imports and stops all sessions meanwhile; these stay for good.
    gc.collect()
    gc.freeze()
