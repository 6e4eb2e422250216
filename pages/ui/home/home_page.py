"""The doors of Home to the pages, a search, the latest work, and the lessons."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from annotations.people.people import Member
from pages.server.docs import docs_address
from pages.server.docs_search import SEARCH
from pages.ui.home.actions import action_places, study_places
from pages.ui.home.job_places import job_places
from pages.ui.home.places import all_places, lesson_places, matching, recent_work
from pages.ui.home.work_list import place_link, work_list
from pages.ui.lessons import read_lessons
from pages.ui.shared.markup import escape_markdown, register_component
from pages.ui.shared.page_list import GROUPS, PARTS, pages_of
from pages.ui.shared.session_state import component_message

_DOORS = {
    "Test a metric": "Edit one summary and see which metrics notice, perturb many, or compare metrics on labelled data.",
    "Label": "Judge summaries and explanations one by one, blind to the scores, and decide where people differ.",
    "Metrics": "What each measures and needs; models, endpoints and the prompts of judges.",
}
_PART_ICONS = {"Review": "gavel", "Papers": "menu_book", "Prompts": "chat"}
_MOST_RECENT = 8
_MOST_FOUND = 12
_DONE_KEY = "done-lessons"

_done_component = register_component("done_lessons")


def doors(member: Member) -> None:
    """A card for each thing that one does here, with the pages for it that the person may open."""
    pages = {page.name: page for page in pages_of(member)}
    for column, (title, does) in zip(st.columns(len(_DOORS)), _DOORS.items(), strict=True):
        offered = [pages[name] for name in GROUPS[title] if name in pages]
        if not offered:
            continue
        with column, st.container(border=True, height="stretch"):
            st.subheader(title, anchor=False)
            st.write(does)
            with st.container(horizontal=True):
                for page in offered:
                    st.page_link(f"views/{page.name}.py", label=page.title, icon=f":material/{page.icon}:")
                for part, page_name, query in PARTS.values():
                    if page_name in {page.name for page in offered}:
                        st.page_link(
                            f"views/{page_name}.py",
                            label=part,
                            icon=f":material/{_PART_ICONS[part]}:",
                            query_params=query,
                        )


def lesson_links(member: Member) -> None:
    """The lessons, each with what it is for, and a tick where it was done in this browser."""
    lessons = list(lesson_places(member))
    if not lessons:
        return
    # the browser keeps the names, and gives none before it has said so
    names = component_message(_DONE_KEY).get("done")
    done = [str(name) for name in names] if isinstance(names, list) else []
    finished = sum(place.query["lesson"] in done for place in lessons)
    st.subheader("Learn", anchor=False)
    st.write(
        "Lessons of about two minutes, on the pages and with the examples that come with Touchstone."
        f"{f' You finished {finished} of {len(lessons)}.' if finished else ''}"
    )
    for place in lessons:
        name = place.query["lesson"]
        icon = "check_circle" if name in done else "school"
        with st.container(gap=None, key=f"lesson-{name}"):
            st.page_link(
                f"views/{place.view}.py",
                label=f"{place.title} :gray[done]" if name in done else place.title,
                icon=f":material/{icon}:",
                query_params=place.query,
            )
            st.caption(read_lessons()[name].about)
    _done_component(
        key=_DONE_KEY, data={"done": done}, on_done_change=lambda: None
    )  # last: it takes room and shows nothing


def continue_work(member: Member) -> None:
    """The things that the person worked on last, with their pictures; without any, the first thing to do."""
    st.subheader("Continue", anchor=False)
    job_places()
    work = recent_work(member, _MOST_RECENT)
    if not work:
        st.write("Nothing was kept here yet. The first example shows an edit that most metrics miss:")
        st.page_link("views/probe.py", label="See what the metrics noticed", icon=":material/science:")
        return
    work_list(member, work, "continue")


def search_places(member: Member) -> None:
    """A field for words, and the places that have them."""
    words = st.text_input(
        "Search pages, actions, examples, metrics and your own work",
        key="home-search",
        placeholder="train, freighter, MiniCheck, harbour run …",
    )
    if not words.strip():
        return
    matches = matching([*all_places(member), *action_places(member), *study_places(member)], words)
    for place in matches[:_MOST_FOUND]:
        place_link(place)
    address = f"{docs_address(SEARCH)}?{urlencode({'q': words})}"
    st.markdown(f"[Search the documentation for “{escape_markdown(words)}”]({address})")
    if not matches:
        st.caption(escape_markdown(f"Nothing has “{words}” in its name."))
    elif len(matches) > _MOST_FOUND:
        st.caption(f"{len(matches) - _MOST_FOUND} more: add a word.")
