"""Models of the annotators of a campaign: competence of each person, and labels that deserve a second look."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from core.stats import format_percent
from pages.ui.annotate.labeller import format_answer
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.background_results import background_result

_MODEL_TITLES = {"dawid-skene": "Dawid-Skene, %", "mace": "MACE, %"}


def annotator_model_view(campaign: CampaignSettings, state: object) -> None:
    """Competence by both models, and the list for a second look; computed again when `state` changes."""
    import pandas as pd

    manager = campaign_manager()
    models = background_result(
        "Fitting models of annotators…",
        ("annotator models", campaign.id, campaign.version, state),
        lambda: manager.annotator_models(campaign.id),
    )
    if not models:
        return
    people, doubtful = models
    if not people:
        return
    st.subheader("Models of annotators")
    rows = []
    for person in people:
        shown = {_MODEL_TITLES[name]: format_percent(estimate) for name, estimate in person.competence.items()}
        rows.append({"person": person.person, "labels": person.labels, **shown})
    frame = pd.DataFrame(rows)
    st.dataframe(frame, hide_index=True, alt="Competence of each person")
    copy_table("Competence of each person", frame, "annotator-models")
    st.caption(
        "How often each person is right (Dawid and Skene 1979), and knows instead of guessing (MACE, Hovy et al. 2013), estimated "
        "with the right answers from all labels and the known answers of gold. In brackets the 95 % interval of a bootstrap over documents."
    )
    st.subheader("Second look")
    if not doubtful:
        st.caption("No label departs far from the model or from the stored scores.")
        return
    question = campaign.questions.by_id[campaign.questions.measure]
    shown_labels = [
        {
            "probability": answer.probability,
            "answer": format_answer(question, answer.answer),
            "likely": format_answer(question, answer.likely),
            "by": answer.person,
            "from": answer.source,
            "summary": answer.summary,
        }
        for answer in doubtful
    ]
    st.dataframe(
        pd.DataFrame(shown_labels),
        hide_index=True,
        alt="Labels that deserve a second look",
        column_config={
            "probability": st.column_config.NumberColumn(format="percent", width="small"),
            "summary": st.column_config.Column(width="large"),
        },
    )
    st.caption(
        "Answers of a low probability: by Dawid-Skene from all labels of the item, or by a metric from the items with the nearest "
        "scores. Nothing is changed: look at them, and leave labels out or adjudicate where that is right."
    )
