"""Records: what was kept and labelled, and its export; beneath, the examples that come with Touchstone."""

import streamlit as st

from annotations.export import all_rows, to_csv, to_jsonl
from pages.ui import services
from pages.ui.record_tables import bundled_table, saved_table

store = services.store()
counts = store.counts()
if not counts["origin"] and not counts["label"]:
    st.info(
        "Nothing was kept yet. On Probe, press Keep pair, or save a label in the Record tab.",
        icon=":material/inventory_2:",
    )
    bundled_table()
    st.stop()

with st.container(horizontal=True, vertical_alignment="center"):
    for what, table in (("Pairs", "origin"), ("Labels", "label"), ("Explanations judged", "explanationjudgement")):
        st.metric(what, counts[table], border=True, width=170)
    st.space("stretch")
    st.download_button(
        "Export JSONL", lambda: "".join(to_jsonl(all_rows(store))), "touchstone.jsonl", on_click="ignore"
    )
    st.download_button("Export CSV", lambda: "".join(to_csv(all_rows(store))), "touchstone.csv", on_click="ignore")
saved_table(store.saved(500))
