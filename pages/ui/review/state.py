"""What the Review page remembers: which case of a list is open, and the id of the next press."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import streamlit as st

from annotations.campaigns.curating import Curating
from annotations.campaigns.settling import Settling
from core.types import T
from pages.ui import services
from pages.ui.seats import member

LEFT, DECIDED, WRITTEN = "to settle", "settled", "written"


def desk() -> Settling:
    return Settling(services.store(), member())


def curator() -> Curating:
    return Curating(services.store(), member())


def opened(name: str, there: Sequence[T]) -> tuple[int, T]:
    """The place and the member of a list that is open; the next one where that has left the list."""
    place, last = st.session_state.get(name, (0, None))
    if last in there:
        place = there.index(last)
    place = min(place, len(there) - 1)
    st.session_state[name] = (place, there[place])
    return place, there[place]


def steps(name: str, there: Sequence[object], place: int, told: str = "") -> None:
    """Which of how many is open, the way to its neighbours, and what is told of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{place + 1}** of {len(there)}")
        for title, key, by in (("Previous", "P", -1), ("Next", "N", 1)):
            st.button(
                title,
                key=f"{name}-{key}",
                shortcut=key,
                type="tertiary",
                disabled=not 0 <= place + by < len(there),
                on_click=_go,
                args=(name, there, place + by),
            )
        st.caption(told)


def press(name: str) -> str:
    """The id of the next press on something; the same until `pressed`, so that a press that is sent twice is known."""
    event: str = st.session_state.setdefault(f"press-{name}", uuid4().hex)
    return event


def pressed(name: str) -> None:
    del st.session_state[f"press-{name}"]


def move_on(name: str) -> None:
    """Open what follows in a list in which the open one changes its place."""
    place, _ = st.session_state[name]
    st.session_state[name] = (place, None)


def _go(name: str, there: Sequence[object], place: int) -> None:
    st.session_state[name] = (place, there[place])
