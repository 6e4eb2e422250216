"""Report: pinned results in an order of one's own, with text between them, to be checked, shared and exported."""

import streamlit as st

from pages.ui.report.export_form import export_form
from pages.ui.report.report_choice import choose_report, empty_page, report_settings
from pages.ui.report.report_parts import report_parts
from pages.ui.report.source_check import check_button, source_changes
from pages.ui.shared.notices import notices
from pages.ui.shared.session_user import member_let_in

notices()
member = member_let_in()
report = choose_report(member)
if report is None:
    empty_page(member)
    st.stop()
with st.container(horizontal=True, vertical_alignment="center"):
    report_settings(member, report)
    check_button(report)
    export = st.container(width="content")
changes = source_changes(member, report)
with export:
    export_form(report, changes)
report_parts(member, report, changes)
