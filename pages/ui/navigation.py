"""The pages by the right that each needs; one that somebody may not see is not there for them."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.people import Member, Right
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.seats import sign_out

_PAGES = (
    (Right.EXPLORE, "probe", "Probe", ":material/science:"),
    (Right.EXPLORE, "stress", "Stress test", ":material/bolt:"),
    (Right.LABEL, "annotate", "Annotate", ":material/rate_review:"),
    (Right.SETTLE, "review", "Review", ":material/gavel:"),
    (Right.MANAGE, "campaigns", "Campaigns", ":material/assignment:"),
    (Right.EXPLORE, "evaluate", "Evaluate", ":material/leaderboard:"),
    (Right.EXPLORE, "data", "Records", ":material/inventory_2:"),
    (Right.EXPLORE, "metrics", "Metrics", ":material/straighten:"),
    (Right.EXPLORE, "prompts", "Prompts", ":material/chat:"),
)


def pages_for(member: Member) -> dict[str, list[st.Page]]:
    """The pages of a person; the first of them is where the bare address leads. On a shared server also the way out."""
    allowed = [page for page in _PAGES if member.may(page[0])]
    pages = [
        st.Page(f"views/{name}.py", title=title, icon=icon, url_path=name, default=name == allowed[0][1])
        for _, name, title, icon in allowed
    ]
    if not services.settings().shared:
        return {"": pages}
    out = st.Page(lambda: sign_out(pages[0]), title="Sign out", icon=":material/logout:", url_path="sign-out")
    return {"": pages, plain(f"{member.name}, {member.role.value}"): [out]}
