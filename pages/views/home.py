"""Home: the three things that one does here, a search over everything, the work that one left, and the lessons."""

import streamlit as st

from pages.ui.home.home_page import continue_work, doors, lesson_links, search_places
from pages.ui.shared.session_user import member_let_in

member = member_let_in()
doors(member)
search_places(member)
left, right = st.columns(2, gap="large")
with left:
    continue_work(member)
with right:
    lesson_links(member)
