"""Evaluate: which metric can be trusted, on which errors, with what certainty."""

import streamlit as st

from pages.ui.evaluate.choice import choose, known_datasets
from pages.ui.evaluate.importing import import_form, importing
from pages.ui.evaluate.tabs import tabs
from pages.ui.notices import notices

notices()
known = known_datasets()
with st.expander("Import data", icon=":material/database_upload:", expanded=not known or importing()):
    import_form()
if not known:
    st.info(
        "Nothing was imported, kept or labelled yet. Import a benchmark, or keep pairs on Probe.",
        icon=":material/info:",
    )
    st.stop()
chosen = choose(known)
if chosen is None:
    st.stop()
if not chosen.cases.columns:
    st.info("No metric has a score here yet. Score the data with our metrics under Data.", icon=":material/info:")
tabs(chosen)
