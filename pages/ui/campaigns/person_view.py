"""The work of one person in a campaign, and what everybody is paid at a rate."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.results.person_work import as_decided, work_by_day, work_by_items
from annotations.results.results import CampaignLabel
from pages.ui.annotate.labeller import format_answer
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.markup import escape_markdown

_PERIODS = {"By day": work_by_day, "By 20 items": work_by_items}
_MARKS = {True: "right", False: "wrong"}
_HOUR_MS = 3_600_000


def person_view(campaign: CampaignSettings, person: str) -> None:
    """The labels of a person beside what was decided, and their figures over time."""
    import pandas as pd

    work = campaign_manager().people_work(campaign.id).get(person)
    with st.container(border=True, key="person"):
        if work is None:
            st.caption(escape_markdown(f"{person} has labelled nothing yet."))
            return
        matches = as_decided(work, campaign, work.labels)
        st.markdown(
            f"**{escape_markdown(person)}**: {len(work.labels)} labels in {_duration(work.active_ms)} of reading and "
            f"typing; {sum(matches)} of {len(matches)} as decided"
            + (f", gold {sum(work.gold.values())} of {len(work.gold)}" if work.gold else "")
        )
        over_time, in_full = st.columns([1, 1.4], gap="medium")
        with over_time:
            period = st.segmented_control(
                "Figures",
                list(_PERIODS),
                default="By day",
                required=True,
                key=f"periods-{campaign.id}",
                label_visibility="collapsed",
            )
            frame = pd.DataFrame(_PERIODS[period](work, campaign)).dropna(axis="columns", how="all")
            st.dataframe(frame, hide_index=True, alt=f"Work of {person} over time", placeholder="")
        with in_full:
            summaries = {task.task: task.summary for task in campaign_manager().tasks(campaign.id)}
            labels = pd.DataFrame(
                [
                    {
                        "answer": _measured(campaign, label),
                        "decided": _decided(campaign, work.decided.get(label.task)),
                        "gold": _MARKS[work.gold[label.task]] if label.task in work.gold else None,
                        "seconds": label.active_ms / 1000,
                        "when": label.created_at,
                        "summary": summaries.get(label.task),
                    }
                    for label in reversed(work.labels)
                ]
            )
            st.dataframe(
                labels.dropna(axis="columns", how="all"),
                hide_index=True,
                height=320 if len(labels) > 8 else "content",
                alt=f"Labels of {person}",
                placeholder="",
                column_config={
                    "summary": st.column_config.Column(width="large"),
                    "when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
                },
            )


def _duration(active_ms: int) -> str:
    return f"{active_ms / _HOUR_MS:.1f} h" if active_ms >= _HOUR_MS else f"{60 * active_ms / _HOUR_MS:.0f} min"


def _measured(campaign: CampaignSettings, label: CampaignLabel) -> str:
    questions = campaign.questions
    return format_answer(questions.by_id[questions.measure], questions.measured(label.answers))


def _decided(campaign: CampaignSettings, answer: str | None) -> str | None:
    questions = campaign.questions
    return None if answer is None else format_answer(questions.by_id[questions.measure], answer)


def payment_table(campaign: CampaignSettings) -> None:
    """Hours of everybody, and what they come to at a rate; in an expander."""
    import pandas as pd

    with st.expander("Hours and payment", icon=":material/hourglass_top:", key="payment", on_change="rerun") as box:
        if not box.open:
            return
        rate = st.number_input(
            "Rate for an hour", 0.0, None, 15.0, 0.5, key=f"rate-{campaign.id}", width=200, help="In your currency."
        )
        frame = pd.DataFrame(
            [
                {
                    "person": person,
                    "labels": len(work.labels),
                    "hours": round(work.active_ms / _HOUR_MS, 3),
                    "pay": round(rate * work.active_ms / _HOUR_MS, 2),
                }
                for person, work in campaign_manager().people_work(campaign.id).items()
            ]
        )
        st.dataframe(frame, hide_index=True, alt="Hours and payment of each person")
        copy_table("Hours and payment", frame, "payment")
        st.caption(
            "Time of reading and typing, the seconds of labels.csv; answers that a later one replaced, pauses, and items that were "
            "skipped or flagged, are not in it."
        )
