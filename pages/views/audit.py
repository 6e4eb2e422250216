"""Audit: can a metric be trusted on some data? A verdict for each question, from the summary down to the pairs."""

import streamlit as st

from pages.ui.audit.audit_form import audit_form, audit_in_address, follow_audit, missing_audit
from pages.ui.audit.audit_history import audit_history
from pages.ui.audit.audit_report import report_downloads, report_view
from pages.ui.audit.packaged_audits import packaged_audits
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run

notices()
opened = audit_in_address()
with st.expander("New audit", icon=":material/fact_check:", expanded=opened is None and "data" not in st.query_params):
    audit_form()
audit_history()
if opened is None:
    missing_audit()
    packaged_audits()
    end_run()
report = follow_audit(opened)
if report is None:
    end_run()
report_downloads(opened, report)
report_view(opened, report)
