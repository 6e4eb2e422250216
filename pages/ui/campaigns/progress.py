"""How a campaign goes: as a whole, person by person, and what people left out or flagged."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.campaigns.listing import Remark
from annotations.campaigns.progress import PersonProgress, Progress, Share
from annotations.campaigns.setup import Terms
from pages.ui.campaigns.choice import desk
from pages.ui.campaigns.export import export_buttons

_HELP = {
    "stage": "Training, qualification or work; unqualified: too few right answers to go on.",
    "active": "Median seconds of reading and typing for a label of work.",
    "gold": "Right answers of those to items with known answers.",
    "repeats": "Same answers of those to items that came a second time.",
}


def progress_tab(campaign: Terms) -> None:
    """Figures, people and remarks, as they are now."""
    found = desk().progress(campaign.id)
    _figures(found)
    if found.people:
        _people(found.people)
        _remarks(desk().remarks(campaign.id))
    else:
        st.info(
            "Nobody has taken an item yet. Add people under People and send them their link.",
            icon=":material/group_add:",
        )
    with st.container(horizontal=True):
        export_buttons(campaign)


def share_words(share: Share) -> str:
    """So many of so many, and in percent."""
    return f"{share.hits} of {share.of} ({share.value:.0%})" if share.value is not None else ""


def hours_words(found: Progress) -> str:
    """What is left to do, at the pace of the labels so far."""
    if found.active_s is None or not found.left:
        return ""
    hours = found.left * found.active_s / 3600
    return f"about {hours:.1f} h of work left" if hours >= 1 else f"about {max(1, round(60 * hours))} min of work left"


def _figures(found: Progress) -> None:
    figures = (
        ("Items done", f"{found.complete} of {found.tasks}", "Labelled by as many people as the rules ask for."),
        ("Labels", f"{found.answered} of {found.wanted}", None),
        ("In hand", str(found.held), "Items that somebody has open now."),
        ("Labels left", str(found.left), hours_words(found) or None),
        ("Flagged", str(found.flags), None),
        ("To settle", str(found.disputed), f"People differ on them; {found.settled} are settled. See Review."),
    )
    with st.container(horizontal=True):
        for name, value, help in figures:
            st.metric(name, value, border=True, width=185 if " of " in value else 125, help=help)
    if found.wanted:
        st.progress(min(1.0, found.answered / found.wanted), hours_words(found) or None)


def _people(people: Sequence[PersonProgress]) -> None:
    st.dataframe(
        pd.DataFrame([_line(person) for person in people]),
        hide_index=True,
        alt="Progress of each person",
        placeholder="",
        column_config={
            **{name: st.column_config.Column(help=help) for name, help in _HELP.items()},
            "active": st.column_config.NumberColumn("active s", format="%.1f", help=_HELP["active"]),
            "last label": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    st.caption("Answered counts training, qualification and gold too. Times and gold warn; neither rejects anybody.")


def _line(person: PersonProgress) -> dict[str, object]:
    return {
        "person": person.name,
        "stage": person.stage.value,
        "answered": person.answered,
        "skipped": person.skipped,
        "flagged": person.flagged,
        "qualification": share_words(person.qualification),
        "gold": share_words(person.gold),
        "repeats": share_words(person.again),
        "active": person.active_s,
        "last label": person.last_at,
    }


def _remarks(remarks: Sequence[Remark]) -> None:
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
