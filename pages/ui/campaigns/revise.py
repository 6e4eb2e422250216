"""What a campaign holds and asks: its items, more of them, the next version, and those before."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.campaigns.questions import read_questions
from annotations.campaigns.setup import NewTask, Terms, Wording
from annotations.campaigns.versions import Issued
from annotations.errors import StoreError
from pages.ui import services
from pages.ui.campaigns.choice import desk, say
from pages.ui.campaigns.items import chosen_items, item_pool
from pages.ui.campaigns.known import known_answers
from pages.ui.campaigns.rules import rules_form
from pages.ui.campaigns.wording import guidelines_box, question_choice


def items_tab(campaign: Terms) -> None:
    """The items with their labels and keys, and a way to add some."""
    tasks = desk().tasks(campaign.id)
    st.dataframe(
        pd.DataFrame(
            {
                "part": [task.part for task in tasks],
                "labels": [task.labels for task in tasks],
                "summary": [task.summary for task in tasks],
                "asked": ["; ".join(map(str, task.asked.values())) for task in tasks],
                "known answers": [json.dumps(task.key, ensure_ascii=False) if task.key else "" for task in tasks],
            }
        ),
        hide_index=True,
        height=320,
        alt="The items of the campaign",
        column_config={"summary": st.column_config.Column(width="large")},
    )
    key = f"more-{campaign.id}"
    if st.toggle("Add items", key=f"{key}-open"):
        pool = item_pool(campaign.questions, key)
        chosen = chosen_items(pool, known_answers(pool.kept, campaign.questions, key), campaign.questions)
        # no callback, as for every form: it would be called with what was chosen in the run before
        pressed = st.button(
            f"Add {len(chosen.tasks)} items",
            icon=":material/playlist_add:",
            key=f"{key}-go",
            disabled=services.settings().demo or not chosen.tasks,
            help="Those that are there already are not added again.",
        )
        if pressed:
            _add(campaign, chosen.tasks)
            st.rerun()


def wording_tab(campaign: Terms) -> None:
    """Guidelines, questions and rules to change together, and the versions so far."""
    issued = desk().versions(campaign.id)
    newest, key = issued[0].wording, f"revise-{campaign.id}-{campaign.version}"
    left, right = st.columns(2, gap="large")
    with left:
        text = question_choice(key, newest.questions)
        questions = read_questions(text or newest.questions)
        guidelines = guidelines_box(key, questions, newest.guidelines)
    with right:
        rules = rules_form(key, newest.rules)
        if rules is not None:
            _issue(campaign, newest, Wording(text or newest.questions, guidelines, rules, newest.is_open))
        _versions(issued)


def _issue(campaign: Terms, before: Wording, wording: Wording) -> None:
    # no callback: it would be called with the wording of the run before, when somebody types and presses quickly
    pressed = st.button(
        f"Issue version {campaign.version + 1}",
        icon=":material/publish:",
        type="primary",
        key=f"issue-{campaign.id}",
        disabled=services.settings().demo or wording == before,
        help="Labels given so far keep the number of their version.",
    )
    if pressed:
        _revise(campaign, wording)
        st.rerun()


def _versions(issued: Sequence[Issued]) -> None:
    st.dataframe(
        pd.DataFrame(
            {
                "version": [one.version for one in issued],
                "from": [one.created_at for one in issued],
                "by": [one.by for one in issued],
                "labels": ["taken" if one.wording.is_open else "closed" for one in issued],
                "rules": [one.wording.rules.model_dump_json(exclude_defaults=True) for one in issued],
                "guidelines": [one.wording.guidelines for one in issued],
            }
        ),
        hide_index=True,
        alt="The versions of the campaign",
        column_config={"from": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
    )


def _add(campaign: Terms, tasks: Sequence[NewTask]) -> None:
    try:
        added = desk().add(campaign.id, tasks)
    except StoreError as error:
        say(str(error))
        return
    say(f"{added} items are new in {campaign.name}.")


def _revise(campaign: Terms, wording: Wording) -> None:
    try:
        desk().revise(campaign.id, wording)
    except StoreError as error:
        say(str(error))
