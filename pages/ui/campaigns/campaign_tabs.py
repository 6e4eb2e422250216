"""The tabs of a campaign, with its progress and the buttons that export it; only the open one is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType

import pandas as pd
import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.campaign_export import ExportActions
from annotations.campaigns.campaign_progress import CampaignProgress, PersonProgress, Share
from annotations.campaigns.manage import TaskRemark
from annotations.campaigns.people import Right
from pages.ui import services
from pages.ui.campaigns.agreement_tab import agreement_tab
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.campaigns.campaign_editor import items_tab, wording_tab
from pages.ui.session_user import current_member


def export_buttons(campaign: CampaignSettings) -> None:
    """Export as JSONL, which can be imported again, and as CSV; nothing for people who may not manage."""
    if not current_member().may(Right.MANAGE):
        return
    actions = ExportActions(services.store(), current_member())
    file = re.sub(r"[^\w-]+", "-", campaign.name).strip("-").lower() or "campaign"
    st.download_button(
        "Export JSONL",
        lambda: actions.jsonl(campaign.id),
        f"{file}.jsonl",
        key=f"jsonl-{campaign.id}",
        icon=":material/download:",
        on_click="ignore",
        help="Everything: one row per label revision, with pseudonyms; can be imported into another database.",
    )
    st.download_button(
        "Export CSV",
        lambda: actions.table(campaign.id),
        f"{file}.csv",
        key=f"csv-{campaign.id}",
        icon=":material/download:",
        on_click="ignore",
        help="The same rows for a spreadsheet, with a column for each question.",
    )


_COLUMN_HELP = {
    "stage": "Training, qualification or work; unqualified: too few right answers to go on; excluded: sat a qualification that closes this campaign.",
    "active": "Median seconds of reading and typing for a label of work.",
    "gold": "Right answers of those to items with known answers.",
    "repeats": "Same answers of those to items that came a second time.",
}


def progress_tab(campaign: CampaignSettings) -> None:
    """Figures, people and remarks, as they are now."""
    found = campaign_manager().progress(campaign.id)
    _progress_figures(found)
    if found.people:
        _people_table(found.people)
        _remark_table(campaign_manager().remarks(campaign.id))
    else:
        st.info(
            "No item has been started yet. Add people under People and send them their link.",
            icon=":material/group_add:",
        )
    with st.container(horizontal=True):
        export_buttons(campaign)


def format_share(share: Share) -> str:
    """So many of so many, and in percent."""
    return f"{share.count} of {share.total} ({share.value:.0%})" if share.value is not None else ""


def format_hours_left(found: CampaignProgress) -> str:
    """What is left to do, at the pace of the labels so far."""
    if found.active_s is None or not found.remaining:
        return ""
    hours = found.remaining * found.active_s / 3600
    return f"about {hours:.1f} h of work left" if hours >= 1 else f"about {max(1, round(60 * hours))} min of work left"


def _progress_figures(found: CampaignProgress) -> None:
    figures = (
        ("Items done", f"{found.complete} of {found.tasks}", "Labelled by as many people as the rules ask for."),
        ("Labels", f"{found.answered} of {found.required}", None),
        ("Open now", str(found.in_progress), "Items that a person has open now."),
        ("Labels left", str(found.remaining), format_hours_left(found) or None),
        ("Flagged", str(found.flags), None),
        (
            "To adjudicate",
            str(found.disputed),
            f"People differ on them; {found.adjudicated} are adjudicated. See Review.",
        ),
    )
    with st.container(horizontal=True):
        for name, value, help in figures:
            st.metric(name, value, border=True, width=185 if " of " in value else 125, help=help)
    if found.required:
        st.progress(min(1.0, found.answered / found.required), format_hours_left(found) or None)


def _people_table(people: Sequence[PersonProgress]) -> None:
    st.dataframe(
        pd.DataFrame([_person_row(person) for person in people]),
        hide_index=True,
        alt="Progress of each person",
        placeholder="",
        column_config={
            **{name: st.column_config.Column(help=help) for name, help in _COLUMN_HELP.items()},
            "active": st.column_config.NumberColumn("active s", format="%.1f", help=_COLUMN_HELP["active"]),
            "last label": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    st.caption("Answered counts training, qualification and gold too. Times and gold warn; neither rejects anybody.")


def _person_row(person: PersonProgress) -> dict[str, object]:
    return {
        "person": person.name,
        "stage": person.stage.value,
        "answered": person.answered,
        "skipped": person.skipped,
        "flagged": person.flagged,
        "qualification": format_share(person.qualification),
        "gold": format_share(person.gold),
        "repeats": format_share(person.consistency),
        "active": person.active_s,
        "last label": person.last_at,
    }


def _remark_table(remarks: Sequence[TaskRemark]) -> None:
    if not remarks:
        return
    st.subheader("Skipped and flagged")
    st.dataframe(
        pd.DataFrame(
            {
                "what": [one.act for one in remarks],
                "by": [one.person for one in remarks],
                "reason": [one.reason for one in remarks],
                "summary": [one.summary for one in remarks],
                "when": [one.created_at for one in remarks],
            }
        ),
        hide_index=True,
        alt="Why items were skipped or flagged",
        column_config={
            "reason": st.column_config.Column(width="medium"),
            "summary": st.column_config.Column(width="large"),
            "when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )


_TABS: MappingProxyType[str, Callable[[CampaignSettings], None]] = MappingProxyType(
    {
        "Progress": progress_tab,
        "Agreement": agreement_tab,
        "Items": items_tab,
        "Guidelines and rules": wording_tab,
    }
)


def campaign_tabs(chosen: CampaignSettings) -> None:
    """Draw the tab that is open."""
    for tab, show in zip(st.tabs(list(_TABS), key="campaign-tabs", on_change="rerun"), _TABS.values(), strict=True):
        if tab.open:
            with tab:
                show(chosen)
