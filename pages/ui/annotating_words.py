"""What the Annotate page says around a task: guidelines, feedback, scores shown afterwards, and why there is nothing."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.qualifying import Marked
from annotations.campaigns.queue import Nothing, Why
from annotations.campaigns.revealing import reveal
from annotations.campaigns.setup import Terms
from annotations.campaigns.showing import Work
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.seats import member

_WHY: dict[Why, str] = {
    "closed": "This campaign takes no labels any more. Thank you.",
    "unqualified": "You have finished the qualification, and too few answers were right to go on. Ask the manager of the "
    "campaign.",
    "apart": "What is left for you is another version of what you just labelled. Come back in a while: that keeps labels "
    "independent.",
    "held": "What is left is in the hands of others right now. Look again later.",
    "over": "You have labelled everything that there is for you. Thank you.",
}


def guidelines(campaign: Terms, opened: bool) -> None:
    """The guidelines as Markdown, as a manager wrote them; Streamlit escapes HTML in them."""
    text = campaign.guidelines.strip() or campaign.questions.guidelines.strip()
    if text:
        with st.expander("Guidelines", expanded=opened, icon=":material/menu_book:"):
            st.markdown(text)


def why_nothing(nothing: Nothing, campaign: Terms) -> None:
    """Why there is no task, and a way to look again."""
    icon = ":material/task_alt:" if nothing.why in {"over", "closed"} else ":material/hourglass_empty:"
    st.info(_WHY[nothing.why], icon=icon)
    if nothing.why in {"held", "apart"}:
        st.button("Look again", key=f"again-{campaign.id}")


def feedback(marked: Marked | None) -> None:
    """What is said of the training item before this one."""
    if marked is None:
        return
    said = plain(marked.feedback)
    if marked.right:
        st.success(f"Right. {said}", icon=":material/check:")
    else:
        st.warning(f"Not as expected. {said}", icon=":material/school:")


def scores(work: Work) -> None:
    """What the metrics say, after a blind label; saving again is a second label."""
    st.subheader("What the metrics say")
    st.caption(
        "Your first label is kept as it is. Save again to keep or change your answer, now with the scores in view."
    )
    rows = reveal(services.store(), member(), work.reservation)
    if not rows:
        st.text("No metric was run on this item.")
        return
    st.dataframe(
        {
            "metric": [row.metric for row in rows],
            "original": [row.original for row in rows],
            "edited": [row.edited for row in rows],
        },
        hide_index=True,
    )
