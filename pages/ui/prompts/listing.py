"""The prompts by name: whose is used, in which version, and what it reads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import promptbook
from core.promptbook import Entry
from pages.ui.plain import plain


def prompt_table(entries: Sequence[Entry]) -> None:
    """A row per prompt."""
    st.dataframe(
        [_row(entry) for entry in entries],
        hide_index=True,
        height="auto",
        alt="Prompts with version, hash, variables and paper",
        column_config={"what it does": st.column_config.TextColumn(width="large")},
    )


def chosen_prompt(entries: Sequence[Entry]) -> Entry:
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


def headline(entry: Entry) -> None:
    """What the prompt is for, whose is used, and where it comes from."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(entry.ours.does)}**", width="content")
        _badge(entry)
        if entry.used:
            st.badge(
                plain(entry.used.signature), color="gray", help="Stands in every signature of what it was asked for."
            )
    st.caption(plain(f"Reads: {', '.join(entry.known)}. After {entry.ours.paper}"))
    if entry.problem:
        st.error(plain(f"Nobody can be asked with it: {entry.problem}"), icon=":material/error:")


def _row(entry: Entry) -> dict[str, str]:
    used = entry.used
    return {
        "name": entry.name,
        "what it does": entry.ours.does,
        "used": _whose(entry),
        "version": used.version if used else "",
        "hash": used.signature.rpartition("#")[2] if used else "",
        "variables": ", ".join(used.variables if used else entry.ours.variables),
        "paper": used.paper if used else "",
    }


def _whose(entry: Entry) -> str:
    if entry.mine is None:
        return "ours"
    return "cannot be used" if entry.problem else "yours"


def _badge(entry: Entry) -> None:
    if entry.mine is None:
        st.badge(_whose(entry), icon=":material/inventory_2:", color="blue")
    elif entry.problem:
        st.badge(_whose(entry), icon=":material/error:", color="red")
    else:
        st.badge(_whose(entry), icon=":material/edit:", color="orange")


def _name_in_address() -> None:
    st.query_params["prompt"] = st.session_state["prompt"]


def read_book() -> list[Entry]:
    return [promptbook.entry(name) for name in promptbook.names()]
