"""The original and the edited summary compared by a language model, in both orders."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.explanations.pairwise import Comparison, Preference
from core.llm.chat import Sampling
from pages.ui.endpoint_form import estimate_line
from pages.ui.explain import explain_requests
from pages.ui.markup import escape_markdown
from pages.ui.probe.pair import current_edits

_Colour = Literal["blue", "orange", "gray", "red"]
_PREFERENCE_BADGES: dict[Preference, tuple[str, _Colour]] = {
    "original": ("The original is more consistent", "blue"),
    "edited": ("The edited one is more consistent", "orange"),
    "tie": ("Both are the same", "gray"),
    "order-inconsistent": ("The orders differ: no preference", "red"),
}


def pairwise_form(sampling: Sampling) -> None:
    """The question about both summaries, and what each order came to."""
    if not current_edits():
        st.caption("There is no edit to compare with the original yet.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Compare",
            key="explain-compare",
            icon=":material/compare_arrows:",
            on_click=explain_requests.run_if_possible,
            args=(sampling.endpoint, explain_requests.ask_for_comparison),
            help="Which of the two is more consistent with the document: asked twice, with either first. It counts where both say the same.",
        )
    estimate_line([explain_requests.comparison_conversation(sampling)])
    outcome = explain_requests.current_comparison()
    if isinstance(outcome, Comparison):
        _comparison_card(outcome)
    elif outcome:
        st.error(escape_markdown(outcome.message), icon=":material/error:")


def _comparison_card(compared: Comparison) -> None:
    words, colour = _PREFERENCE_BADGES[compared.preference]
    orders = (("Original first", compared.original_first), ("Edited first", compared.edited_first))
    with st.container(border=True, key="explain-compared", gap="small"):
        st.badge(words, icon=":material/compare_arrows:", color=colour)
        for (order, preference), reason in zip(orders, compared.reasons, strict=True):
            st.markdown(f"**{order}: {preference}.** {escape_markdown(reason)}")
        st.caption(escape_markdown(compared.by))
