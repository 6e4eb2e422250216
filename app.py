"""Touchstone in the browser: page config, navigation, and nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.gate import gate

ICON = Path(__file__).parent / "pages" / "ui" / "icon.png"

st.set_page_config(page_title="Touchstone", page_icon=str(ICON), layout="wide", initial_sidebar_state="collapsed")
gate()
st.navigation(
    [
        st.Page("pages/views/probe.py", title="Probe", icon=":material/science:", default=True),
        st.Page("pages/views/stress.py", title="Stress test", icon=":material/bolt:", url_path="stress"),
        st.Page("pages/views/evaluate.py", title="Evaluate", icon=":material/leaderboard:", url_path="evaluate"),
        st.Page("pages/views/data.py", title="Records", icon=":material/inventory_2:", url_path="data"),
        st.Page("pages/views/metrics.py", title="Metrics", icon=":material/straighten:", url_path="metrics"),
        st.Page("pages/views/prompts.py", title="Prompts", icon=":material/chat:", url_path="prompts"),
    ],
    position="top",
).run()
