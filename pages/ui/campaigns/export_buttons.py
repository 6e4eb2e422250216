"""The buttons that export a campaign: all of it at once, and for other tools with the terms that their cards state."""

from __future__ import annotations

import re

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.exchange.dataset_export import hub_campaign_files, missing_terms
from annotations.exchange.export_format import EXPORT_FORMATS, ExportActions, ExportFormat, ExportTerms, open_export
from annotations.people.people import Right
from pages.server import services
from pages.ui.shared.markup import escape_message
from pages.ui.shared.push_form import push_form
from pages.ui.shared.session_user import current_member, member_later

_TABLES = ("labels", "items")


def export_buttons(campaign: CampaignSettings) -> None:
    """Tables of labels and of items, then everything and the files of other tools; nothing for people who may not manage."""
    if not current_member().may(Right.MANAGE):
        return
    for name in _TABLES:
        _export_button(campaign, EXPORT_FORMATS.get(name), ExportTerms())
    with st.popover(
        "Other formats", icon=":material/output:", key=f"other-tools-{campaign.id}", on_change="rerun"
    ) as box:
        if box.open:
            with st.form(f"terms-{campaign.id}", border=False):
                terms = ExportTerms(
                    licence=st.text_input(
                        "Licence of the labels", placeholder="cc-by-4.0", key=f"licence-{campaign.id}"
                    ),
                    pay=st.text_input("Pay", placeholder="15 € an hour", key=f"pay-{campaign.id}"),
                    consent=st.text_input(
                        "Consent", placeholder="Signed; may be published", key=f"consent-{campaign.id}"
                    ),
                )
                st.form_submit_button("State this in the card and the data statement", icon=":material/check:")
            actions = ExportActions(services.store(), current_member())
            reasons = actions.nothing_to_export(campaign.id)
            with st.container(horizontal=True):
                for export_format in EXPORT_FORMATS:
                    if export_format.name not in _TABLES and not reasons[export_format.name]:
                        _export_button(campaign, export_format, terms)
            for reason in filter(None, reasons.values()):
                st.caption(f":material/info: {escape_message(reason)}")
            st.divider()
            store = services.store()

            def push(repository: str, *, public: bool, existing: bool) -> str:
                # the hub's library takes a second to import
                from core.models import push_dataset

                with open_export(store, campaign.id, terms) as export:
                    files = hub_campaign_files(export)
                return push_dataset(files, repository, public=public, existing=existing)

            push_form(
                f"campaign-{campaign.id}",
                "what the dataset for Hugging Face holds (texts, labels by pseudonyms, and the card) to a dataset repository of the hub",
                push,
                missing_terms(terms.licence, terms.consent),
            )


def _export_button(campaign: CampaignSettings, export_format: type[ExportFormat], terms: ExportTerms) -> None:
    member = member_later()
    file = re.sub(r"[^\w-]+", "-", campaign.name).strip("-").lower() or "campaign"
    st.download_button(
        f"Export {export_format.title}",
        lambda: ExportActions(services.store(), member()).file(campaign.id, export_format.name, terms),
        f"{file}{export_format.suffix}",
        key=f"{export_format.name}-{campaign.id}",
        icon=":material/download:",
        on_click="ignore",
        help=export_format.about,
    )
