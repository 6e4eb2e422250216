"""The offer to score what the share of surface needs."""

from __future__ import annotations

import streamlit as st

from core.studies.surface import missing_features
from core.types import PRECOMPUTED
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.markup import escape_markdown


def offer_features(chosen: EvaluationChoice) -> None:
    """Offer to score the imported datasets with the shallow features that are missing, and show how far that is."""
    missing = missing_features(chosen.cases)
    if not missing:
        return
    imported = [name for name in chosen.datasets if name != PRECOMPUTED]  # which has no place for more scores
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(f"Not scored or not chosen: {', '.join(missing)}."))
        for name in imported:
            label = escape_markdown(f"Score {name} with them")
            st.button(
                label, key=f"surface-{name}", on_click=start_scoring, args=(name, missing), icon=":material/play_arrow:"
            )
    for name in imported:
        show_scoring(name)
