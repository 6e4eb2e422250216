"""Metrics: what each one measures, where it comes from, what it needs, which models are in memory and which endpoints are set."""

import streamlit as st

from core.metric_catalog import list_metrics
from pages.ui import services
from pages.ui.metrics.endpoint_list import endpoint_list
from pages.ui.metrics.metric_cards import follow_models, memory_bar, metric_card, other_models
from pages.ui.notices import notices

pool = services.engine().pool
drawn = pool.states()
notices()
memory_bar(pool)
endpoint_list()
lines = list_metrics(pool)
for family in dict.fromkeys(line.family for line in lines):
    st.subheader(family)
    grid = st.grid("auto", min_column_width=380, gap="small")
    for line in [line for line in lines if line.family == family]:
        with grid.cell():
            metric_card(line, pool)
other_models(pool)
follow_models(pool, drawn)
