"""Places in rows, each with a small picture of the thing, its title, its kind and its day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

import streamlit as st

from annotations.management.campaign_progress import CampaignProgress
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Right
from annotations.store.reports import Work
from core.assessment import by_data
from core.errors import TouchstoneError
from core.results import MatrixCell, score_shifts, shift_matrix
from pages.server import services
from pages.sources.audit_history import kept_audits
from pages.ui.home.places import Place
from pages.ui.home.thumbnails import (
    Thumbnail,
    audit_thumbnail,
    campaign_thumbnail,
    pair_thumbnail,
    run_thumbnail,
    thumbnail_html,
)
from pages.ui.results.run_choice import load_run, shown_runs
from pages.ui.shared.markup import escape_label

_PICTURE_PX = 112
_ICONS = MappingProxyType(
    {
        "pair": "science",
        "example": "science",
        "stress run": "bolt",
        "audit": "fact_check",
        "campaign": "assignment",
        "project": "folder_open",
        "dataset": "database",
    }
)
"""By the kind of a place, in the place of a picture."""


def work_list(member: Member, places: Sequence[Place], key: str, remove: Callable[[Work], None] | None = None) -> None:
    """Draw a row for each place; with `remove`, each has a button that calls it with the thing."""
    for number, place in enumerate(places):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"{key}-{number}"):
            picture = work_thumbnail(member, place.work) if place.work else None
            # of one width, so that the titles stand below each other
            if picture:
                st.html(thumbnail_html(picture), width=_PICTURE_PX)
            else:
                st.markdown(f":gray[:material/{_ICONS[place.kind]}:]", width=_PICTURE_PX)
            place_link(place)
            if remove and place.work:
                st.button(
                    "Take out",
                    key=f"{key}-remove-{number}",
                    icon=":material/close:",
                    type="tertiary",
                    on_click=remove,
                    args=(place.work,),
                )


def place_link(place: Place) -> None:
    """A link with the title, the kind and the day of a place."""
    day = f", {place.at:%Y-%m-%d}" if place.at.year > 1 else ""
    label = f"{escape_label(place.title)} :gray[{place.kind}{day}]"
    st.page_link(f"views/{place.view}.py", label=label, query_params=place.query or None, width="stretch")


def work_thumbnail(member: Member, work: Work) -> Thumbnail | None:
    """The picture of a thing; None where it has none, or cannot be read."""
    store = services.store()
    try:
        match work.kind:
            case "pair":
                stored = store.pair(work.id)
                return pair_thumbnail(stored) if stored else None
            case "run":
                row = shown_runs().get(work.id)
                return run_thumbnail(_run_cells(row.id, row.lines)) if row else None
            case "campaign" if member.may(Right.MANAGE):
                manager = ManagerActions(store, member)
                return campaign_thumbnail(_campaign_progress(manager, work.id, manager.count_events(work.id)))
            case "audit":
                metric, _, data = work.id.partition("\n")
                audits = by_data(kept_audits(store, metric)).get(data)
                return audit_thumbnail(audits[-1].audit.findings) if audits else None
    except TouchstoneError:  # the row leads to its page, which says what is wrong
        return None
    return None


@st.cache_data(max_entries=64, show_spinner=False)
def _run_cells(id: str, lines: int) -> list[MatrixCell]:  # noqa: ARG001  # their number is part of the key
    run = load_run(shown_runs()[id])
    return shift_matrix(run, score_shifts(run), resamples=1)


@st.cache_data(max_entries=64, ttl=60, show_spinner=False)
def _campaign_progress(_manager: ManagerActions, id: str, responses: int) -> CampaignProgress:  # noqa: ARG001  # their number is part of the key
    return _manager.progress(id)
