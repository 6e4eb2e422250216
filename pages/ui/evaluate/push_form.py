"""A trained metric sent to the hub, on an explicit press."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from core.background import BackgroundTask
from pages.ui import services
from pages.ui.markup import escape_markdown


@st.cache_resource(show_spinner=False)
def _pushes() -> dict[Path, BackgroundTask[str]]:
    """The last push of each folder in this process; its result is the address."""
    return {}


def push_form(name: str, folder: Path) -> None:
    """The name of the repository and the button; below it what came of the last press."""
    task = _pushes().get(folder)
    with st.popover("Push to the hub", icon=":material/cloud_upload:"):
        st.caption(
            "Sends weights, tokenizer, card, figures and the hashes of the documents, no text of the training, with the token "
            "in HF_TOKEN of the server that runs this page."
        )
        repository = st.text_input("Repository", "", placeholder="OWNER/NAME", key=f"train-push-name-{name}")
        public = st.checkbox("Public", False, key=f"train-push-public-{name}")
        existing = st.checkbox("New version of a repository that exists", False, key=f"train-push-existing-{name}")
        if st.button(
            "Push",
            type="primary",
            key=f"train-push-{name}",
            disabled=services.settings().demo or not repository.strip() or (task is not None and task.running),
        ):
            task = _pushes()[folder] = BackgroundTask.call(
                partial(_push, folder, repository.strip(), public=public, existing=existing)
            )
        if task:
            _show_push(task)


def _push(folder: Path, repository: str, *, public: bool, existing: bool) -> str:
    # the hub's library takes a second to import
    from core.models.upload import push

    return push(folder, repository, public=public, existing=existing)


def _show_push(task: BackgroundTask[str]) -> None:
    if task.running:
        st.caption("Pushing…")
    elif task.error:
        st.error(escape_markdown(task.error), icon=":material/error:")
    else:
        st.success(escape_markdown(f"Pushed to {task.results[0]}"), icon=":material/check:")
