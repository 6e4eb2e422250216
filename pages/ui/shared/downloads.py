"""Buttons that save a file."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st


def json_download(file: str, record: Callable[[], object]) -> None:
    """A button that saves what the terminal prints with `--json`."""
    st.download_button(
        "Download as JSON",
        lambda: json.dumps(record(), ensure_ascii=False, indent=1),
        file,
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
    )
