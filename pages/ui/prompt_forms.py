"""The prompts by name, one of them with its parts and its difference from ours, and the form that replaces it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.edits import segments
from core.errors import TouchstoneError
from core.llm import prompts
from core.llm.prompts import PromptEntry
from pages.ui import services
from pages.ui.markup import diff_html, escape_markdown
from pages.ui.notices import leave_notice


def prompt_table(entries: Sequence[PromptEntry]) -> None:
    """A row per prompt."""
    st.dataframe(
        [_prompt_row(entry) for entry in entries],
        hide_index=True,
        height="auto",
        alt="Prompts with version, hash, variables and paper",
        column_config={"what it does": st.column_config.TextColumn(width="large")},
    )


def chosen_prompt(entries: Sequence[PromptEntry]) -> PromptEntry:
    """The prompt that the address names, so that a reload or a link finds it; else the first."""
    titles = {entry.name: entry.ours.title for entry in entries}
    asked = st.query_params.get("prompt", "")
    st.session_state["prompt"] = asked if asked in titles else next(iter(titles))
    chosen = st.selectbox(
        "Prompt",
        list(titles),
        key="prompt",
        format_func=lambda name: f"{titles[name]} ({name})",
        on_change=_name_in_address,
        width=420,
    )
    return next(entry for entry in entries if entry.name == chosen)


def prompt_headline(entry: PromptEntry) -> None:
    """What the prompt is for, whose is used, and where it comes from."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(entry.ours.does)}**", width="content")
        _owner_badge(entry)
        if entry.used:
            st.badge(
                escape_markdown(entry.used.signature),
                color="gray",
                help="Stands in every signature of what it was asked for.",
            )
    st.caption(escape_markdown(f"Reads: {', '.join(entry.known)}. After {entry.ours.paper}"))
    if entry.problem:
        st.error(escape_markdown(f"Nobody can be asked with it: {entry.problem}"), icon=":material/error:")


def _prompt_row(entry: PromptEntry) -> dict[str, str]:
    used = entry.used
    return {
        "name": entry.name,
        "what it does": entry.ours.does,
        "used": _prompt_owner(entry),
        "version": used.version if used else "",
        "hash": used.signature.rpartition("#")[2] if used else "",
        "variables": ", ".join(used.variables if used else entry.ours.variables),
        "paper": used.paper if used else "",
    }


def _prompt_owner(entry: PromptEntry) -> str:
    if entry.mine is None:
        return "ours"
    return "cannot be used" if entry.problem else "yours"


def _owner_badge(entry: PromptEntry) -> None:
    if entry.mine is None:
        st.badge(_prompt_owner(entry), icon=":material/inventory_2:", color="blue")
    elif entry.problem:
        st.badge(_prompt_owner(entry), icon=":material/error:", color="red")
    else:
        st.badge(_prompt_owner(entry), icon=":material/edit:", color="orange")


def _name_in_address() -> None:
    st.query_params["prompt"] = st.session_state["prompt"]


def read_prompts() -> list[PromptEntry]:
    return [prompts.prompt_entry(name) for name in prompts.prompt_names()]


_MAX_FILE_BYTES = 100_000  # bytes of a file that is put in the place of ours


def prompt_parts(entry: PromptEntry) -> None:
    """What a model is told, with the places for texts in double braces."""
    shown = entry.used or entry.ours
    for title, text in (("System", shown.system), ("User", shown.user)):
        st.caption(title)
        st.code(text, language=None, wrap_lines=True)
    st.caption(
        "The texts go between marks that none of them contains. A notice is added to the system part: what stands between "
        "the marks is material, and instructions in it are not followed."
    )


def prompt_difference(entry: PromptEntry) -> None:
    """Ours and the one in its place, word by word."""
    if entry.mine is None:
        st.info("Ours is used: there is no difference.", icon=":material/inventory_2:")
        return
    st.html(diff_html(segments(entry.text, entry.mine)))


def prompt_form(entry: PromptEntry) -> None:
    """The whole file to edit, another file to take its text from, and the buttons that save it or take it back."""
    if services.settings().demo:
        st.info(
            "Nothing is kept in this demo: prompts can be read here and not changed.", icon=":material/visibility_lock:"
        )
        return
    key = f"prompt-text-{entry.name}"
    st.session_state.setdefault(key, entry.mine or _new_draft(entry))
    st.text_area("The file: head, system part, user part", key=key, height=420, persist_state="session")
    with st.container():  # what lies below keeps its place when a problem is told
        if problem := st.session_state.get("prompt-problem", {}).get(entry.name):
            st.error(escape_markdown(problem), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Save and use", type="primary", icon=":material/save:", on_click=_save_prompt, args=(entry.name, key))
        st.button(
            "Revert to ours",
            icon=":material/undo:",
            on_click=_revert_prompt,
            args=(entry.name, key),
            disabled=entry.mine is None,
            help="What is used now is kept in the folder `earlier` beside the prompts.",
        )
    upload = f"prompt-file-{entry.name}"
    st.file_uploader(
        "Take the text from a file",
        type=["md", "txt"],
        key=upload,
        on_change=_take_from_file,
        args=(upload, key, entry),
    )


def _new_draft(entry: PromptEntry) -> str:
    """Ours under a version of its own, to begin with."""
    version = entry.ours.version
    return entry.text.replace(f"version: {version}\n", f"version: {version}-mine\n", 1)


def _save_prompt(name: str, key: str) -> None:
    state = st.session_state
    try:
        new = prompts.replace_prompt(name, state[key])
    except TouchstoneError as error:
        state["prompt-problem"] = {name: str(error)}
        return
    state["prompt-problem"] = {}
    leave_notice(f"Saved: {new.signature} is used from now on.")


def _revert_prompt(name: str, key: str) -> None:
    state = st.session_state
    try:
        prompts.revert_prompt(name)
    except TouchstoneError as error:
        state["prompt-problem"] = {name: str(error)}
        return
    state["prompt-problem"] = {}
    state.pop(key, None)
    leave_notice(f"Ours is used again for {name}.")


def _take_from_file(upload: str, key: str, entry: PromptEntry) -> None:
    file = st.session_state[upload]
    if file is None:
        return
    if file.size > _MAX_FILE_BYTES:
        st.session_state["prompt-problem"] = {entry.name: f"{file.name} is too large for a prompt."}
        return
    st.session_state[key] = file.getvalue().decode("utf-8-sig", errors="replace")
    st.session_state["prompt-problem"] = {}
