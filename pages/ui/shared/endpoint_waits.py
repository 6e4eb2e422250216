"""Endpoints that are waited for, in words beside the work that waits."""

from __future__ import annotations

import streamlit as st

from core.models import waiting_endpoints
from pages.ui.shared.markup import escape_markdown


def endpoint_waits() -> bool:
    """The endpoints that this process waits for: for what, and until when; False, and nothing, where none is waited for."""
    sentences = waiting_endpoints()
    for sentence in sentences:
        st.caption(f":material/hourglass_top: Waiting for the endpoint {escape_markdown(sentence)}.")
    return bool(sentences)
