"""Message to a person where a page fails: a sentence and a way to go on, never a traceback."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError


def show_script_error(error: Exception) -> bool:
    """Show an error of ours, as of a database that went away, with a way to try again; False leaves it to Streamlit.

    Streamlit calls it for whatever a page or the callback of a press did not handle.
    """
    if not isinstance(error, TouchstoneError):
        return False
    from pages.ui.shared.markup import escape_message  # what it imports is loaded after the server has begun

    st.error(escape_message(str(error)), icon=":material/error:")
    st.button("Try again", key="try-again", type="primary")
    return True
