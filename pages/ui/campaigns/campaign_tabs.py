"""The tabs of a campaign, with its progress; only the open one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from types import MappingProxyType

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import TrainingRound
from annotations.campaigns.task_list import TaskRemark
from annotations.labelling.limits import WARN_EVIDENCE
from annotations.management.campaign_progress import CampaignProgress, PersonProgress, Share
from annotations.results.adaptive_overlap import OverlapSaving
from annotations.results.calibration_round import CalibrationRound
from core.stats import format_coefficient, format_count, format_percent
from pages.ui.annotate.labeller import format_answer
from pages.ui.campaigns.agreement_tab import agreement_tab
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.campaigns.campaign_editor import items_tab, wording_tab
from pages.ui.campaigns.comments_tab import comments_tab
from pages.ui.campaigns.crowd_form import crowd_form
from pages.ui.campaigns.exclusion_form import exclusion_form
from pages.ui.campaigns.export_buttons import export_buttons
from pages.ui.campaigns.paused_people import paused_people
from pages.ui.campaigns.person_view import payment_table, person_view
from pages.ui.campaigns.webhook_form import webhook_form
from pages.ui.results.copy_popover import copy_table
from pages.ui.review.review_tab import review_tab
from pages.ui.shared.grouped_views import grouped_views
from pages.ui.shared.markup import escape_markdown

_COLUMN_HELP = {
    "stage": "Training, qualification or work; unqualified: too few right answers to go on; excluded: sat a qualification that closes this campaign.",
    "active": "Median seconds of reading and typing for a label of work.",
    "training": "Right answers of the last round of training, how many rounds there were, and when the last one ended.",
    "gold": "Right answers of those to items with known answers.",
    "left out": "Labels that are left out, with a reason, below.",
    "limits": "What the limits of the rules say of the person, from the answers since they were last let go on.",
    "repeats": "Same answers of those to items that came a second time.",
}


def progress_tab(campaign: CampaignSettings) -> None:
    """Figures, people and remarks, as they are now."""
    import pandas as pd

    progress = campaign_manager().progress(campaign.id)
    _progress_figures(progress, campaign.rules.deadline)
    if campaign.rules.calibration:
        _calibration_view(campaign, campaign_manager().calibration(campaign.id))
    if progress.people:
        rows = [
            {
                "person": person.name,
                "stage": person.stage.value,
                "answered": person.answered,
                "skipped": person.skipped,
                "flagged": person.flagged,
                "training": format_training(person.training),
                "qualification": format_share(person.qualification),
                "gold": format_share(person.gold),
                "repeats": format_share(person.consistency),
                "active": person.active_s,
                "left out": person.excluded,
                "limits": format_limits(person),
                "last label": person.last_at,
            }
            for person in progress.people
        ]
        frame = pd.DataFrame(rows)
        frame = frame.replace("", None).dropna(axis="columns", how="all")
        event = st.dataframe(
            frame,
            key=f"people-{campaign.id}",
            on_select="rerun",
            selection_mode="single-row",
            hide_index=True,
            alt="Progress of each person",
            placeholder="",
            column_config={
                **{name: st.column_config.Column(help=help) for name, help in _COLUMN_HELP.items()},
                "active": st.column_config.NumberColumn("active s", format="%.1f", help=_COLUMN_HELP["active"]),
                "last label": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
            },
        )
        copy_table("Progress of each person", frame, "campaign-progress")
        st.caption(
            "Answered counts training, qualification and gold too, which agreement, final labels and times leave out. Times and "
            "training warn; only the limits of the rules pause somebody, and none rejects a label. Tick a person for their labels, "
            "speed and agreement over time."
        )
        for place in event["selection"]["rows"]:
            if place < len(progress.people):
                person_view(campaign, progress.people[place].name)
        payment_table(campaign)
        paused_people(campaign, "Paused")
        exclusion_form(campaign)
        _remark_table(campaign_manager().remarks(campaign.id))
    else:
        st.info(
            "No item has been started yet. Label under Annotate, or add people under People and send them their link.",
            icon=":material/group_add:",
        )
    with st.container(horizontal=True):
        export_buttons(campaign)
    crowd_form(campaign)
    webhook_form(campaign)


def format_share(share: Share) -> str:
    """So many of so many, and in percent."""
    return f"{share.count} of {share.total} ({share.value:.0%})" if share.value is not None else ""


def format_training(rounds: Sequence[TrainingRound]) -> str:
    """The last round, with its day; how many there were where it is more than one."""
    if not rounds:
        return ""
    last = rounds[-1]
    several = f", round {last.number}" if last.number > 1 else ""
    return f"{format_share(Share(last.right, last.answered))}{several}, {last.last_at:%Y-%m-%d %H:%M}"


def format_hours_left(progress: CampaignProgress) -> str:
    """Estimate of the time that is left to do, at the pace of the labels so far."""
    if progress.active_s is None or not progress.remaining:
        return ""
    hours = progress.remaining * progress.active_s / 3600
    return f"about {hours:.1f} h of work left" if hours >= 1 else f"about {max(1, round(60 * hours))} min of work left"


def format_finish(progress: CampaignProgress, deadline: date | None) -> str:
    """Estimate of the time that is left and of the last day of it; and a warning if that is after the deadline."""
    parts = [format_hours_left(progress)]
    if progress.finish_at:
        parts.append(f"done about {progress.finish_at:%Y-%m-%d} at the pace of the last week")
    if deadline:
        late = bool(progress.finish_at and progress.finish_at.date() > deadline)
        parts.append(f"{'**after** ' if late else ''}the last day is {deadline:%Y-%m-%d}")
    return ", ".join(filter(None, parts))


def _calibration_view(campaign: CampaignSettings, calibration: CalibrationRound) -> None:
    """Show who has done the calibration round, how far they agree on it, and the items on which they differ."""
    import pandas as pd

    measured = campaign.questions.by_id[campaign.questions.measure]
    with st.container(border=True, key="calibration"):
        st.markdown(f"**Calibration round**: the first {format_count(calibration.items, 'item')} by everybody")
        st.text(
            ", ".join(f"{name} {done} of {calibration.items}" for name, done in calibration.done.items())
            or "Nobody yet."
        )
        if calibration.agreement and calibration.agreement.people > 1:
            alpha = format_coefficient(calibration.agreement.alpha)
            st.text(f"Same answer to {measured.id!r}: {format_percent(calibration.agreement.raw)} %, alpha {alpha}")
        if not calibration.disputed:
            return
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "same answer": task.agreement,
                        "summary": task.summary,
                        **{name: format_answer(measured, task.answers.get(name)) for name in calibration.done},
                    }
                    for task in calibration.disputed
                ]
            ),
            hide_index=True,
            alt="Items of the calibration round on which people differ",
            column_config={
                "same answer": st.column_config.NumberColumn(format="percent", width="small"),
                "summary": st.column_config.Column(width="large"),
            },
        )
        st.caption(
            f"{format_count(len(calibration.disputed), 'disputed item')}. Decide under Review; make the guidelines say why."
        )


def _progress_figures(progress: CampaignProgress, deadline: date | None) -> None:
    figures = (
        ("Items done", f"{progress.complete} of {progress.tasks}", "Labelled by as many people as the rules ask for."),
        ("Labels", f"{progress.answered} of {progress.required}", None),
        ("Open now", str(progress.in_progress), "Items that a person has open now."),
        ("Labels left", str(progress.remaining), "Still to be handed out; those open now are not among them."),
        ("Flagged", str(progress.flags), "Answer and resolve them under “Flags and comments”."),
        (
            "To adjudicate",
            str(progress.disputed),
            f"People differ on them; {progress.adjudicated} are adjudicated. See Review.",
        ),
    )
    with st.container(horizontal=True):
        for name, value, help in figures:
            st.metric(name, value, border=True, width=185 if " of " in value else 155, help=help)
    if progress.draw:
        (st.success if progress.draw.stopped else st.info)(
            escape_markdown(progress.draw.describe()),
            icon=":material/task_alt:" if progress.draw.stopped else ":material/casino:",
        )
    if progress.saving and progress.saving.items:
        st.caption(format_saving(progress.saving))
    if progress.required:
        st.progress(min(1.0, progress.answered / progress.required), format_finish(progress, deadline) or None)


def format_saving(saving: OverlapSaving) -> str:
    """Labels that adaptive overlap took, and those of the largest overlap, for the items that are done."""
    share = 1 - saving.labels / saving.fixed
    return (
        f"Adaptive overlap: the {saving.items} items that are done took {saving.labels} labels; a fixed overlap of "
        f"{saving.fixed // saving.items} takes {saving.fixed} ({share:.0%} saved)."
    )


def format_limits(person: PersonProgress) -> str:
    """Paused, warned with what shows it, or within the limits; "" where there are none."""
    if person.paused:
        return f"paused: {person.paused}"
    near = [signal.describe() for signal in person.signals if signal.evidence >= WARN_EVIDENCE]
    return "; ".join(near) if near else "within" if person.signals else ""


def _remark_table(remarks: Sequence[TaskRemark]) -> None:
    import pandas as pd

    if not remarks:
        return
    st.subheader("Skipped and flagged")
    st.dataframe(
        pd.DataFrame(
            {
                "what": [remark.act for remark in remarks],
                "by": [remark.person for remark in remarks],
                "reason": [remark.reason for remark in remarks],
                "summary": [remark.summary for remark in remarks],
                "when": [remark.created_at for remark in remarks],
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


def _review_tab(campaign: CampaignSettings) -> None:
    review_tab(campaign)
    with st.container(horizontal=True):
        export_buttons(campaign)


_TABS: MappingProxyType[str, Callable[[CampaignSettings], None]] = MappingProxyType(
    {
        "Progress": progress_tab,
        "Review": _review_tab,
        "Flags and comments": comments_tab,
        "Agreement": agreement_tab,
        "Items": items_tab,
        "Guidelines and rules": wording_tab,
    }
)


def campaign_tabs(campaign: CampaignSettings) -> None:
    """Draw the tab that is open, at first the one of the address."""
    grouped_views("campaigns", {name: {name: show} for name, show in _TABS.items()}, {}, campaign, default="Progress")
