"""What has to work before any page: the settings, the database and the device."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from pages.ui import services
from pages.ui.plain import plain


def gate() -> None:
    """Say in a sentence what keeps Touchstone from working, and stop there."""
    try:
        services.settings()
        services.store()
        services.engine()
    except TouchstoneError as error:
        st.error(f"Touchstone cannot start. {plain(str(error))}", icon=":material/error:")
        st.caption("Reload this page when it is mended; a changed setting needs a restart.")
        st.stop()
