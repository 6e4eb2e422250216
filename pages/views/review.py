"""Review: what people differ on, worst first, and the decision; the error types of written edits."""

import streamlit as st

from pages.ui.campaigns.export import export_buttons
from pages.ui.notices import notices
from pages.ui.review import curating as review_curating
from pages.ui.review import settling as review_settling
from pages.ui.review.state import DECIDED, LEFT, WRITTEN, desk
from pages.ui.review.words import progress_words

notices()
campaigns = {campaign.id: campaign for campaign in desk().campaigns()}
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
    campaign, docket = campaigns[chosen], desk().docket(chosen)
    written = review_curating.waiting(campaign)
    titles = {
        LEFT: f"To settle · {len(docket.left)}",
        DECIDED: f"Settled · {len(docket.decided)}",
        **({WRITTEN: f"Written edits · {written}"} if written is not None else {}),
    }
    part = st.segmented_control(
        "What to review",
        list(titles),
        required=True,
        default=LEFT,
        format_func=titles.__getitem__,
        key=f"review-part-{chosen}",
    )
    st.caption(progress_words(docket))
    st.space("stretch")
    export_buttons(campaign)

if part == WRITTEN:
    review_curating.page(campaign)
else:
    review_settling.page(campaign, docket.left if part == LEFT else docket.decided, docket)
