"""A new campaign: its name, what it asks, of which items, by which rules."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.campaigns.questions import QuestionSet, read_questions
from annotations.campaigns.rules import Rules
from annotations.campaigns.setup import NewTask, Wording
from annotations.errors import StoreError
from pages.ui import services
from pages.ui.campaigns.choice import desk, open_campaign, say
from pages.ui.campaigns.items import ChosenItems, chosen_items, item_pool
from pages.ui.campaigns.known import known_answers
from pages.ui.campaigns.rules import passing, rules_form
from pages.ui.campaigns.wording import guidelines_box, question_choice
from pages.ui.plain import plain

_KEY = "new-campaign"


def setup() -> None:
    """The form of a new campaign and its button."""
    left, right = st.columns(2, gap="large")
    with left:
        name = st.text_input(
            "Name of the campaign", key=f"{_KEY}-name", placeholder="For example: Harbour news, round 1"
        )
        text = question_choice(_KEY)
    if text is None:
        st.stop()
    questions = read_questions(text)
    with left:
        guidelines = guidelines_box(_KEY, questions)
    with right:
        pool = item_pool(questions, _KEY)
    items = chosen_items(pool, known_answers(pool.kept, questions, _KEY), questions)
    with right:
        rules = rules_form(_KEY, _usual(items))
    if rules is not None:
        _create_bar(name, Wording(text, guidelines, rules), items)


def hints(questions: QuestionSet, rules: Rules, items: ChosenItems) -> list[str]:
    """What would not do what it looks like."""
    said = []
    if items.of("gold") and not rules.gold_every:
        said.append("Gold items are never handed out: set “Gold: one in”.")
    if rules.gold_every and not items.of("gold"):
        said.append("No gold item is there to be mixed in.")
    if items.of("qualification") and not rules.pass_right:
        said.append("Everybody passes the qualification: set “Right to pass”.")
    if rules.reveal and any(question.kind == "edit" for question in questions.questions):
        said.append("Scores of a text that is only being written are not there to be shown.")
    return said


def _usual(items: ChosenItems) -> Rules:
    """Rules that are usual for such items."""
    return Rules(pass_right=passing(items.of("qualification")), gold_every=10 if items.of("gold") else 0)


def _create_bar(name: str, wording: Wording, items: ChosenItems) -> None:
    with st.container():  # what lies below keeps its place when a hint comes or goes
        for hint in hints(read_questions(wording.questions), wording.rules, items):
            st.caption(f":material/info: {hint}")
    with st.container(horizontal=True, vertical_alignment="center"):
        # no callback: it would be called with the form of the run before, when somebody types and presses quickly
        pressed = st.button(
            "Create the campaign",
            icon=":material/flag:",
            type="primary",
            key=f"{_KEY}-go",
            disabled=services.settings().demo or not items.work,
            help="Nothing is kept in this demo." if services.settings().demo else None,
        )
        st.caption(plain(_sum(wording.rules, items)))
    if pressed:
        _create(name, wording, items.tasks)
        st.rerun()


def _sum(rules: Rules, items: ChosenItems) -> str:
    labels = len(items.work) * rules.overlap
    beside = [f"{number} for {part}" for part in ("training", "qualification", "gold") if (number := items.of(part))]
    return ", ".join([f"{len(items.work)} items × {rules.overlap} people = {labels} labels", *beside])


def _create(name: str, wording: Wording, tasks: Sequence[NewTask]) -> None:
    try:
        campaign = desk().create(name.strip(), wording, tasks)
    except StoreError as error:
        say(str(error))
        return
    say(f"{campaign.name} is open: {len(tasks)} items are waiting under Annotate.")
    open_campaign(campaign.id)
