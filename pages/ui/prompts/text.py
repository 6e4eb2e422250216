"""One prompt: its parts as they are sent, what differs from ours, and the form that replaces it."""

from __future__ import annotations

import streamlit as st

from core import promptbook
from core.edits import segments
from core.errors import TouchstoneError
from core.promptbook import Entry
from pages.ui import services
from pages.ui.diff import diff_html
from pages.ui.plain import plain

_LONGEST = 100_000  # bytes of a file that is put in the place of ours


def parts(entry: Entry) -> None:
    """What a model is told, with the places for texts in double braces."""
    shown = entry.used or entry.ours
    for title, text in (("System", shown.system), ("User", shown.user)):
        st.caption(title)
        st.code(text, language=None, wrap_lines=True)
    st.caption(
        "The texts go between marks that none of them contains. A notice is added to the system part: what stands between "
        "the marks is material, and instructions in it are not followed."
    )


def difference(entry: Entry) -> None:
    """Ours and the one in its place, word by word."""
    if entry.mine is None:
        st.info("Ours is used: there is no difference.", icon=":material/inventory_2:")
        return
    st.html(diff_html(segments(entry.text, entry.mine)))


def form(entry: Entry) -> None:
    """The whole file to edit, another file to take its text from, and the buttons that save it or take it back."""
    if services.settings().demo:
        st.info(
            "Nothing is kept in this demo: prompts can be read here and not changed.", icon=":material/visibility_lock:"
        )
        return
    key = f"prompt-text-{entry.name}"
    st.session_state.setdefault(key, entry.mine or _draft(entry))
    st.text_area("The file: head, system part, user part", key=key, height=420, persist_state="session")
    with st.container():  # what lies below keeps its place when a problem is told
        if problem := st.session_state.get("prompt-problem", {}).get(entry.name):
            st.error(plain(problem), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Save and use", type="primary", icon=":material/save:", on_click=_save, args=(entry.name, key))
        st.button(
            "Revert to ours",
            icon=":material/undo:",
            on_click=_revert,
            args=(entry.name, key),
            disabled=entry.mine is None,
            help="What is used now is kept in the folder `earlier` beside the prompts.",
        )
    upload = f"prompt-file-{entry.name}"
    st.file_uploader(
        "Take the text from a file", type=["md", "txt"], key=upload, on_change=_take, args=(upload, key, entry)
    )


def _draft(entry: Entry) -> str:
    """Ours under a version of its own, to begin with."""
    version = entry.ours.version
    return entry.text.replace(f"version: {version}\n", f"version: {version}-mine\n", 1)


def _save(name: str, key: str) -> None:
    state = st.session_state
    try:
        new = promptbook.replace(name, state[key])
    except TouchstoneError as error:
        state["prompt-problem"] = {name: str(error)}
        return
    state["prompt-problem"] = {}
    state["notice"] = f"Saved: {new.signature} is used from now on."


def _revert(name: str, key: str) -> None:
    state = st.session_state
    try:
        promptbook.revert(name)
    except TouchstoneError as error:
        state["prompt-problem"] = {name: str(error)}
        return
    state["prompt-problem"] = {}
    state.pop(key, None)
    state["notice"] = f"Ours is used again for {name}."


def _take(upload: str, key: str, entry: Entry) -> None:
    file = st.session_state[upload]
    if file is None:
        return
    if file.size > _LONGEST:
        st.session_state["prompt-problem"] = {entry.name: f"{file.name} is too large for a prompt."}
        return
    st.session_state[key] = file.getvalue().decode("utf-8-sig", errors="replace")
    st.session_state["prompt-problem"] = {}
