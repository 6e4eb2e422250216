"""The task in front of a person: its state, what a press does to it, and the texts around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.labelling import (
    AnnotatorActions,
    AnnotatorProgress,
    ResponseReceipt,
    SentResponse,
    load_revealed_scores,
)
from annotations.campaigns.qualification import MarkedAnswer, Stage
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.queue import NoTask, NoTaskReason, ShownTask
from annotations.records import StoreError
from pages.ui import services
from pages.ui.annotate.labeller import LABELLER_KEY, Feedback, TaskMode, TaskView, format_answer, read_draft, read_sent
from pages.ui.markup import without_images
from pages.ui.session_state import WidgetValue, component_message, page_state
from pages.ui.session_user import current_member

_NOTHING_REASONS: dict[NoTaskReason, str] = {
    "closed": "This campaign takes no labels any more. Thank you.",
    "excluded": "You took part in the qualification of another campaign, and this one is for others.",
    "unqualified": "You have finished the qualification, and too few answers were right to go on. Ask the manager of the "
    "campaign.",
    "apart": "What is left for you is another version of what you just labelled. Come back in a while: that keeps labels "
    "independent.",
    "reserved": "What is left is in the hands of others right now. Look again later.",
    "over": "You have labelled everything that there is for you. Thank you.",
}
_OUTCOMES = {
    "answer": "Item {} is saved.",
    "skip": "Item {} was skipped.",
    "flag": "Item {} was flagged.",
    "undo": "Your answer to item {} was taken back.",
}


def guidelines_markdown(campaign: CampaignSettings) -> str:
    """The guidelines as Markdown, as a manager wrote them."""
    return without_images(campaign.guidelines.strip() or campaign.questions.guidelines.strip())


def show_why_nothing(nothing: NoTask) -> None:
    """Why there is no task."""
    if nothing.reason in {"over", "closed"}:
        st.success(_NOTHING_REASONS[nothing.reason], icon=":material/task_alt:")
    else:
        st.info(_NOTHING_REASONS[nothing.reason], icon=":material/hourglass_empty:")


def task_title(task: ShownTask, progress: AnnotatorProgress, mode: TaskMode) -> str:
    """Which item it is; of training and qualification also how many there are."""
    if mode == "again":
        return f"Item {task.number}, answered before"
    if task.stage is Stage.WORK:
        return f"Item {task.number}"
    title = task.stage.value.capitalize()
    if progress.stage is not task.stage:
        return title
    return f"{title} {progress.done + (mode != 'feedback')} of {progress.total}"


def format_receipt(kept: ResponseReceipt, sent: SentResponse, task: ShownTask, stage: Stage) -> str:
    """What became of a press, when it is in the database; `stage` is where the person is now."""
    if (task.stage, stage) == (Stage.QUALIFICATION, Stage.WORK):
        return "You have passed the qualification."
    if not kept.counts:
        return f"Item {task.number} is saved, but others had labelled it meanwhile: it does not count."
    return _OUTCOMES[sent.act].format(task.number)


def feedback_of(marked: MarkedAnswer, questions: QuestionSet) -> Feedback:
    """The feedback on a training item."""
    by_id = questions.by_id
    expected = [(by_id[id].ask, format_answer(by_id[id], answer)) for id, answer in marked.expected.items()]
    return Feedback(marked.is_correct, marked.feedback, expected)


def score_rows(task: ShownTask) -> list[tuple[str, str, str]]:
    """What the metrics gave a task that this person answered blind."""
    rows = load_revealed_scores(services.store(), current_member(), task.reservation)
    return [(row.metric, _format_score(row.original), _format_score(row.edited)) for row in rows]


def _format_score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_AFTER_ALL = 2**31 - 1
_OUT_OF_STEP = "The page and the server are out of step. Reload the page."


@dataclass(frozen=True, slots=True)
class CurrentTask:
    """What a person has in front of them; nothing yet where `task` is None. The other fields are those of a TaskView."""

    person: str
    campaign: CampaignSettings
    task: ShownTask | NoTask | None = None
    mode: TaskMode = "work"
    stamp: str = ""
    handled_event: str = ""
    problem: str = ""
    receipt: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)
    marked_answer: MarkedAnswer | None = None


@dataclass(eq=False)
class AnnotateState:
    """What the Annotate page remembers; `guidelines_read` are the campaigns, with their versions, whose guidelines were read."""

    current: CurrentTask | None = None
    guidelines_open: bool = False
    guidelines_read: frozenset[tuple[str, int]] = frozenset()
    campaign = WidgetValue[str]("annotate-campaign", "")


def annotate_state() -> AnnotateState:
    return page_state(AnnotateState)


def labelling() -> AnnotatorActions:
    return AnnotatorActions(services.store(), current_member())


def current_task(campaign: CampaignSettings) -> tuple[CurrentTask, ShownTask | NoTask]:
    """What the person has in front of them in this campaign; taken from the queue where that is nothing. Raises StoreError."""
    current = annotate_state().current
    if current is None or (current.person, current.campaign.id) != (current_member().id, campaign.id):
        current = CurrentTask(current_member().id, campaign)
    if current.campaign != campaign:
        current = replace(current, campaign=campaign, stamp=uuid4().hex)
    found = current.task
    if not isinstance(found, ShownTask):
        found = labelling().next(campaign.id)
        draft = labelling().draft(found.reservation) if isinstance(found, ShownTask) else {}
        current = replace(current, task=found, draft=draft, stamp=uuid4().hex)
    annotate_state().current = current
    return current, found


def task_view(current: CurrentTask, task: ShownTask, progress: AnnotatorProgress) -> TaskView:
    """What is shown of a task."""
    questions = current.campaign.questions
    return TaskView(
        task=task,
        questions=questions,
        mode=current.mode,
        title=task_title(task, progress, current.mode),
        stamp=current.stamp,
        handled_event=current.handled_event,
        problem=current.problem,
        receipt=current.receipt,
        draft=current.draft,
        answered=progress.answered,
        feedback=feedback_of(current.marked_answer, questions) if current.marked_answer else None,
        scores=score_rows(task) if current.mode == "revealed" else None,
    )


def handle_press() -> None:
    """A press came from the browser: keep it, then go on; what fails stays on the page with its reason."""
    current = annotate_state().current
    message = component_message(LABELLER_KEY).get("sent")
    if current is None or not isinstance(current.task, ShownTask) or not isinstance(message, dict):
        return
    try:
        after = _after_press(current, current.task, message)
    except StoreError as error:
        after = replace(current, problem=str(error))
    annotate_state().current = replace(after, stamp=uuid4().hex, handled_event=str(message.get("event_id")))


def handle_draft() -> None:
    """Half an answer came from the browser."""
    current = annotate_state().current
    if current is None or not isinstance(current.task, ShownTask):
        return
    draft = read_draft(component_message(LABELLER_KEY).get("draft"), current.task)
    if draft is None:
        return
    try:
        labelling().save_draft(current.task.reservation, draft)
    except StoreError as error:
        annotate_state().current = replace(current, stamp=uuid4().hex, problem=str(error))
        return
    annotate_state().current = replace(current, draft=draft, problem="")


def open_previous() -> None:
    """Put the task that was answered last before the person, where there is no other."""
    current = annotate_state().current
    before = labelling().previous(current.campaign.id, _AFTER_ALL) if current else None
    if current and before:
        annotate_state().current = replace(_answered_task(current, before), stamp=uuid4().hex)


def _after_press(current: CurrentTask, task: ShownTask, message: dict[str, Any]) -> CurrentTask:
    if move := _MOVES.get(str(message.get("act"))):
        draft = read_draft(message, task)
        if draft and (current.mode == "work" or message.get("touched")):
            labelling().save_draft(task.reservation, draft)
        return move(current, task, message)
    response = read_sent(message, current.campaign.questions, task)
    if response is None:
        return replace(current, problem=_OUT_OF_STEP)
    kept = labelling().send(response)
    tested = task.stage is Stage.QUALIFICATION
    now = labelling().progress(current.campaign.id).stage if tested else task.stage
    done = CurrentTask(current.person, current.campaign, receipt=format_receipt(kept, response, task, now))
    if response.act != "answer" or current.mode != "work":
        return done
    known = replace(done, task=replace(task, answers=response.answers))
    if task.stage is Stage.TRAINING:
        return replace(known, mode="feedback", marked_answer=labelling().feedback(task.reservation))
    if task.stage is Stage.WORK and current.campaign.rules.reveal:
        return replace(known, mode="revealed")
    return done


def _move_to_previous(current: CurrentTask, task: ShownTask, _: dict[str, Any]) -> CurrentTask:
    before = labelling().previous(current.campaign.id, task.number)
    if before is None:
        return replace(current, problem="You have answered nothing before this.")
    return _answered_task(current, before)


def _move_on(current: CurrentTask, _: ShownTask, __: dict[str, Any]) -> CurrentTask:
    return CurrentTask(current.person, current.campaign)


def _undo_answer(current: CurrentTask, task: ShownTask, message: dict[str, Any]) -> CurrentTask:
    """Take an answer back: the one that is looked at, or else the last."""
    before = task if current.mode == "again" else labelling().previous(current.campaign.id, task.number)
    if before is None:
        return replace(current, problem="There is no answer to take back.")
    sent = {**message, "reservation": before.reservation}
    response = read_sent(sent, current.campaign.questions, before)
    if response is None:
        return replace(current, problem=_OUT_OF_STEP)
    return CurrentTask(
        current.person,
        current.campaign,
        receipt=format_receipt(labelling().send(response), response, before, before.stage),
    )


def _answered_task(current: CurrentTask, before: ShownTask) -> CurrentTask:
    """An answer that was given before, with what was half changed of it."""
    return CurrentTask(current.person, current.campaign, before, "again", draft=labelling().draft(before.reservation))


_MOVES: Mapping[str, Callable[[CurrentTask, ShownTask, dict[str, Any]], CurrentTask]] = {
    "previous": _move_to_previous,
    "next": _move_on,
    "undo": _undo_answer,
}
