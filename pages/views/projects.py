"""Projects: a question with the work that answers it, and a report of pinned results with text between them."""

import streamlit as st

from pages.ui.report.export_form import export_form
from pages.ui.report.link_form import link_form
from pages.ui.report.project_work import project_work
from pages.ui.report.report_choice import choose_report, empty_page, report_settings
from pages.ui.report.report_parts import report_parts
from pages.ui.report.source_check import check_button, source_changes
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run
from pages.ui.shared.session_user import member_let_in

notices()
member = member_let_in()
project = choose_report(member)
if project is None:
    empty_page(member)
    end_run()
st.set_page_config(page_title=f"Projects · {project.title} · Touchstone")
project_work(member, project)
with st.container(horizontal=True, vertical_alignment="center"):
    report_settings(member, project)
    check_button(project)
    link_form(member, project)
    export = st.container(width="content")
changes = source_changes(member, project)
with export:
    export_form(project, changes)
report_parts(member, project, changes)
