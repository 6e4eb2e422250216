"""The path below which the server answers, as server.baseUrlPath sets it."""

from __future__ import annotations

import streamlit as st


def base_path() -> str:
    """Path where the server begins, with a slash at both ends."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"/{base}/" if base else "/"
