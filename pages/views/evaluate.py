"""Evaluate: which metric can be trusted, on which errors, with what certainty."""

import streamlit as st

from core.types import PRECOMPUTED
from pages.server.services import settings
from pages.ui.evaluate.bulk_results import bulk_results
from pages.ui.evaluate.dataset_choice import choose_data, known_datasets
from pages.ui.evaluate.evaluate_tabs import evaluate_tabs
from pages.ui.evaluate.import_form import has_import, import_form
from pages.ui.shared.notices import notices

notices()
with st.expander("Import data", icon=":material/database_upload:", expanded=has_import()):
    import_form()
if not settings().demo:
    with st.expander("Follow or open a bulk run", icon=":material/dynamic_feed:"):
        bulk_results()
chosen = choose_data(known_datasets())
if chosen is None:
    st.stop()
if PRECOMPUTED in chosen.datasets:
    st.caption(
        "The examples that come with Touchstone, scored beforehand by metrics that need no download: for a first look, "
        "nothing to report. Import a benchmark or your own table above."
    )
if not chosen.cases.all_columns:
    st.info("No metric has a score here yet. Score the data with our metrics under Data.", icon=":material/info:")
evaluate_tabs(chosen)
