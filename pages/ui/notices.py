"""One line under the toolbar: the receipt of a save, a draft that came back, or what went wrong."""

from __future__ import annotations

import streamlit as st

from pages.ui import services
from pages.ui.links import link
from pages.ui.plain import plain


def notices() -> None:
    """Say once what there is to say; the next thing that a person does takes it away."""
    state = st.session_state
    state["said"] = {name: state.pop(name) for name in ("receipt", "notice") if name in state}
    kind, text = state["said"].get("receipt", ("", ""))
    if kind == "error":
        st.error(plain(text), icon=":material/error:")
    if kind in ("kept", "known"):
        said = "Kept" if kind == "kept" else "This pair was kept before"
        st.success(
            f"{said} as `{text}`. Its link: `{st.context.url or ''}{link(text, '', ())}`", icon=":material/bookmark:"
        )
    if kind == "label":
        st.success(f"Saved: label of `{text}`.", icon=":material/check:")
    if notice := state["said"].get("notice"):
        st.info(plain(notice), icon=":material/info:")
    if services.settings().demo:
        st.caption("Demo: edits and scores work, nothing is kept.")


def say_again() -> None:
    """Say the same in a run that follows at once without anybody having done anything."""
    st.session_state.update(st.session_state["said"])
