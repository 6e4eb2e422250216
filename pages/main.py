"""What every visitor runs: page config, the gate, navigation to a page and its heading, and nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.session_user import open_session, page_heading, pages_for

ICON = Path(__file__).parent / "ui" / "icon.png"

st.set_page_config(page_title="Touchstone", page_icon=str(ICON), layout="wide", initial_sidebar_state="collapsed")
page = st.navigation(pages_for(open_session()), position="top")
page_heading(page)
page.run()
