"""A trained metric, a dataset or the labels of a campaign sent to the hub, on an explicit press."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import streamlit as st

from core.base.background import BackgroundTask
from pages.server import services
from pages.ui.shared.background_results import polled, redraw
from pages.ui.shared.markup import escape_markdown, escape_message

_LOOK_S = 1.0


class Push(Protocol):
    """Sends something to a repository, in the background; its address. Raises TouchstoneError with what to do."""

    def __call__(self, repository: str, *, public: bool, existing: bool) -> str: ...


@st.cache_resource(show_spinner=False)
def pushes() -> dict[str, BackgroundTask[str]]:
    """The last push of each thing in this process, by its key; its result is the address."""
    return {}


def push_form(key: str, sent: str, push: Push, missing: str = "") -> None:
    """Show what is sent, the name of the repository and the button; above it the result of the last press.

    `missing` is what has to be stated before, and keeps the button from being pressed.
    """
    task = pushes().get(key)
    st.caption(f"Sends {sent}, with the token in HF_TOKEN of the server that runs this page.")
    repository = st.text_input("Repository", "", placeholder="OWNER/NAME", key=f"push-name-{key}")
    with st.container(horizontal=True):
        public = st.checkbox("Public", False, key=f"push-public-{key}")
        existing = st.checkbox("New version of a repository that exists", False, key=f"push-existing-{key}")
    place = st.container()  # above the button, so that it is seen in a popover that scrolls
    if st.button(
        "Push",
        type="primary",
        key=f"push-{key}",
        disabled=(
            services.settings().demo or bool(missing) or not repository.strip() or (task is not None and task.running)
        ),
    ):
        task = pushes()[key] = BackgroundTask.call(partial(push, repository.strip(), public=public, existing=existing))
    with place:
        if missing:
            st.info(escape_markdown(missing), icon=":material/info:")
        elif task and task.running:
            _follow_push(task)
        elif task and task.error:
            st.error(escape_message(task.error), icon=":material/error:")
        elif task:
            st.success(escape_markdown(f"Pushed to {task.results[0]}"), icon=":material/check:")


@polled(_LOOK_S)
def _follow_push(task: BackgroundTask[str]) -> None:
    st.caption("Pushing…")
    if not task.running:
        redraw()
