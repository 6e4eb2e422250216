"""The tabs of a campaign; only the one that is open is drawn."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import streamlit as st

from annotations.campaigns.setup import Terms
from pages.ui.campaigns.agreement import agreement_tab
from pages.ui.campaigns.progress import progress_tab
from pages.ui.campaigns.revise import items_tab, wording_tab

_TABS: MappingProxyType[str, Callable[[Terms], None]] = MappingProxyType(
    {
        "Progress": progress_tab,
        "Agreement": agreement_tab,
        "Items": items_tab,
        "Guidelines and rules": wording_tab,
    }
)


def campaign_tabs(chosen: Terms) -> None:
    """Draw the tab that is open."""
    for tab, show in zip(st.tabs(list(_TABS), key="campaign-tabs", on_change="rerun"), _TABS.values(), strict=True):
        if tab.open:
            with tab:
                show(chosen)
