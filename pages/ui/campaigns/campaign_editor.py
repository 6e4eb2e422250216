"""A campaign set up, given more items, and issued in a next version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from annotations.campaigns.assignment import CampaignPeople
from annotations.campaigns.campaign import CampaignRules, CampaignSettings, NewTask, VersionContent
from annotations.campaigns.questions import QuestionSet, read_questions
from annotations.campaigns.rule_reach import rule_reach
from annotations.labelling.queue import EARLY_GOLD
from annotations.management.campaign_templates import CampaignTemplate, qualification_of, template_tasks
from core.scoring import METRICS
from core.stats import format_count
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager, labelling_people, open_campaign, people_choice
from pages.ui.campaigns.file_items import (
    blind_columns,
    column_names,
    earlier_labels_choice,
    shown_columns_choice,
)
from pages.ui.campaigns.item_pool import ChosenItems, bundled_candidates, chosen_items, item_pool
from pages.ui.campaigns.items_table import items_table
from pages.ui.campaigns.known_answers import known_answers
from pages.ui.campaigns.preannotation_form import preannotation_form
from pages.ui.campaigns.rules_form import overlap_field, reach_lines, rules_form, usual_pass_mark
from pages.ui.campaigns.template_form import printed_guidelines, template_choice, template_notes
from pages.ui.campaigns.wording_form import guidelines_box, question_choice, wording_popover
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import error_as_notice, leave_notice
from pages.ui.shared.script_run import end_run
from pages.ui.shared.session_user import current_member

_NEW_KEY = "new-campaign"


def new_campaign_form() -> None:
    """The form of a new campaign and its button."""
    wording_column, items_column = st.columns(2, gap="large")
    with wording_column:
        name = st.text_input(
            "Name of the campaign", key=f"{_NEW_KEY}-name", placeholder="For example: Harbour news, round 1"
        )
        template = template_choice(_NEW_KEY)
        # each template begins with its own values
        key = f"{_NEW_KEY}-{template.name}" if template else _NEW_KEY
        text = question_choice(key, default=template.questions) if template else question_choice(key)
    if text is None:
        end_run()
    questions = read_questions(text)
    with wording_column:
        printed = printed_guidelines(template, questions, key) if template else None
        wording_key = key if printed is None else f"{key}-printed-words"  # each begins with its own text
        guidelines = wording_popover(wording_key, questions, text, printed)
    with items_column:
        pool = item_pool(questions, key)
        shown = shown_columns_choice(key, column_names(pool.candidates), blind_columns(pool.candidates))
        first = CampaignRules.model_validate(template.rules) if template else CampaignRules()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            overlap = overlap_field(key, first)
            box = st.popover("Rules", icon=":material/tune:", key=f"{key}-rules")
    with box, st.container(key=f"wide-{key}-rules"):
        people = people_choice(key)
        known = template_tasks(template, questions, bundled_candidates()) if template else {}
        items = chosen_items(pool, known | known_answers(pool.candidates, questions, key), questions)
        usual = {
            "pass_right": usual_pass_mark(items.of("qualification")),
            "gold_every": 10 if items.of("gold") else 0,
            "early_overlap": True,
            "least_gold": 70 if items.of("gold") else 0,
            "least_repeats": 70,
            "least_seconds": 1,
            "least_variety": 50,
        }
        own = {**template.rules, "template": template.name} if template else {}
        before = CampaignRules.model_validate({**usual, **own, "shown_columns": shown})
        rules = rules_form(key, before, overlap, _campaign_names())
    with items_column:
        earlier = earlier_labels_choice(key, items.work)
    if rules is not None:
        with items_column:
            reach_lines(
                rule_reach(
                    rules, {str(part): number for part, number in items.by_part.items()}, labelling_people(people)
                )
            )
        if template:
            with wording_column:
                template_notes(template, rules, {part: items.of(part) for part in ("training", "gold")})
        _create_bar(name, VersionContent(text, guidelines, rules), items, people, earlier, template)
    else:
        st.error("Two rules contradict each other: see Rules.", icon=":material/error:")


def setup_hints(questions: QuestionSet, rules: CampaignRules, items: ChosenItems) -> list[str]:
    """Settings that have no effect, in sentences."""
    hints = []
    if items.of("gold") and not rules.gold_every:
        hints.append("Gold items are never given out: set “Gold: one in”.")
    if (rules.gold_every or rules.least_gold) and not items.of("gold"):
        hints.append("There is no gold item to mix in.")
    if items.of("qualification") and not rules.pass_right:
        hints.append("Everybody passes the qualification: set “Right to pass”.")
    if rules.least_gold and 0 < items.of("gold") < EARLY_GOLD:
        hints.append(f"Known answers can pause nobody before there are {EARLY_GOLD} gold items.")
    if rules.calibration_pause and not rules.calibration:
        hints.append("There is no calibration round to wait after: set “First items by all”.")
    if rules.reveal and any(question.kind == "edit" for question in questions.questions):
        hints.append("A text that is still being written has no scores to show.")
    return hints


def _campaign_names() -> list[str]:
    return [campaign.name for campaign in campaign_manager().campaigns()]


def _create_bar(
    name: str,
    wording: VersionContent,
    items: ChosenItems,
    people: CampaignPeople,
    earlier: Sequence[str],
    template: CampaignTemplate | None = None,
) -> None:
    with st.container():  # what lies below keeps its place when a hint comes or goes
        for hint in setup_hints(read_questions(wording.questions), wording.rules, items):
            st.caption(f":material/info: {hint}")
    with st.container(horizontal=True, vertical_alignment="center"):
        # no callback: it would be called with the form of the run before, when somebody types and presses quickly
        pressed = st.button(
            "Create the campaign",
            icon=":material/flag:",
            type="primary",
            key=f"{_NEW_KEY}-go",
            disabled=services.settings().demo or not items.work,
            help="Nothing is kept in this demo." if services.settings().demo else None,
        )

        overlap = wording.rules.overlap
        times = "1 person" if overlap == 1 else f"{overlap} people"
        labels = format_count(len(items.work) * overlap, "label")
        others = [
            f"{number} for {part}" for part in ("training", "qualification", "gold") if (number := items.of(part))
        ]
        there = sum(name in task.earlier for task in items.work for name in earlier)
        come = [f"{format_count(there, 'label')} that come along"] if there else []
        st.caption(
            escape_markdown(
                ", ".join([f"{format_count(len(items.work), 'item')} × {times} = {labels}", *come, *others])
            )
        )
    if pressed:
        with error_as_notice():
            tasks, order = _in_order(read_questions(wording.questions), wording.rules, items.tasks)
            gating = template if wording.rules.skills else None
            qualification = qualification_of(gating, name.strip(), current_member().name) if gating else None
            if qualification:
                campaign = campaign_manager().create_qualified(
                    name.strip(), wording, tasks, people, qualification, earlier
                )
                order += f" Its items are for those who pass {qualification.name}, which is open too."
            else:
                campaign = campaign_manager().create(name.strip(), wording, tasks, people, earlier)
            # the same texts are one item, however often a dataset has them
            number = len(campaign_manager().tasks(campaign.id))
            leave_notice(f"{campaign.name} is open: {format_count(number, 'item')} to label under Annotate.{order}")
            open_campaign(campaign.id)
        st.rerun()


def _in_order(questions: QuestionSet, rules: CampaignRules, tasks: Sequence[NewTask]) -> tuple[Sequence[NewTask], str]:
    """New items in the order of the rules, and a sentence on it. Raises StoreError where there is none of that kind."""
    if rules.order == "random":
        return tasks, ""
    directions = {metric.name: metric.card.direction for metric in METRICS}
    ordered, compared = campaign_manager().order_by_disagreement(questions.unit, tasks, directions)
    return ordered, f" {compared} have scores of at least two metrics and come first."


def items_tab(campaign: CampaignSettings) -> None:
    """The items with their labels and keys, and a way to add some."""
    items_table(campaign)
    preannotation_form(campaign)
    key = f"more-{campaign.id}"
    if st.toggle("Add items", key=f"{key}-open"):
        pool = item_pool(campaign.questions, key)
        items = chosen_items(pool, known_answers(pool.candidates, campaign.questions, key), campaign.questions)
        # no callback, as for every form: it would be called with what was chosen in the run before
        pressed = st.button(
            f"Add {format_count(len(items.tasks), 'item')}",
            icon=":material/playlist_add:",
            key=f"{key}-go",
            disabled=services.settings().demo or not items.tasks,
            help="Items that the campaign has already are not added again.",
        )
        if pressed:
            with error_as_notice():
                ordered, order = _in_order(campaign.questions, campaign.rules, items.tasks)
                added = campaign_manager().add(campaign.id, ordered)
                leave_notice(f"{format_count(added, 'new item')} in {campaign.name}.{order}")
            st.rerun()


def wording_tab(campaign: CampaignSettings) -> None:
    """Guidelines, questions and rules to change together, and the versions so far."""
    import pandas as pd

    issued = campaign_manager().versions(campaign.id)
    newest, key = issued[0].content, f"revise-{campaign.id}-{campaign.version}"
    questions_column, rules_column = st.columns(2, gap="large")
    with questions_column:
        text = question_choice(key, newest.questions)
        questions = read_questions(text or newest.questions)
        guidelines = guidelines_box(key, questions, newest.guidelines)
    with rules_column:
        columns = campaign_manager().column_names(campaign.id)
        shown = shown_columns_choice(key, columns, [name for name in newest.rules.shown_columns if name in columns])
        before = newest.rules.model_copy(update={"shown_columns": shown})
        with st.container(horizontal=True, vertical_alignment="bottom"):
            overlap = overlap_field(key, before)
            box = st.popover("Rules", icon=":material/tune:", key=f"{key}-rules")
        with box, st.container(key=f"wide-{key}-rules"):
            rules = rules_form(key, before, overlap, [name for name in _campaign_names() if name != campaign.name])
        if rules is None:
            st.error("Two rules contradict each other: see Rules.", icon=":material/error:")
        else:
            parts = Counter(task.part for task in campaign_manager().tasks(campaign.id))
            reach_lines(rule_reach(rules, parts, labelling_people(campaign_manager().assignment(campaign.id))))
        if rules is not None:
            wording = VersionContent(text or newest.questions, guidelines, rules, newest.is_open)
            # no callback: it would be called with the wording of the run before, when somebody types and presses quickly
            pressed = st.button(
                f"Issue version {campaign.version + 1}",
                icon=":material/publish:",
                type="primary",
                key=f"issue-{campaign.id}",
                disabled=services.settings().demo or wording == newest,
                help="Labels given so far keep the number of their version.",
            )
            if pressed:
                with error_as_notice():
                    campaign_manager().revise(campaign.id, wording)
                st.rerun()

        own_rules = [version.content.rules.model_dump(mode="json", exclude_defaults=True) for version in issued]
        st.dataframe(
            pd.DataFrame(
                {
                    "version": [version.version for version in issued],
                    "from": [version.created_at for version in issued],
                    "by": [version.by for version in issued],
                    "labels": ["open" if version.content.is_open else "closed" for version in issued],
                    "rules that differ from the default": [
                        ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in rules.items())
                        for rules in own_rules
                    ],
                    "guidelines": [version.content.guidelines for version in issued],
                }
            ),
            hide_index=True,
            alt="The versions of the campaign",
            column_config={"from": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
        )
