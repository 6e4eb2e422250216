"""The search over every place, which Ctrl+K opens on every page, and the list of its keys, which ? opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from annotations.people.people import Member
from pages.server.docs import docs_address
from pages.server.docs_search import SEARCH
from pages.ui.home.actions import found_places
from pages.ui.home.places import all_places, page_places
from pages.ui.shared.markup import register_component
from pages.ui.shared.page_list import pages_of
from pages.ui.shared.session_state import page_state

_palette_component = register_component("palette")


@dataclass(eq=False)
class PaletteState:
    """`opened` for the one run after the search was opened, in which the places that cost reads are looked up."""

    opened: bool = False


@st.fragment
def palette(member: Member, pages: Mapping[str, list[st.Page]]) -> None:
    """Mount both. A chosen place opens within the session, without loading the app again."""
    state = page_state(PaletteState)
    opened, state.opened = state.opened, False
    places = [*all_places(member), *found_places(member)] if opened else list(page_places(member))
    result = _palette_component(
        key="palette",
        data={
            "whole": opened,
            "docs": docs_address(SEARCH),
            "places": [
                {"kind": place.kind, "title": place.title, "view": place.view, "query": place.query} for place in places
            ],
        },
        on_open_change=lambda: setattr(state, "opened", True),
        on_place_change=lambda: None,
    )
    titles = {page.name: page.title for page in pages_of(member)}
    by_title = {page.title: page for group in pages.values() for page in group}
    if result.place and (title := titles.get(result.place["view"])):
        st.switch_page(by_title[title], query_params=dict(result.place["query"]))
