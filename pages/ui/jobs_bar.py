"""Jobs in the bar of every page: how far each is, the way to its page, pause, cancel and start again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType

import streamlit as st

from annotations.people.people import Member
from core.errors import TouchstoneError
from pages.server import services, startup
from pages.server.job_list import job_rows, jobs_path
from pages.server.jobs import BackgroundJob
from pages.ui.shared.markup import register_component
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.page_list import pages_of
from pages.ui.shared.session_user import job_person

_bar_component = register_component("jobs_bar")
_MODULES: Mapping[str, str] = MappingProxyType(
    {"training": "pages.ui.evaluate.train_tab", "import": "pages.ui.evaluate.import_form"}
)
"""By kind of job, the module that starts it again, where that is one of a page."""


@st.fragment
def jobs_bar(member: Member, pages: Mapping[str, list[st.Page]]) -> None:
    """Mount the bar, which reads the jobs by itself; a press in it comes here."""
    person = job_person()
    pressed = _bar_component(
        key="jobs-bar",
        data={"path": jobs_path(person), "jobs": job_rows(person)},
        on_press_change=lambda: None,
    ).press
    if not pressed:
        return
    job = next((job for job in services.jobs().rows(person) if job.id == pressed["id"]), None)
    titles = {page.name: page.title for page in pages_of(member)}
    if job and act_on_job(job, str(pressed["action"])) and (title := titles.get(job.view)):
        by_title = {page.title: page for group in pages.values() for page in group}
        st.switch_page(by_title[title], query_params=dict(job.query))


def act_on_job(job: BackgroundJob, action: str) -> bool:
    """Do what was pressed; True if the page of the job is to be opened then."""
    jobs = services.jobs()
    match action:
        case "pause":
            jobs.stop(job.id, "paused")
        case "cancel":
            jobs.stop(job.id)
        case "dismiss":
            jobs.dismiss(job.id)
        case "continue" | "start again":
            return start_again(job)
    return action == "open"


def start_again(job: BackgroundJob) -> bool:
    """Go on with a job that stopped, or begin it again, and open its page; False, with a notice, where that cannot be."""
    startup.load(startup.METRICS)
    # half of the program, which the first page does not wait for
    job_work = import_module("pages.server.job_work")
    if job.kind in _MODULES:
        import_module(_MODULES[job.kind])
    if not (starter := job_work.STARTERS.get(job.kind)):
        return True  # its page has what starts it
    try:
        starter(replace(job, state="running", error="", resumed=job.state in ("paused", "interrupted")))
    except TouchstoneError as error:
        leave_notice(str(error))
        return False
    return True
