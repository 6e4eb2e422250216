"""Review: what people differ on, worst first, and the decision; the error types of written edits."""

import streamlit as st

from pages.ui.campaigns.campaign_tabs import export_buttons
from pages.ui.notices import notices
from pages.ui.review import adjudication_page as review_settling
from pages.ui.review import curation_page as review_curating
from pages.ui.review.case_view import DECIDED_CASES, OPEN_CASES, WRITTEN_EDITS, adjudicator, format_progress

notices()
campaigns = {campaign.id: campaign for campaign in adjudicator().campaigns()}
if not campaigns:
    st.info("There is no campaign to review. A manager opens one under Campaigns.", icon=":material/gavel:")
    st.stop()

ids, asked = list(campaigns), st.query_params.get("campaign")
with st.container(horizontal=True, vertical_alignment="bottom"):
    chosen = st.selectbox(
        "Campaign",
        ids,
        index=ids.index(asked) if asked in campaigns else 0,
        format_func=lambda id: campaigns[id].name,
        key="review-campaign",
        persist_state="session",
        width=360,
    )
    campaign, docket = campaigns[chosen], adjudicator().docket(chosen)
    written = review_curating.uncurated_count(campaign)
    titles = {
        OPEN_CASES: f"To settle · {len(docket.left)}",
        DECIDED_CASES: f"Settled · {len(docket.decided)}",
        **({WRITTEN_EDITS: f"Written edits · {written}"} if written is not None else {}),
    }
    part = st.segmented_control(
        "What to review",
        list(titles),
        required=True,
        default=OPEN_CASES,
        format_func=titles.__getitem__,
        key=f"review-part-{chosen}",
    )
    st.caption(format_progress(docket))
    st.space("stretch")
    export_buttons(campaign)

if part == WRITTEN_EDITS:
    review_curating.curation_page(campaign)
else:
    review_settling.adjudication_page(campaign, docket.left if part == OPEN_CASES else docket.decided, docket)
