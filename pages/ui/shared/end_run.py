"""The end of a run of a page before the end of its script."""

from __future__ import annotations

from typing import NoReturn

from streamlit.runtime.scriptrunner import StopException


def end_run() -> NoReturn:
    """End the run where there is no more to draw; what was asked of a dialog or another fragment meanwhile is answered next.

    `st.stop` would drop it, as its request takes the place of the one that waits: a file that was given, or a press.
    """
    raise StopException
