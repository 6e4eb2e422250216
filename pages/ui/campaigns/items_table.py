"""The items of a campaign as a table: searched, filtered, and opened with all labels and comments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.task_list import TaskRow
from annotations.campaigns.task_texts import TaskTexts
from annotations.exchange.item_cells import names_beside
from annotations.management.comments import ManagerComments
from annotations.results.resolution import ResolvedTask
from annotations.results.results import CampaignLabel
from pages.server import services
from pages.ui.annotate.labeller import format_answer
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.campaigns.item_buttons import item_buttons
from pages.ui.probe.text_panes import document_view, source_marks
from pages.ui.results.copy_popover import copy_table
from pages.ui.review.case_view import case_summaries, format_label_answer, format_option
from pages.ui.shared.comment_view import show_conversation
from pages.ui.shared.session_user import current_member

NOT_LABELLED, FLAGGED, WITHDRAWN = "not labelled", "flagged", "withdrawn"
_HEIGHT = 300


def items_table(campaign: CampaignSettings) -> None:
    """The filters, the items that pass them, and the one that is selected, or what can be done with several."""
    import pandas as pd

    manager = campaign_manager()
    tasks = manager.tasks(campaign.id)
    resolved = {task.task: task for task in manager.resolved_tasks(campaign.id)}
    flagged = {remark.task for remark in manager.remarks(campaign.id) if remark.is_open}
    is_begun = resolved or flagged or any(task.withdrawn for task in tasks)
    rows = list(_filtered(campaign, tasks, resolved, flagged)) if is_begun else tasks
    if tasks and not rows:
        st.info("No item passes the filters.", icon=":material/filter_alt:")
        return
    measured = campaign.questions.by_id[campaign.questions.measure]
    own = {
        name: [task.columns.get(name) for task in rows]
        for name in dict.fromkeys(chain(*(task.columns for task in rows)))
    }
    ours = {
        "part": [task.part for task in rows],
        "labels": [task.labels for task in rows],
        "decision": [_decision(task, resolved) for task in rows],
        "answer": [_decided_answer(campaign, resolved.get(task.task)) for task in rows],
        "flag": [FLAGGED if task.task in flagged else None for task in rows],
        "people": [_people(resolved.get(task.task)) for task in rows],
        "summary": [task.summary for task in rows],
        "withdrawn": [task.withdrawn or None for task in rows],
        "asked": ["; ".join(map(str, task.asked.values())) or None for task in rows],
        "known answers": [json.dumps(task.key, ensure_ascii=False) if task.key else None for task in rows],
    }
    shown = names_beside(own, ours)
    frame = pd.DataFrame({**own, **{shown[name]: cells for name, cells in ours.items()}}).dropna(
        axis="columns", how="all"
    )
    event = st.dataframe(
        frame,
        key=f"items-{campaign.id}-{hash(tuple(task.task for task in rows))}",
        hide_index=True,
        height="content" if len(rows) < 8 else _HEIGHT,
        on_select="rerun",
        selection_mode="multi-row",
        alt="The items of the campaign",
        placeholder="",
        column_config={
            shown["summary"]: st.column_config.Column(width="large"),
            shown["answer"]: st.column_config.Column(help=f"The decided answer to: {measured.ask}"),
        },
    )
    copy_table("Items of the campaign", frame, "campaign-items")
    selected = [rows[place] for place in event["selection"]["rows"] if place < len(rows)]
    if len(selected) == 1:
        _opened_item(campaign, selected[0], resolved.get(selected[0].task))
    if selected:
        item_buttons(campaign, selected, resolved)
    elif rows:
        st.caption("Tick an item to read it with all its labels and comments, or several to do something with them.")


def _filtered(
    campaign: CampaignSettings, tasks: Sequence[TaskRow], resolved: dict[str, ResolvedTask], flagged: set[str]
) -> Iterator[TaskRow]:
    """Draw the filters, and pass the items that fit all of them."""
    questions, key = campaign.questions, f"item-filter-{campaign.id}"
    measured = questions.by_id[questions.measure]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Search", key=f"{key}-words", placeholder="Text or own column", width=240).casefold()
        with st.popover("Filter", icon=":material/filter_alt:"):
            states = list(dict.fromkeys(_decision(task, resolved) for task in tasks))
            decisions = st.multiselect(
                "Decision",
                [*([FLAGGED] if flagged else []), *states],
                key=f"{key}-states",
                placeholder="Any",
            )
            labels = [label for task in resolved.values() for label in task.labels]
            person = st.selectbox(
                "Labelled by",
                sorted({label.person for label in labels}),
                None,
                key=f"{key}-person",
            )
            answers = sorted({str(questions.measured(label.answers)) for label in labels})
            answer = st.selectbox(
                "Who answered" if person else "Somebody answered",
                answers,
                None,
                key=f"{key}-answer",
                format_func=lambda value: format_option(measured, value),
            )
    for task in tasks:
        result = resolved.get(task.task)
        own = [label for label in result.labels if person in (None, label.person)] if result else []
        text = " ".join([task.summary, *task.columns.values(), *map(str, task.asked.values())]).casefold()
        if words not in text:
            continue
        if (
            decisions
            and _decision(task, resolved) not in decisions
            and not (FLAGGED in decisions and task.task in flagged)
        ):
            continue
        if person and not own:
            continue
        if answer and not any(str(questions.measured(label.answers)) == answer for label in own):
            continue
        yield task


def _decision(task: TaskRow, resolved: dict[str, ResolvedTask]) -> str:
    if task.withdrawn:
        return WITHDRAWN
    return resolved[task.task].resolution.value if task.task in resolved else NOT_LABELLED


def _decided_answer(campaign: CampaignSettings, result: ResolvedTask | None) -> str | None:
    questions = campaign.questions
    if result is None or questions.measure not in result.answers:
        return None
    return format_answer(questions.by_id[questions.measure], questions.measured(result.answers))


def _people(result: ResolvedTask | None) -> str | None:
    return ", ".join(label.person for label in result.labels) if result else None


def _opened_item(campaign: CampaignSettings, task: TaskRow, result: ResolvedTask | None) -> None:
    """The texts of an item beside everybody's labels, the decision and the comments."""
    comments = ManagerComments(services.store(), current_member())
    texts = comments.texts(campaign.id, task.task)
    with st.container(border=True, key="opened-item"):
        reading, labelling = st.columns(2, gap="medium")
        with reading:
            case_summaries(texts, campaign.questions)
            document_view(texts.document, highlights=source_marks(texts), key="item-document", height=_HEIGHT)
        with labelling:
            label_table(campaign, [(label, texts) for label in campaign_manager().labels(campaign.id, [task.task])])
            if result and result.answers:
                st.text(f"Decided ({result.resolution.value}): {_answers_text(campaign, result.answers, texts)}")
            for conversation in comments.conversations(campaign.id):
                if conversation.task == task.task:
                    show_conversation(conversation, "manager")


def label_table(campaign: CampaignSettings, labels: Sequence[tuple[CampaignLabel, TaskTexts]]) -> None:
    """Labels with the texts that they are about: who gave which answers, how long it took, and if they count."""
    import pandas as pd

    if not labels:
        st.caption("Nobody has labelled it yet.")
        return
    lines = [
        {
            "person": label.person,
            **{
                question.id: format_label_answer(question, label.answers[question.id], texts)
                for question in campaign.questions.questions
                if question.id in label.answers
            },
            "seconds": label.active_ms / 1000,
            "version": label.version,
            "when": label.created_at,
            "counts": None if label.counts else "no",
        }
        for label, texts in labels
    ]
    st.dataframe(
        pd.DataFrame(lines).dropna(axis="columns", how="all"),
        hide_index=True,
        alt="All labels of the item",
        placeholder="",
        column_config={"when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
    )


def _answers_text(campaign: CampaignSettings, answers: Mapping[str, Any], texts: TaskTexts) -> str:
    return ", ".join(
        f"{question.id} {format_label_answer(question, answers[question.id], texts)}"
        for question in campaign.questions.questions
        if question.id in answers and question.kind != "edit"
    )
