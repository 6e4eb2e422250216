"""Papers on Evaluate: what published papers measured, run on your pairs and beside the figures that they print."""

from __future__ import annotations

import streamlit as st

from pages.ui.papers.paper_choice import PAPER_PARAMETER, chosen_paper, paper_cards, paper_head
from pages.ui.papers.paper_needs import needs_view
from pages.ui.papers.paper_run import run_form, run_view
from pages.ui.papers.released_tables import released_tables
from pages.ui.papers.words_form import words_form
from pages.ui.results.run_choice import chosen_run


def papers_opened() -> bool:
    """True if the address names a paper, or all of them."""
    return PAPER_PARAMETER in st.query_params


def papers_view() -> None:
    """The cards of the papers, or the one that is chosen: its form, or its tables from a run."""
    paper = chosen_paper()
    if paper is None:
        st.button(
            "Evaluate your own data",
            icon=":material/arrow_back:",
            type="tertiary",
            key="papers-back",
            on_click=st.query_params.clear,
        )
        paper_cards()
        return
    paper_head(paper)
    row = chosen_run()
    if row:
        run_view(paper, row)
        return
    words_form(paper)
    if paper.kinds:
        run_form(paper)
    needs_view(paper)
    released_tables(paper)
