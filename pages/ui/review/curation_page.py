"""One written edit after the other: which error it really makes, as opposed to the one that was required."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.error_types import error_type_meanings
from annotations.store.records import StoreError
from core.text import segments
from core.types import ErrorType
from pages.server import services
from pages.ui.probe.text_panes import document_view, source_marks
from pages.ui.review.case_view import (
    ReviewState,
    curator,
    forget_press,
    list_navigation,
    open_entry,
    open_next,
    press_id,
    text_box,
)
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import leave_notice, leave_receipt

_SHORTCUTS = "123456789"
_HEIGHT = 640


def uncurated_count(campaign: CampaignSettings) -> int | None:
    """Number of written edits that are not curated yet; None where none are written in this campaign."""
    if all(question.kind != "edit" for question in campaign.questions.questions):
        return None
    return sum(corrected is None for corrected in curator().edits(campaign.id).values())


def curation_page(campaign: CampaignSettings) -> None:
    """The edit that is open, and its error type."""
    edits = list(curator().edits(campaign.id))
    if not edits:
        st.info("No edits of others are here to look at.", icon=":material/task_alt:")
        return
    place, response = open_entry(f"edit-{campaign.id}", edits)
    task = curator().task(campaign.id, response)
    list_navigation(f"edit-{campaign.id}", edits, place)

    def save(error_type: ErrorType) -> None:
        name = f"edit-{task.response}-{task.revision}"
        note = ReviewState.curation_note.of(task.response).get().strip()
        try:
            curator().correct(campaign.id, task.response, error_type, press_id(name), note)
        except StoreError as error:
            leave_receipt("error", str(error))
            return
        forget_press(name)
        open_next(f"edit-{campaign.id}")
        leave_notice(f"Saved as {error_type}.")

    reading, deciding = st.columns(2, gap="medium")
    with reading:
        document_view(task.pair.document, highlights=source_marks(task.pair), key="review-document", height=_HEIGHT)
    with deciding:
        text_box("What was changed", segments(task.pair.original, task.pair.edited))
        text_box("Explanation", [(0, task.pair.edits[0].explanation)])

        with st.container(border=True, key="correction"):
            requested = (
                f"The writer was to make **{escape_markdown(task.required)}**."
                if task.required
                else "Any error would do."
            )
            correction = f" A curator found **{task.corrected_type}**." if task.corrected_type else ""
            st.markdown(f"{requested}{correction} Which error is it?")
            st.text_input(
                "Note", key=ReviewState.curation_note.of(task.response).key, placeholder="Optional", max_chars=2000
            )
            sides, meanings = st.columns(2), error_type_meanings().meanings
            for place, (key, kind) in enumerate(zip(_SHORTCUTS, ErrorType, strict=False)):
                sides[place % 2].button(
                    kind.value,
                    key=f"found-{task.response}-{kind.name}",
                    shortcut=key,
                    width="stretch",
                    icon=":material/check:" if kind == task.corrected_type else None,
                    on_click=save,
                    args=(kind,),
                    help=meanings.get(kind),
                    disabled=services.settings().demo,
                )
