"""Evaluate: which metric can be trusted, on which errors, with what certainty."""

import streamlit as st

from pages.ui.evaluate.dataset_choice import choose_data, known_datasets
from pages.ui.evaluate.evaluate_tabs import evaluate_tabs
from pages.ui.evaluate.import_form import has_import, import_form
from pages.ui.notices import notices

notices()
known = known_datasets()
with st.expander("Import data", icon=":material/database_upload:", expanded=not known or has_import()):
    import_form()
if not known:
    st.info(
        "Nothing was imported, kept or labelled yet. Import a benchmark, or keep pairs on Probe.",
        icon=":material/info:",
    )
    st.stop()
chosen = choose_data(known)
if chosen is None:
    st.stop()
if not chosen.cases.all_columns:
    st.info("No metric has a score here yet. Score the data with our metrics under Data.", icon=":material/info:")
evaluate_tabs(chosen)
