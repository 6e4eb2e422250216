"""The battery of an audit, a stress run or a training: one by its name, a file, or one with further kinds."""

from __future__ import annotations

import streamlit as st

from core.edits import STANDARD_BATTERY, Battery, battery_names, read_battery
from core.errors import TouchstoneError
from pages.ui.shared.markup import escape_markdown, escape_message


def battery_choice(key: str) -> Battery | None:
    """The battery that is chosen; None, with the reason on the page, where what was typed is none."""
    spec = st.selectbox(
        "Set of perturbations",
        battery_names(),
        battery_names().index(STANDARD_BATTERY),
        key=key,
        accept_new_options=True,
        width=300,
        help=escape_markdown(
            "The perturbations by which is measured. Type the path of a TOML file of your own, or add kinds of yours, as "
            f"{STANDARD_BATTERY}+number[most=2], and press Enter."
        ),
    )
    try:
        return read_battery(spec)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None


def battery_spec(key: str) -> str:
    """The name of the battery that is chosen there, as `read_battery` takes it."""
    return str(st.session_state.get(key, STANDARD_BATTERY))
