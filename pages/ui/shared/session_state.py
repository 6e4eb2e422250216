"""State of a session: one typed object per page, and the values of widgets that are read outside their own call.

1. A page has a dataclass with a field, a type and a default for all that outlives a run, and an accessor beside it:
   `def annotate_state() -> AnnotateState: return page_state(AnnotateState)`. The object lives under one key, the name of
   the class, and is made when the session first asks for it. `pages/ui/annotate/current_task.py` is the shortest example.
2. Call the accessor in each function and do not hold its result across a loop that waits: Streamlit ends an outdated run
   where session state is read.
3. The value of a widget lives in session state under the key of the widget and nowhere else. One that is read or set away
   from the call that draws it is declared in the same class, without an annotation, so that it is no field of the dataclass:
   `verdict = WidgetValue[Verdict | None]("verdict", None)`. Draw it with `key=ProbeState.verdict.key`; then
   `probe_state().verdict` reads it, or gives the default where Streamlit has dropped it because a run did not draw it, and
   `probe_state().verdict = None` sets it: in a callback, or before the widget is drawn, else Streamlit refuses. The first
   value is given to the widget, as `value=`, `index=` or `default=`: one that is set is lost where the run that draws it is
   overtaken, and the browser then shows and sends an empty one.
4. A widget for each of many things has one declaration: `ExplainState.grade.of(finding_id).get()`, and `.set(…)`.
5. A component that may be mounted more than once has a state per key: `page_state(EditorState, key)`.
6. Tests reach the object with `state_of(app, ProbeState)` of `tests/unit/pages/views/states.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Self, TypeVar, overload

import streamlit as st

S = TypeVar("S")
T = TypeVar("T")


def page_state(kind: type[S], name: str = "") -> S:
    """The state object of this class and name; one of a class that was reloaded since is replaced."""
    key = state_key(kind, name)
    state = st.session_state.get(key)
    if not isinstance(state, kind):
        state = st.session_state[key] = kind()
    return state


def state_key(kind: type[object], name: str = "") -> str:
    """Key under which session state holds the object of a class; `name` distinguishes several of one class."""
    return f"{kind.__name__}.{name}" if name else kind.__name__


def component_message(key: str) -> Mapping[str, object]:
    """Message that the browser last sent from the component of that key; empty before it is mounted and elsewhere."""
    message: Mapping[str, object] = st.session_state.get(key, {})
    return message


class WidgetValue(Generic[T]):
    """The value of a widget, declared in the class of a page's state and read there like a field."""

    def __init__(self, key: str, default: T) -> None:
        self.key = key
        self.default = default

    @overload
    def __get__(self, state: None, kind: type[object]) -> Self: ...

    @overload
    def __get__(self, state: object, kind: type[object]) -> T: ...

    def __get__(self, state: object | None, kind: type[object]) -> Self | T:
        return self if state is None else self.get()

    def __set__(self, state: object, value: T) -> None:
        self.set(value)

    def get(self) -> T:
        value: T = st.session_state.get(self.key, self.default)
        return value

    def set(self, value: T) -> None:
        st.session_state[self.key] = value

    def follow(self, value: T) -> None:
        """Set the value where it is another: an equal one that is sent again undoes a choice made in the browser meanwhile.

        The widget has to be given the value as its default, for a browser that never heard of it.
        """
        if self.key not in st.session_state or self.get() != value:
            self.set(value)

    def of(self, part: object) -> WidgetValue[T]:
        """The value of the same widget for one of many things."""
        return WidgetValue(f"{self.key}-{part}", self.default)


def follow_choices(widget: WidgetValue[list[str]], choices: list[str]) -> None:
    """As `follow`, for choices whose order says nothing: a browser sends them in the order in which they were pressed."""
    if set(widget.get()) != set(choices):
        widget.follow(choices)
