"""The printed tables of a paper, filled from the files that its authors released."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.assessment import (
    RELEASED_FOLDER,
    Paper,
    ReleasedData,
    compare_paper,
    comparison_csv,
    format_coverage,
    printed_coverage,
    printed_tables,
)
from core.base import is_allowed, refusal
from pages.server import services
from pages.ui.papers.compared_table import cell_sentence, compared_table
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.session_state import page_state


class ReleasedTablesState:
    """State of the tables: by paper, the number of times that they were computed in this session."""

    presses: dict[str, int]

    def __init__(self) -> None:
        self.presses = {}


def released_tables(paper: Paper) -> None:
    """Every table as printed; ours come beside when they are computed, from what is at hand."""
    st.subheader("The paper's tables", anchor=False)
    state = page_state(ReleasedTablesState)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        folder = st.text_input(
            "Folder of the released files", str(RELEASED_FOLDER), key=f"released-folder-{paper.name}", width=360
        )
        asks = st.checkbox(
            "Ask the endpoint that is set, which may cost money", False, key=f"released-ask-{paper.name}"
        )
        pressed = st.button("Compute ours", icon=":material/play_arrow:", key="released-compute")
    if not is_allowed(Path(folder)):
        st.error(escape_message(refusal(folder)), icon=":material/error:")
        return
    if pressed:
        state.presses = {**state.presses, paper.name: state.presses.get(paper.name, 0) + 1}
    presses, tables = state.presses.get(paper.name, 0), printed_tables(paper.name)
    if presses:
        data = ReleasedData(Path(folder).expanduser(), services.engine(), asks)
        key = ("paper-tables", paper.name, folder, asks, presses)
        result = background_result(
            "Computing ours, which goes on where it was ended…", key, lambda: compare_paper(paper, data)
        )
        if result:
            _, tables = result
    coverage = printed_coverage(tables)
    st.caption(
        escape_markdown(format_coverage(coverage))
        if presses
        else f"{coverage.printed} printed cells. In each: the paper's figure → ours, and the sign of what is said below."
    )
    for table in tables:
        title = f"{table.published.id}: {table.published.caption}"
        with st.expander(escape_markdown(title), expanded=table is tables[0]):
            if cell := compared_table(table, f"released-{paper.name}-{table.published.id}"):
                st.markdown(escape_markdown(cell_sentence(cell)))
    if presses:
        st.download_button(
            "Every cell (CSV)",
            comparison_csv(tables),
            f"{paper.name}.csv",
            on_click="ignore",
            icon=":material/table:",
        )
