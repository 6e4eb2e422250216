"""What has to work before any page: the settings, the database and the device; and who is there."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.people import Member
from core.errors import TouchstoneError
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.seats import seat


def gate() -> Member:
    """The person of this session; or a sentence that says what keeps Touchstone from working, or the sign-in.

    On a shared server all that is kept bears the name of who signed in.
    """
    try:
        services.settings()
        services.store()
        services.engine()
    except TouchstoneError as error:
        st.error(f"Touchstone cannot start. {plain(str(error))}", icon=":material/error:")
        st.caption("Reload this page when it is mended; a changed setting needs a restart.")
        st.stop()
    person = seat()
    if services.settings().shared:
        st.session_state["annotator"] = person.name
    return person
