"""The work in the background of a person on Home: how far it is, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from pages.server import services
from pages.server.job_list import state_line
from pages.server.jobs import BackgroundJob, job_actions
from pages.ui.jobs_bar import act_on_job
from pages.ui.shared.background_results import polled
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.session_user import job_person

_LOOK_S = 2.0
_ICONS = {"pause": "pause", "cancel": "stop", "continue": "play_arrow", "start again": "replay", "dismiss": "close"}


def job_places() -> None:
    """A row for each job that has not ended well, with its share and its buttons; nothing where there is none."""
    jobs = _open_jobs()
    if any(job.state == "running" for job in jobs):
        _followed()
        return
    for job in jobs:
        _row(job)


def _open_jobs() -> list[BackgroundJob]:
    jobs = services.jobs().rows(job_person())
    return [job for job in jobs if job.state not in ("done", "stopped") and job.kind != "figures"]


@polled(_LOOK_S)
def _followed() -> None:
    jobs = _open_jobs()
    if not any(job.state == "running" for job in jobs):
        st.rerun()
    for job in jobs:
        _row(job)


def _press(job: BackgroundJob, action: str) -> None:
    act_on_job(job, action)


def _row(job: BackgroundJob) -> None:
    says = ", ".join(filter(None, [state_line(job), job.line]))
    with st.container(key=f"home-job-{job.id}", gap="small"):
        st.page_link(
            f"views/{job.view}.py",
            label=f"{escape_label(job.title)} :gray[{job.kind}]",
            icon=":material/hourglass_top:" if job.state == "running" else ":material/pause_circle:",
            query_params=dict(job.query) or None,
        )
        if job.state == "running" and job.total > 1:
            st.progress(min(1.0, job.done / job.total), escape_markdown(says))
        else:
            st.caption(escape_markdown(says))
        if job.error:
            st.caption(escape_message(job.error))
        with st.container(horizontal=True):
            for action in job_actions(job):
                if action != "open":
                    st.button(
                        action.capitalize(),
                        key=f"home-{action}-{job.id}",
                        icon=f":material/{_ICONS[action]}:",
                        on_click=_press,
                        args=(job, action),
                    )
