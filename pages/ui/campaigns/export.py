"""The buttons that take a campaign out of the database, for those who may manage."""

from __future__ import annotations

import re

import streamlit as st

from annotations.campaigns.exporting import Exporting
from annotations.campaigns.people import Right
from annotations.campaigns.setup import Terms
from pages.ui import services
from pages.ui.seats import member


def export_buttons(campaign: Terms) -> None:
    """Export as JSONL, which can be imported again, and as CSV; nothing for somebody who may not manage."""
    if not member().may(Right.MANAGE):
        return
    desk = Exporting(services.store(), member())
    file = re.sub(r"[^\w-]+", "-", campaign.name).strip("-").lower() or "campaign"
    st.download_button(
        "Export JSONL",
        lambda: desk.jsonl(campaign.id),
        f"{file}.jsonl",
        key=f"jsonl-{campaign.id}",
        icon=":material/download:",
        on_click="ignore",
        help="Everything: one row per label revision, with pseudonyms; can be imported into another database.",
    )
    st.download_button(
        "Export CSV",
        lambda: desk.table(campaign.id),
        f"{file}.csv",
        key=f"csv-{campaign.id}",
        icon=":material/download:",
        on_click="ignore",
        help="The same rows for a spreadsheet, with a column for each question.",
    )
