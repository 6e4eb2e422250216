"""Downloads of a report: one page for a browser, LaTeX and Markdown with their figures, and the TOML that makes it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.people.people import Member
from annotations.store.reports import ReportRow
from core.assessment import PinnedPart, PinnedReport, form_files, read_pin, report_toml
from core.base import zip_files
from pages.ui.results.reports_of_person import reports_of
from pages.ui.shared.session_user import member_later

_FORMS = (("Web page", ".html"), ("LaTeX", ".tex"), ("Markdown", ".md"))


def export_form(row: ReportRow, changes: Mapping[str, str]) -> None:
    """A button for each form; files are made when they are asked for. Sentences on what changed are in them."""
    with st.popover("Export", icon=":material/download:", disabled=not row.parts):
        later = member_later()
        with st.container(horizontal=True):
            for title, ending in _FORMS:
                zipped = ending != ".html"
                st.download_button(
                    title,
                    partial(_file, later, row, ending, changes),
                    f"report{'.zip' if zipped else ending}",
                    key=f"report-export{ending}",
                    mime="application/zip" if zipped else "text/html",
                    on_click="ignore",
                )
            st.download_button(
                "TOML",
                lambda: report_toml(_read_report(later(), row)),
                "report.toml",
                key="report-export.toml",
                mime="application/toml",
                on_click="ignore",
            )
        st.caption(
            "The web page needs no network: pairs open, charts are in it. The TOML has the sources of all results; where their data "
            "are, this makes the report again and says what changed:"
        )
        st.code("python cli.py report report.toml --to report.html", language=None, wrap_lines=True)


def _file(later: Callable[[], Member], row: ReportRow, ending: str, changes: Mapping[str, str]) -> bytes:
    """The only file of a form, or an archive with its figures."""
    remarks = {place: changes[part.pin] for place, part in enumerate(row.parts) if part.pin and part.pin in changes}
    files = form_files(_read_report(later(), row), Path(f"report{ending}"), remarks)
    if ending == ".html":
        return next(iter(files.values()))
    return zip_files({path.name: content for path, content in files.items()})


def _read_report(member: Member, row: ReportRow) -> PinnedReport:
    contents = reports_of(member).contents(row)
    parts = (PinnedPart(part.text, read_pin(contents[part.pin]) if part.pin else None) for part in row.parts)
    return PinnedReport(row.title, tuple(parts))
