"""How far work in the background is, in a line with the button to stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.stress.conductor import Progress


def progress_bar(now: Progress, cancel: Callable[..., Any], *args: object) -> None:
    """Scores done of all, how many a second, and about how long it will take."""
    with st.container(horizontal=True, vertical_alignment="center"):
        ahead = "" if now.seconds_left is None else f", about {now.seconds_left:.0f} s left"
        text = f"{now.done} of {now.total} scores, {now.rate:.0f} a second{ahead}"
        st.progress(min(1.0, now.done / max(1, now.total)), text)
        st.button("Cancel", icon=":material/stop:", on_click=cancel, args=args, key=f"cancel-{args}")
