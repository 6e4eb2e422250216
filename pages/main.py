"""Script that every visitor runs: page config, the gate, navigation, the heading of a page and the tour."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.server import startup

ICON = Path(__file__).parent / "ui" / "icon.png"
LOGO = Path(__file__).parent / "ui" / "assets" / "logo.svg"
THEME = Path(__file__).parent / "ui" / "assets" / "theme.css"

# the title comes with the page: one that was set here would show in the tab at every press
st.set_page_config(page_icon=str(ICON), layout="wide", initial_sidebar_state="collapsed")
st.html(THEME)
# for the first visitor of a server these imports take seconds, for everybody later nothing
with st.spinner("Loading the database and the engine of Touchstone…"):
    startup.load(startup.PAGES)
    from core.scoring import METRICS, add_new_tables
    from pages.server import services
    from pages.ui.jobs_bar import jobs_bar
    from pages.ui.palette import palette
    from pages.ui.shared.background_results import RedrawState
    from pages.ui.shared.page_list import load_page, page_heading
    from pages.ui.shared.session_state import page_state
    from pages.ui.shared.session_user import open_session, pages_for
    from pages.ui.tour import tour
member = open_session()
add_new_tables(METRICS, services.settings().metrics_dir)
pages = pages_for(member)
st.logo(str(LOGO), size="large")
page = st.navigation(pages, position="top")
with st.container(gap=None, key="page-head"):
    # what every page has comes first: after what only some have, it would stand there twice while a page is changed
    jobs_bar(member, pages)
    palette(member, pages)
    tour(page, pages)
    if page.title != "Probe":
        page_heading(page)
state = page_state(RedrawState)
state.held, state.view = False, load_page(page)
try:
    page.run()
finally:  # a page may also end before its script does
    startup.first_page_drawn.set()
