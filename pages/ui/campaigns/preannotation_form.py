"""Pre-annotation: the source whose answers are filled in for annotators."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.management.preannotation import AnswerSource, DatasetLabels, ScoreVerdicts
from annotations.store.records import LOCAL_LABELS
from core.scoring.metric import METRICS
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.shared.notices import error_as_notice, leave_notice

_LABELS, _SCORES = "Labels", "Scores of a metric or judge"


def preannotation_form(campaign: CampaignSettings) -> None:
    """Show how many items have answers filled in, and a way to fill in more."""
    number = campaign_manager().count_suggestions(campaign.id)
    key = f"fill-in-{campaign.id}"
    if not st.toggle(f"Fill in answers{f' · {number} items have them' if number else ''}", key=f"{key}-open"):
        return
    st.caption(
        "Annotators see the answers of the source and confirm or change them; the source is not named. Every label says that it "
        "was given so. What is filled in once is not changed, and can be withdrawn."
    )
    if number:
        is_shown = campaign.rules.mode == "pre-annotated"
        pressed = st.button(
            "Withdraw filled-in answers" if is_shown else f"Show the answers of {number} items again",
            icon=":material/visibility_off:" if is_shown else ":material/visibility:",
            key=f"{key}-withdraw",
            disabled=services.settings().demo,
            help="They are kept, and labels keep the note with how much help they were given." if is_shown else None,
        )
        if pressed:
            if is_shown:
                campaign_manager().withdraw_answers(campaign.id)
                leave_notice(f"Annotators of {campaign.name} see no filled-in answers from the next item on.")
            else:
                campaign_manager().show_answers(campaign.id)
                leave_notice(f"Annotators of {campaign.name} see the filled-in answers again.")
            st.rerun()
    source = _source_choice(campaign, key)
    # no callback: it would be called with the source of the run before
    pressed = st.button(
        "Fill in and show to annotators",
        icon=":material/edit_note:",
        key=f"{key}-go",
        disabled=services.settings().demo or source is None,
    )
    if pressed and source:
        with error_as_notice():
            filled = campaign_manager().fill_in_answers(campaign.id, source)
            leave_notice(
                f"Answers to {filled} items of {campaign.name} are filled in, and annotators see them from now on."
            )
        st.rerun()


def _source_choice(campaign: CampaignSettings, key: str) -> AnswerSource | None:
    kind = st.segmented_control("From", [_LABELS, _SCORES], default=_LABELS, key=f"{key}-kind", required=True)
    if kind == _LABELS:
        names = [LOCAL_LABELS, *(row.name for row in services.store().datasets())]
        return DatasetLabels(st.selectbox("Labels of", names, key=f"{key}-dataset", width=360))
    metrics = campaign_manager().scored_metrics(campaign.id)
    if not metrics:
        st.info("No item has a stored score. Score them under Evaluate or by `cli.py score-dataset`.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = st.selectbox(
            "Metric",
            list(metrics),
            format_func=lambda name: f"{name} · {metrics[name]} items",
            key=f"{key}-metric",
            width=360,
        )
        side = "or below" if _is_lower_better(metric) else "or above"
        threshold = st.number_input(
            "Consistent from",
            None,
            None,
            0.5,
            format="%g",
            key=f"{key}-threshold",
            width=150,
            help=f"A summary with this score {side} is filled in as consistent. Calibrate it under Evaluate.",
        )
    return ScoreVerdicts(metric, threshold, _is_lower_better(metric))


def _is_lower_better(metric: str) -> bool:
    """True if lower scores of a metric are more consistent; those that a dataset was released with are higher."""
    return any(plugin.name == metric.partition("[")[0] and plugin.card.direction == "lower" for plugin in METRICS)
