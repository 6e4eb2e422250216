"""Home: doors to the pages, a search, the latest work, the lessons, and the records."""

import streamlit as st

from pages.ui.home.home_page import continue_work, doors, lesson_links, search_places
from pages.ui.results.record_tables import records
from pages.ui.shared.session_user import member_let_in

member = member_let_in()
doors(member)
search_places(member)
work_column, lessons_column = st.columns(2, gap="large")
with work_column:
    continue_work(member)
with lessons_column:
    lesson_links(member)
records()
