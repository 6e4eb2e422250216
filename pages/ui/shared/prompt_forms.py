"""The prompts by name, one of them with its parts and its difference from ours, and the form that replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.people.people import Right
from core.errors import TouchstoneError
from core.models import PromptEntry
from core.models.llm import prompt_replacements
from core.text import segments
from pages.server import services
from pages.ui.shared.markup import diff_html, escape_label, escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member


@dataclass(eq=False)
class PromptsState:
    """State of the prompts on Metrics: by prompt, the error for which its file is not used."""

    errors: dict[str, str] = field(default_factory=dict)
    prompt = WidgetValue[str]("prompt", "")
    text = WidgetValue[str]("prompt-text", "")
    file = WidgetValue[UploadedFile | None]("prompt-file", None)


def prompts_state() -> PromptsState:
    return page_state(PromptsState)


def prompt_table(entries: Sequence[PromptEntry]) -> None:
    """A row per prompt."""
    rows = []
    for entry in entries:
        used = entry.active
        rows.append(
            {
                "name": entry.name,
                "what it does": entry.bundled.does,
                "used": _prompt_owner(entry),
                "version": used.version if used else "",
                "hash": used.signature.rpartition("#")[2] if used else "",
                "variables": ", ".join(used.variables if used else entry.bundled.variables),
                "paper": used.paper if used else "",
            }
        )
    st.dataframe(
        rows,
        hide_index=True,
        height="auto",
        alt="Prompts with version, hash, variables and paper",
        column_config={"what it does": st.column_config.TextColumn(width="large")},
    )


PROMPT_PARAMETER = "prompt"
"""The parameter of the address that names the prompt which is open."""


def prompts_opened() -> bool:
    """True if the address names a prompt."""
    return PROMPT_PARAMETER in st.query_params


def open_prompt(name: str) -> None:
    """Let the address name a prompt, so that a reload finds it; an empty name leads back."""
    st.query_params.from_dict({PROMPT_PARAMETER: name} if name else {})


def prompt_links(judge: str = "") -> None:
    """Buttons that open the prompts of a judge, or one for all; nothing for a metric that sends none."""
    if not judge:
        st.subheader("Prompts", anchor=False)
        st.caption("What language models are sent: as judges, and to propose, explain and check edits.")
        st.button(
            "Read and replace prompts", icon=":material/chat:", on_click=open_prompt, args=("all",), key="prompts"
        )
        return
    names = [name for name in prompt_replacements.prompt_names() if name == judge or name.startswith(f"{judge}-")]
    if not names:
        return
    st.markdown("**Prompts**")
    with st.container(horizontal=True, gap="xsmall"):
        for name in names:
            entry = prompt_replacements.prompt_entry(name)
            st.button(
                escape_label(entry.bundled.title),
                key=f"prompt-{name}",
                icon=":material/edit:" if entry.replacement else ":material/chat:",
                help="Read what is sent, and replace it by your own.",
                on_click=open_prompt,
                args=(name,),
            )


def prompts_view() -> None:
    """One prompt with its parts, its form and its difference from ours, and all of them below."""
    st.button(
        "All metrics",
        key="prompts-back",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=open_prompt,
        args=("",),
    )
    try:
        book = read_prompts()
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    entry = chosen_prompt(book)
    prompt_headline(entry)
    text, edit, compared = st.tabs(["What is sent", "Edit", "Difference"], key="prompt-tabs")
    with text:
        prompt_parts(entry)
    with edit:
        prompt_form(entry)
    with compared:
        prompt_difference(entry)
    st.subheader("All prompts")
    prompt_table(book)


def chosen_prompt(entries: Sequence[PromptEntry]) -> PromptEntry:
    """The prompt that the address names, so that a reload or a link finds it; else the first."""
    titles = {entry.name: entry.bundled.title for entry in entries}
    named = st.query_params.get(PROMPT_PARAMETER, "")
    prompts_state().prompt = named if named in titles else next(iter(titles))
    selected = st.selectbox(
        "Prompt",
        list(titles),
        key=PromptsState.prompt.key,
        format_func=titles.__getitem__,
        on_change=lambda: st.query_params.update(prompt=prompts_state().prompt),
        width=420,
    )
    return next(entry for entry in entries if entry.name == selected)


def prompt_headline(entry: PromptEntry) -> None:
    """Show what the prompt is for, whose is used, and where it comes from."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(entry.bundled.does)}**", width="content")
        if entry.replacement is None:
            st.badge(_prompt_owner(entry), icon=":material/inventory_2:", color="blue")
        elif entry.error:
            st.badge(_prompt_owner(entry), icon=":material/error:", color="red")
        else:
            st.badge(_prompt_owner(entry), icon=":material/edit:", color="orange")
        if entry.active:
            st.badge(
                escape_markdown(entry.active.signature),
                color="gray",
                help="Part of the signature of every answer that it was used for.",
            )
    st.caption(escape_markdown(f"Reads: {', '.join(entry.known)}. After {entry.bundled.paper}"))
    if entry.error:
        st.error(escape_message(f"It cannot be used: {entry.error}"), icon=":material/error:")


def _prompt_owner(entry: PromptEntry) -> str:
    if entry.replacement is None:
        return "ours"
    return "cannot be used" if entry.error else "yours"


def read_prompts() -> list[PromptEntry]:
    return [prompt_replacements.prompt_entry(name) for name in prompt_replacements.prompt_names()]


_MAX_FILE_BYTES = 100_000  # bytes of a file that is put in the place of ours


def prompt_parts(entry: PromptEntry) -> None:
    """Show the messages to a model, with the places for texts in double braces."""
    shown = entry.active or entry.bundled
    for title, text in (("System", shown.system), ("User", shown.user)):
        st.caption(title)
        st.code(text, language=None, wrap_lines=True)
    st.caption(
        "The texts go between marks that none of them contains. A notice is added to the system part: what is between "
        "the marks is material, and instructions in it are not followed."
    )


def prompt_difference(entry: PromptEntry) -> None:
    """Ours and the one in its place, word by word."""
    if entry.replacement is None:
        st.info("Ours is used: there is no difference.", icon=":material/inventory_2:")
        return
    st.html(diff_html(segments(entry.text, entry.replacement)))


def prompt_form(entry: PromptEntry) -> None:
    """The whole file to edit, another file to take its text from, and the buttons that save it or take it back."""
    if services.settings().demo:
        st.info(
            "Nothing is saved in this demo: prompts can be read here and not changed.",
            icon=":material/visibility_lock:",
        )
        return
    st.text_area(
        "The file: head, system part, user part",
        value=entry.replacement or _new_draft(entry),
        key=PromptsState.text.of(entry.name).key,
        height=420,
        persist_state="session",
    )
    with st.container():  # what lies below keeps its place when an error is shown
        if error := prompts_state().errors.get(entry.name):
            st.error(escape_message(error), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Save and use", type="primary", icon=":material/save:", on_click=_save_prompt, args=(entry.name,))
        st.button(
            "Revert to ours",
            icon=":material/undo:",
            on_click=_revert_prompt,
            args=(entry,),
            disabled=entry.replacement is None,
            help="What is used now is kept in the folder `earlier` next to the prompts.",
        )
    st.file_uploader(
        "Take the text from a file",
        type=["md", "txt"],
        key=PromptsState.file.of(entry.name).key,
        on_change=_take_from_file,
        args=(entry.name,),
    )


def _new_draft(entry: PromptEntry) -> str:
    """Ours under a version of its own, to begin with."""
    version = entry.bundled.version
    return entry.text.replace(f"version: {version}\n", f"version: {version}-mine\n", 1)


def _save_prompt(name: str) -> None:
    state = prompts_state()
    try:
        current_member().require(Right.EXPLORE)  # a press comes before the page is drawn
        new = prompt_replacements.replace_prompt(name, PromptsState.text.of(name).get())
    except TouchstoneError as error:
        state.errors = {name: str(error)}
        return
    state.errors = {}
    leave_notice(f"Saved: {new.signature} is used from now on.")


def _revert_prompt(entry: PromptEntry) -> None:
    state = prompts_state()
    try:
        current_member().require(Right.EXPLORE)
        prompt_replacements.revert_prompt(entry.name)
    except TouchstoneError as error:
        state.errors = {entry.name: str(error)}
        return
    state.errors = {}
    PromptsState.text.of(entry.name).set(_new_draft(entry))
    leave_notice(f"Ours is used again for {entry.name}.")


def _take_from_file(name: str) -> None:
    state, file = prompts_state(), PromptsState.file.of(name).get()
    if file is None:
        return
    if file.size > _MAX_FILE_BYTES:
        state.errors = {name: f"{file.name} is too large for a prompt."}
        return
    PromptsState.text.of(name).set(file.getvalue().decode("utf-8-sig", errors="replace"))
    state.errors = {}
