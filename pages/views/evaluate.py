"""Evaluate: which metric can be trusted, on which errors, with what certainty."""

import streamlit as st

from core.types import PRECOMPUTED
from pages.server.services import settings
from pages.ui.evaluate.bulk_results import bulk_results
from pages.ui.evaluate.data_tab import scorings_under_way
from pages.ui.evaluate.dataset_choice import choose_datasets, choose_slices, known_datasets
from pages.ui.evaluate.evaluate_tabs import evaluate_tabs
from pages.ui.evaluate.import_form import import_button, import_receipt
from pages.ui.papers.paper_choice import open_paper
from pages.ui.papers.papers_view import papers_opened, papers_view
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run

notices()
if papers_opened():
    papers_view()
    end_run()
with st.container(horizontal=True, vertical_alignment="bottom"):
    names = choose_datasets(known_datasets())
    import_button()
    st.button(
        "Papers",
        icon=":material/menu_book:",
        help="What published papers measured, on your pairs and beside the figures that they print",
        on_click=open_paper,
        args=("",),
    )
    if not settings().demo:
        with st.popover("Bulk run", icon=":material/dynamic_feed:", help="Follow a run of blocks, or open its results"):
            bulk_results()
import_receipt()
choice = choose_slices(names)
if choice is None:
    end_run()
if PRECOMPUTED in choice.datasets:
    st.caption(
        "The examples that come with Touchstone, scored beforehand by metrics that need no download: for a first look, "
        "nothing to report. Import a benchmark or your own table above."
    )
if not choice.cases.all_columns:
    st.info("No metric has a score here yet. Score the data with our metrics under Data.", icon=":material/info:")
scorings_under_way(choice.datasets)
evaluate_tabs(choice)
