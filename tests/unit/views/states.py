"""What tests of pages read and set of a session's state."""

from __future__ import annotations

from typing import TypeVar

from streamlit.testing.v1 import AppTest

from pages.ui.shared.session_state import state_key

S = TypeVar("S")


def state_of(app: AppTest, kind: type[S], name: str = "") -> S:
    """The state of a page, or of a component of that name, in the session of an app, made where the page has not run yet."""
    key = state_key(kind, name)
    if key not in app.session_state:
        app.session_state[key] = kind()
    found: S = app.session_state[key]
    return found
