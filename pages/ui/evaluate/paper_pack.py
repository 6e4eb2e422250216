"""The paper pack: one press writes everything that a paper has to show and to say about these tables."""

from __future__ import annotations

import streamlit as st

from annotations.records import CAMPAIGN_PREFIX
from annotations.samples import format_description, load_description
from core.meta.paper_pack import PACK_NAME, PackRequest, pack_commands
from pages.ui import services
from pages.ui.evaluate.dataset_choice import EvaluationChoice


def pack_request(chosen: EvaluationChoice, aspect: str) -> PackRequest:
    """What of the page's choice is packed, with the correlations of one aspect; an empty aspect means none."""
    store = services.store()
    files = [file for row in store.datasets() if row.name in chosen.datasets for file in row.files]
    own = [name for name in chosen.datasets if name not in {file.dataset for file in files}]
    described = {
        name: format_description(load_description(store, name)) if name.startswith(CAMPAIGN_PREFIX) else []
        for name in own
    }
    return PackRequest(
        chosen.datasets, chosen.by, aspect, chosen.resamples, chosen.cases, chosen.parts, files, described
    )


def paper_pack(request: PackRequest, found: bytes) -> None:
    """The button, and what the archive holds."""
    st.write(
        "One archive with the tables (Markdown, LaTeX, CSV), the figures (SVG, PDF), a data card, citations, the metrics with "
        "their signatures and versions, and the commands that give the same archive again."
    )
    st.download_button(
        "Download the paper pack",
        found,
        PACK_NAME,
        mime="application/zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        type="primary",
    )
    st.code(pack_commands(request), language="bash", wrap_lines=True)
