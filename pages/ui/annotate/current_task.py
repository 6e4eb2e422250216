"""The task in front of a person: its state, what a press does to it, and what is said around it."""

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
    "unqualified": "You have finished the qualification, and too few answers were right to go on. Ask the manager of the "
    "campaign.",
    "apart": "What is left for you is another version of what you just labelled. Come back in a while: that keeps labels "
    "independent.",
    "held": "What is left is in the hands of others right now. Look again later.",
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
    if nothing.why in {"over", "closed"}:
        st.success(_NOTHING_REASONS[nothing.why], icon=":material/task_alt:")
    else:
        st.info(_NOTHING_REASONS[nothing.why], icon=":material/hourglass_empty:")


def task_title(work: ShownTask, standing: AnnotatorProgress, mode: TaskMode) -> str:
    """Which item it is; of training and qualification also how many there are."""
    if mode == "again":
        return f"Item {work.number}, answered before"
    if work.stage is Stage.WORK:
        return f"Item {work.number}"
    title = work.stage.value.capitalize()
    if standing.stage is not work.stage:
        return title
    return f"{title} {standing.done + (mode != 'feedback')} of {standing.of}"


def format_receipt(kept: ResponseReceipt, sent: SentResponse, work: ShownTask, stage: Stage) -> str:
    """What became of a press, when it is in the database; `stage` is where the person is now."""
    if (work.stage, stage) == (Stage.QUALIFICATION, Stage.WORK):
        return "You have passed the qualification."
    if not kept.counts:
        return f"Item {work.number} is kept, but others had labelled it meanwhile: it does not count."
    return _OUTCOMES[sent.act].format(work.number)


def feedback_of(marked: MarkedAnswer, questions: QuestionSet) -> Feedback:
    """What is said of a training item."""
    asked = questions.by_id
    expected = [(asked[id].ask, format_answer(asked[id], answer)) for id, answer in marked.expected.items()]
    return Feedback(marked.right, marked.feedback, expected)


def score_rows(work: ShownTask) -> list[tuple[str, str, str]]:
    """What the metrics say of a task that this person answered blind."""
    rows = load_revealed_scores(services.store(), current_member(), work.reservation)
    return [(row.metric, _format_score(row.original), _format_score(row.edited)) for row in rows]


def _format_score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_AFTER_ALL = 2**31 - 1
_OUT_OF_STEP = "The page and the server are out of step. Reload the page."


@dataclass(frozen=True, slots=True)
class CurrentTask:
    """What lies before the person; nothing yet where `found` is None. The other fields are those of a Sheet."""

    person: str
    campaign: CampaignSettings
    found: ShownTask | NoTask | None = None
    mode: TaskMode = "work"
    stamp: str = ""
    ack: str = ""
    problem: str = ""
    said: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)
    marked: MarkedAnswer | None = None


@dataclass(eq=False)
class AnnotateState:
    """What the Annotate page remembers; `guidelines_read` are the campaigns, with their versions, whose guidelines were read."""

    task: CurrentTask | None = None
    guidelines_open: bool = False
    guidelines_read: frozenset[tuple[str, int]] = frozenset()
    campaign = WidgetValue[str]("annotate-campaign", "")


def annotate_state() -> AnnotateState:
    return page_state(AnnotateState)


def labelling() -> AnnotatorActions:
    return AnnotatorActions(services.store(), current_member())


def current_task(campaign: CampaignSettings) -> tuple[CurrentTask, ShownTask | NoTask]:
    """What lies before the person in this campaign; taken from the queue where nothing does. Raises StoreError."""
    held = annotate_state().task
    if held is None or (held.person, held.campaign.id) != (current_member().id, campaign.id):
        held = CurrentTask(current_member().id, campaign)
    if held.campaign != campaign:
        held = replace(held, campaign=campaign, stamp=uuid4().hex)
    found = held.found
    if not isinstance(found, ShownTask):
        found = labelling().next(campaign.id)
        half_done = labelling().draft(found.reservation) if isinstance(found, ShownTask) else {}
        held = replace(held, found=found, draft=half_done, stamp=uuid4().hex)
    annotate_state().task = held
    return held, found


def task_view(held: CurrentTask, work: ShownTask, standing: AnnotatorProgress) -> TaskView:
    """What is shown of a task."""
    questions = held.campaign.questions
    return TaskView(
        work=work,
        questions=questions,
        mode=held.mode,
        place=task_title(work, standing, held.mode),
        stamp=held.stamp,
        ack=held.ack,
        problem=held.problem,
        said=held.said,
        draft=held.draft,
        answered=standing.answered,
        told=feedback_of(held.marked, questions) if held.marked else None,
        scores=score_rows(work) if held.mode == "revealed" else None,
    )


def handle_press() -> None:
    """A press came from the browser: keep it, then go on; what fails stays on the page with its reason."""
    held = annotate_state().task
    message = component_message(LABELLER_KEY).get("sent")
    if held is None or not isinstance(held.found, ShownTask) or not isinstance(message, dict):
        return
    try:
        after = _after_press(held, held.found, message)
    except StoreError as error:
        after = replace(held, problem=str(error))
    annotate_state().task = replace(after, stamp=uuid4().hex, ack=str(message.get("event_id")))


def handle_draft() -> None:
    """Half an answer came from the browser."""
    held = annotate_state().task
    if held is None or not isinstance(held.found, ShownTask):
        return
    half_done = read_draft(component_message(LABELLER_KEY).get("draft"), held.found)
    if half_done is None:
        return
    try:
        labelling().save_draft(held.found.reservation, half_done)
    except StoreError as error:
        annotate_state().task = replace(held, stamp=uuid4().hex, problem=str(error))
        return
    annotate_state().task = replace(held, draft=half_done, problem="")


def open_previous() -> None:
    """Put the task that was answered last before the person, where there is no other."""
    held = annotate_state().task
    before = labelling().before(held.campaign.id, _AFTER_ALL) if held else None
    if held and before:
        annotate_state().task = replace(_answered_task(held, before), stamp=uuid4().hex)


def _after_press(held: CurrentTask, work: ShownTask, message: dict[str, Any]) -> CurrentTask:
    if move := _MOVES.get(str(message.get("act"))):
        half_done = read_draft(message, work)
        if half_done and (held.mode == "work" or message.get("touched")):
            labelling().save_draft(work.reservation, half_done)
        return move(held, work, message)
    response = read_sent(message, held.campaign.questions, work)
    if response is None:
        return replace(held, problem=_OUT_OF_STEP)
    kept = labelling().send(response)
    tested = work.stage is Stage.QUALIFICATION
    now = labelling().standing(held.campaign.id).stage if tested else work.stage
    done = CurrentTask(held.person, held.campaign, said=format_receipt(kept, response, work, now))
    if response.act != "answer" or held.mode != "work":
        return done
    known = replace(done, found=replace(work, answers=response.answers))
    if work.stage is Stage.TRAINING:
        return replace(known, mode="feedback", marked=labelling().feedback(work.reservation))
    if work.stage is Stage.WORK and held.campaign.rules.reveal:
        return replace(known, mode="revealed")
    return done


def _move_to_previous(held: CurrentTask, work: ShownTask, _: dict[str, Any]) -> CurrentTask:
    before = labelling().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, problem="You have answered nothing before this.")
    return _answered_task(held, before)


def _move_on(held: CurrentTask, _: ShownTask, __: dict[str, Any]) -> CurrentTask:
    return CurrentTask(held.person, held.campaign)


def _undo_answer(held: CurrentTask, work: ShownTask, message: dict[str, Any]) -> CurrentTask:
    """Take an answer back: the one that is looked at, or else the last."""
    before = work if held.mode == "again" else labelling().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, problem="There is no answer to take back.")
    told_of = {**message, "reservation": before.reservation}
    response = read_sent(told_of, held.campaign.questions, before)
    if response is None:
        return replace(held, problem=_OUT_OF_STEP)
    return CurrentTask(
        held.person, held.campaign, said=format_receipt(labelling().send(response), response, before, before.stage)
    )


def _answered_task(held: CurrentTask, before: ShownTask) -> CurrentTask:
    """An answer that was given before, with what was half changed of it."""
    return CurrentTask(held.person, held.campaign, before, "again", draft=labelling().draft(before.reservation))


_MOVES: Mapping[str, Callable[[CurrentTask, ShownTask, dict[str, Any]], CurrentTask]] = {
    "previous": _move_to_previous,
    "next": _move_on,
    "undo": _undo_answer,
}
