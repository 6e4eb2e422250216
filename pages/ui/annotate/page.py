"""The frame of the Annotate page: campaign, guidelines, and what is shown where there is nothing to label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from annotations.campaigns.labelling import Standing
from annotations.campaigns.queue import Nothing
from annotations.campaigns.setup import Terms
from annotations.errors import StoreError
from pages.ui.annotate.state import desk, look_back
from pages.ui.annotate.words import guidelines_of, why_nothing
from pages.ui.plain import plain

_READ = "guidelines-read"


@contextmanager
def telling() -> Iterator[None]:
    """Say what the database said where it fails, with a way to try again; the page ends there."""
    try:
        yield
    except StoreError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Try again", key="annotate-retry", shortcut="Enter")
        st.stop()


def choose_campaign(campaigns: Mapping[str, Terms]) -> Terms:
    """The campaign of the address, else the one that the person was in last, else the newest."""
    ids = list(campaigns)
    if "annotate-campaign" not in st.session_state:
        wanted = st.query_params.get("campaign", desk().last_campaign())
        st.session_state["annotate-campaign"] = wanted if wanted in campaigns else ids[0]
    chosen = st.selectbox(
        "Campaign",
        ids,
        format_func=lambda id: campaigns[id].name,
        key="annotate-campaign",
        persist_state="session",
        label_visibility="collapsed",
        width=360,
    )
    st.query_params["campaign"] = chosen
    return campaigns[chosen]


def guidelines_button(campaign: Terms, standing: Standing) -> None:
    """The guidelines on a key, over the page."""
    st.button("Guidelines", icon=":material/menu_book:", shortcut="g", key="guidelines", on_click=_show, args=(True,))
    st.caption(f"{standing.answered} answered by you · guidelines version {campaign.version}")
    if st.session_state.get("guidelines-open"):
        _dialog(campaign)


def read_first(campaign: Terms, standing: Standing) -> None:
    """Before the first label under a version of the guidelines they fill the page, which ends there."""
    text, key = guidelines_of(campaign), (campaign.id, campaign.version)
    if not text or standing.version >= campaign.version or key in st.session_state.get(_READ, set()):
        return
    with st.container(border=True, width=820):
        st.subheader("Guidelines" if not standing.version else "The guidelines have changed")
        st.markdown(text)
        st.button("Start", type="primary", shortcut="Enter", key="start", on_click=_read, args=(key,))
    st.stop()


def nothing_left(nothing: Nothing, said: str, standing: Standing) -> None:
    """Why there is no task, a way to look again, and a way back to the last answer."""
    with st.container(width=820):
        if said:
            st.caption(plain(said))
        why_nothing(nothing)
        with st.container(horizontal=True):
            if nothing.why in {"held", "apart"}:
                st.button("Look again", key="look-again", shortcut="Enter")
            if standing.answered and nothing.why != "closed":
                st.button("Previous", key="look-back", shortcut="p", on_click=look_back)


def _show(shown: bool) -> None:
    st.session_state["guidelines-open"] = shown


def _read(key: tuple[str, int]) -> None:
    st.session_state[_READ] = {*st.session_state.get(_READ, set()), key}


# a draft may be kept meanwhile, which runs the page again: the dialog is open until it is closed
@st.dialog("Guidelines", width="large", on_dismiss=lambda: _show(False))
def _dialog(campaign: Terms) -> None:
    st.markdown(guidelines_of(campaign) or "This campaign has no guidelines.")
