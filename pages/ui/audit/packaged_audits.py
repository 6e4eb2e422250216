"""The audits that come with Touchstone: what an audit says, before the first of one's own."""

from __future__ import annotations

import streamlit as st

from core.assessment import bundled_audits, level_strip
from core.scoring import metric_title
from pages.server.component_scripts import read_asset
from pages.ui.shared.markup import escape_markdown

_CARD_PX = 560


def packaged_audits() -> None:
    """A card for each metric with its verdicts and what they come to."""
    st.subheader("What an audit says", anchor=False)
    st.caption(
        "The metrics that need no download, audited on the examples that come with Touchstone: a tile is a question."
    )
    st.html(f"<style>{read_asset('audit.css')}</style>")
    grid = st.grid("auto", min_column_width=_CARD_PX, gap="small")
    for audit in bundled_audits().metrics:
        with grid.container(border=True, height="stretch", gap="xsmall"):
            st.page_link(
                "views/metrics.py", label=f"**{metric_title(audit.metric)}**", query_params={"metric": audit.metric}
            )
            st.html(level_strip(audit.common, "audit-strip"))
            st.caption(escape_markdown(audit.summary))
