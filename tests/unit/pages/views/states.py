"""What tests of pages read and set of a session's state."""

from __future__ import annotations

from typing import TypeVar

from streamlit.testing.v1 import AppTest

from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from pages.ui.shared.session_state import WidgetValue, state_key

S = TypeVar("S")


def state_of(app: AppTest, kind: type[S], name: str = "") -> S:
    """The state of a page, or of a component of that name, in the session of an app, made where the page has not run yet."""
    key = state_key(kind, name)
    if key not in app.session_state:
        app.session_state[key] = kind()
    found: S = app.session_state[key]
    return found


def fill_record(app: AppTest, **values: object) -> None:
    """Give fields of the Record tab these values, about the summary that was opened last."""
    for name, value in values.items():
        app.session_state[_record_key(app, name)] = value


def record_values(app: AppTest, *names: str) -> list[object]:
    """The values of fields of the Record tab about the summary that was opened last."""
    return [app.session_state[_record_key(app, name)] for name in names]


def _record_key(app: AppTest, name: str) -> str:
    pair, editor = state_of(app, ProbeState).pair, state_of(app, EditorState, EDITOR_KEY)
    assert pair
    widget: WidgetValue[object] = getattr(ProbeState, name)
    return widget.of(hash((pair.document, pair.original, editor.doc_rev, editor.text != pair.original))).key
