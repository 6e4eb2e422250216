"""Views in groups that a person can hold: a tab for each group, in it a choice of views; the address names the open one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import streamlit as st

from core.evaluation import STUDIES, Study, current_spec, studies_of
from pages.ui.shared.session_state import page_state

D = TypeVar("D")
View = Callable[[D], None]
Groups = Mapping[str, Mapping[str, View[D]]]

TAB_PARAMETER = "tab"
"""The parameter of the address that names the view."""
_MOST_IN_A_ROW = 3
SETTINGS_PARAMETER = "study"
"""The parameter of the address that has the spec of a study whose settings are not the usual ones."""


@dataclass(eq=False)
class FirstView:
    """State of a page with views: the one that its tabs open at first, None until the address was read, these tabs' key, and the view that the address names by itself."""

    name: str | None = None
    tabs: str = ""  # of the last run
    written: str = ""


def enter_view(page: str, name: str) -> None:
    """Make a page open that view the next time it is rendered; an empty name stands for its first view."""
    state = page_state(FirstView, page)
    state.name, state.tabs = name, ""


def with_studies(
    views: Groups[D], studies: Iterable[type[Study]], show: Callable[[type[Study], D], None]
) -> dict[str, dict[str, View[D]]]:
    """The views of each group that has any: the one of its name, these studies that have a page, in their order, then its own."""
    offered = {study for study in studies if "page" not in study.without}
    groups: dict[str, dict[str, View[D]]] = {}
    for group, own in views.items():
        named: dict[str, View[D]] = {name: view for name, view in own.items() if name == group}
        shown: dict[str, View[D]] = {
            study.name: partial(show, study) for study in studies_of(group) if study in offered
        }
        groups[group] = {**named, **shown, **own}
    return {group: of_group for group, of_group in groups.items() if of_group}


def view_title(name: str) -> str:
    """The title of a view: that of its study where it is one, or of the view that the settings of its spec name."""
    if name in STUDIES.names():
        return STUDIES.get(name).title
    return STUDIES.parse(name).view_title if "[" in name else name


def grouped_views(page: str, groups: Groups[D], moved: Mapping[str, str], data: D, default: str = "") -> None:
    """Draw the view that is open, at first the one of the address or else the default; only that one is computed.

    A study may be named with settings. `moved` has the names that addresses had before, and what they are called now.
    """
    state, key = page_state(FirstView, page), f"{page}-tabs-{len(groups)}"
    addressed = st.query_params.get(TAB_PARAMETER, "")
    # other tabs open at the view that was open, and a link within the session at its own
    if state.name is None or state.tabs not in ("", key) or (addressed and addressed != state.written):
        state.name = addressed
    state.tabs = key
    offered = {name for views in groups.values() for name in views}
    if state.name not in offered:
        state.name = _addressed_view(state.name, moved)
        if state.name not in offered:
            state.name = _addressed_view(default, moved)
    first = state.name
    first_group = next((group for group, views in groups.items() if first in views), None)
    # another default would be another widget
    tabs = st.tabs(list(groups), default=first_group, key=key, on_change="rerun")
    for (group, views), tab in zip(groups.items(), tabs, strict=True):
        if tab.open:
            with tab:
                name = _open_view(page, group, list(views), first)
                if name not in (first, state.written) and addressed == state.written:  # another view has other settings
                    st.query_params.pop(SETTINGS_PARAMETER, None)
                st.query_params[TAB_PARAMETER] = state.written = name
                views[name](data)


def _open_view(page: str, group: str, names: list[str], first: str) -> str:
    """The view of a tab that is chosen: beside each other where they are few, else in one list."""
    if len(names) == 1:
        return names[0]
    default, key = first if first in names else names[0], f"{page}-view-{group}-{len(names)}"
    if len(names) <= _MOST_IN_A_ROW:
        return st.segmented_control(
            group,
            names,
            default=default,
            key=key,
            format_func=view_title,
            required=True,
            label_visibility="collapsed",
        )
    return st.selectbox(
        "Study",
        names,
        names.index(default),
        # another default in the list would not be shown by the same widget
        key=f"{key}-{default}",
        format_func=view_title,
        width=360,
    )


def _addressed_view(name: str, moved: Mapping[str, str]) -> str:
    """The name of a view without settings; those of its study are put into the address, unless it has some already."""
    spec = current_spec(moved.get(name, name))
    view, _, settings = spec.partition("[")
    stated = st.query_params.get(SETTINGS_PARAMETER, "")
    if settings and stated.partition("[")[0] != name:
        st.query_params[SETTINGS_PARAMETER] = spec
    return view
