"""What has to be said once: the receipt of a save, a draft that came back, or what went wrong.

Toasts lie over the page: a line between the controls would move them, and a click on its way to one would be lost.
"""

from __future__ import annotations

import streamlit as st

from pages.ui.plain import plain
from pages.ui.probe.links import link


def notices() -> None:
    """Show what callbacks left in the session state; it is forgotten only after it was shown."""
    state = st.session_state
    state["said"] = {name: state[name] for name in ("receipt", "notice") if name in state}
    kind, text = state.get("receipt", ("", ""))
    if kind == "error":
        st.toast(plain(text), icon=":material/error:", duration="infinite")
    if kind in ("kept", "known"):
        said = "Kept" if kind == "kept" else "This pair was kept before"
        address = f"{st.context.url or ''}{link(text, '', ())}"
        st.toast(f"{said} as `{text}`. Its link: `{address}`", icon=":material/bookmark:", duration="long")
    if kind == "label":
        st.toast(f"Saved: label of `{text}`.", icon=":material/check:")
    if state.get("notice"):
        st.toast(plain(state["notice"]), icon=":material/info:")
    state["receipt"], state["notice"] = ("", ""), ""


def say_again() -> None:
    """Show the same in the next run: a run that follows at once would take the toasts of this one away."""
    st.session_state.update(st.session_state["said"])
