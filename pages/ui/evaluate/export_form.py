"""A dataset for other people: a zip for Hugging Face's datasets, and a push to the hub."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from annotations.exchange.dataset_export import (
    dataset_files,
    hub_dataset_files,
    licence_error,
    licence_remarks,
    push_error,
)
from annotations.people.people import Right
from annotations.store.records import CAMPAIGN_PREFIX
from core.base import zip_files
from core.types import PRECOMPUTED
from pages.server import services
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.push_form import push_form
from pages.ui.shared.session_user import current_member, member_later


def export_forms(datasets: Sequence[str]) -> None:
    """A form for each imported dataset and for what was kept here; nothing for people who may not manage."""
    if not current_member().may(Right.MANAGE):
        return
    with st.container(horizontal=True):
        for name in datasets:
            if name != PRECOMPUTED and not name.startswith(CAMPAIGN_PREFIX):
                _export_form(name)


def _export_form(name: str) -> None:
    """Licence, download and push; a campaign has its own under Campaigns, Other formats."""
    title = escape_label(f"Export {name}")
    with st.popover(title, icon=":material/output:", key=f"export-{name}", on_change="rerun") as box:
        if not box.open:
            return
        licence = st.text_input(
            "Licence of your own texts and labels",
            "",
            placeholder="cc-by-4.0",
            help="What came from a known dataset keeps the licence of that dataset: leave this empty.",
            key=f"export-licence-{name}",
        )
        if error := licence_error(services.store(), name, licence):
            st.error(escape_message(error), icon=":material/error:")
            return
        member, file = member_later(), re.sub(r"[^\w-]+", "-", name).strip("-").lower()

        def archive() -> bytes:
            member().require(Right.MANAGE)
            return zip_files(dataset_files(services.store(), name, licence))

        st.download_button(
            "Export Hugging Face",
            archive,
            f"{file or 'dataset'}-hf-dataset.zip",
            key=f"export-file-{name}",
            icon=":material/download:",
            on_click="ignore",
            help="A zip: a Parquet file of the summaries with their labels, and a dataset card.",
        )
        st.divider()
        for remark in licence_remarks(services.store(), name):
            st.caption(f":material/info: {escape_markdown(remark)}")
        store = services.store()

        def push(repository: str, *, public: bool, existing: bool) -> str:
            # the hub's library takes a second to import
            from core.models import push_dataset

            return push_dataset(hub_dataset_files(store, name, licence), repository, public=public, existing=existing)

        push_form(
            f"dataset-{name}",
            "texts, labels and the card to a dataset repository of the hub",
            push,
            push_error(services.store(), name, licence),
        )
