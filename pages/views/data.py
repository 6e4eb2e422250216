"""Records: what was kept and labelled, and its export; beneath, the examples that come with Touchstone."""

import streamlit as st

from pages.server import services
from pages.ui.results.record_tables import bundled_table, cost_table, exported_csv, exported_jsonl, saved_table
from pages.ui.shared.script_run import end_run

store = services.store()
costs = services.engine().costs()
counts = store.counts("origin", "label", "explanationjudgement")
if not counts["origin"] and not counts["label"]:
    st.info(
        "Nothing was kept yet. On Probe, press Keep pair, or save a label in the Record tab.",
        icon=":material/inventory_2:",
    )
    cost_table(costs)
    bundled_table()
    end_run()

with st.container(horizontal=True, vertical_alignment="center"):
    for what, table in (
        ("Pairs", "origin"),
        ("Labels on Probe", "label"),
        ("Explanations judged", "explanationjudgement"),
    ):
        st.metric(what, counts[table], border=True, width=170)
    st.space("stretch")
    st.download_button("Export JSONL", exported_jsonl, "touchstone.jsonl", on_click="ignore")
    st.download_button("Export CSV", exported_csv, "touchstone.csv", on_click="ignore")
saved_table(store.saved(500))
cost_table(costs)
