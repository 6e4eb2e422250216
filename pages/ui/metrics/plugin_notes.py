"""Plug-ins that did not load, and remarks on those that did, above the list of metrics."""

from __future__ import annotations

import streamlit as st

from core.scoring import plugin_reports
from pages.ui.shared.markup import escape_markdown, escape_message


def plugin_notes() -> None:
    """A warning for each plug-in that is missing, and the remarks on the others; nothing where there are none."""
    reports = plugin_reports()
    for report in reports:
        if report.error:
            st.warning(escape_message(report.error), icon=":material/extension_off:")
    remarks = [remark for report in reports for remark in report.remarks]
    if remarks:
        with st.expander(f"Remarks on plug-ins: {len(remarks)}", icon=":material/extension:"):
            for remark in remarks:
                st.markdown(f"- {escape_markdown(remark)}")
