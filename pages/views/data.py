"""Records: what was kept and labelled, and their export."""

import streamlit as st

from annotations.export import all_rows, to_csv, to_jsonl
from pages.ui import services
from pages.ui.saved_rows import saved_rows_table

store = services.store()
counts = store.counts()
if not counts["origin"] and not counts["label"]:
    st.info(
        "Nothing was kept yet. On Probe, press Keep pair, or save a label in the Record tab.",
        icon=":material/inventory_2:",
    )
    st.stop()

with st.container(horizontal=True, vertical_alignment="center"):
    for what, table in (("Pairs", "origin"), ("Labels", "label"), ("Explanations judged", "explanationjudgement")):
        st.metric(what, counts[table], border=True, width=170)
    st.space("stretch")
    st.download_button(
        "Export JSONL", lambda: "".join(to_jsonl(all_rows(store))), "touchstone.jsonl", on_click="ignore"
    )
    st.download_button("Export CSV", lambda: "".join(to_csv(all_rows(store))), "touchstone.csv", on_click="ignore")
st.dataframe(
    saved_rows_table(store.saved(500)),
    hide_index=True,
    height="auto",
    alt="Kept pairs and labels, newest first",
    placeholder="",
    column_config={
        "open": st.column_config.LinkColumn("", display_text="Open in Probe"),
        "when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        "summary": st.column_config.TextColumn(width="large"),
    },
)
