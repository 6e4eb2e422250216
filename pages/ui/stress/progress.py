"""How far work in the background is, in a line with the button to stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.stress.conductor import Progress


def progress_bar(now: Progress, cancel: Callable[..., Any], *args: object) -> None:
    """Scores done and left, how many a second, and about how long the rest will take."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, now.done / max(1, now.total)), str(now))
        st.button("Cancel", icon=":material/stop:", on_click=cancel, args=args, key=f"cancel-{args}")
