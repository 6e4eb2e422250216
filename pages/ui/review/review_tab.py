"""Review of a campaign: what people differ on, worst first, and the decision; the error types of written edits."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.people.people import Right
from pages.ui.review.adjudication_page import adjudication_page
from pages.ui.review.case_filter import filtered_cases
from pages.ui.review.case_view import DECIDED_CASES, OPEN_CASES, WRITTEN_EDITS, adjudicator, format_progress
from pages.ui.review.curation_page import curation_page, uncurated_count
from pages.ui.shared.session_user import member_let_in


def review_tab(campaign: CampaignSettings) -> None:
    """The cases to decide, those that are decided, and the written edits, of which one list is shown."""
    queue = adjudicator().queue(campaign.id)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        uncurated = uncurated_count(campaign)
        titles = {
            OPEN_CASES: f"To adjudicate · {len(queue.open)}",
            DECIDED_CASES: f"Adjudicated · {len(queue.decided)}",
            **({WRITTEN_EDITS: f"Written edits · {uncurated}"} if uncurated is not None else {}),
        }
        part = st.segmented_control(
            "What to review",
            list(titles),
            required=True,
            default=OPEN_CASES,
            format_func=titles.__getitem__,
            key=f"review-part-{campaign.id}",
        )
        listed = queue.open if part == OPEN_CASES else queue.decided
        cases = [] if part == WRITTEN_EDITS else filtered_cases(campaign, listed)
        st.caption(format_progress(queue))
    if part == WRITTEN_EDITS:
        curation_page(campaign)
    elif listed and not cases:
        st.info("No case passes the filter.", icon=":material/filter_alt:")
    else:
        adjudication_page(campaign, cases, queue)


def reviewed_campaign(campaigns: dict[str, CampaignSettings]) -> CampaignSettings:
    """The campaign that an adjudicator looks at, at first that of the address."""
    ids, addressed = list(campaigns), st.query_params.get("campaign")
    id = st.selectbox(
        "Campaign",
        ids,
        index=ids.index(addressed) if addressed in campaigns else 0,
        format_func=lambda id: campaigns[id].name,
        key="review-campaign",
        persist_state="session",
        width=360,
    )
    return campaigns[id]


def only_reviews() -> bool:
    """True for a person who decides where others differ, and manages nothing."""
    return not member_let_in().may(Right.MANAGE)
