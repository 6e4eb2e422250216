"""The task in front of a person: its state, what a press does to it, and the texts around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import uuid4

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import MarkedAnswer, Stage
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import (
    AnnotatorActions,
    AnnotatorProgress,
    load_revealed_scores,
)
from annotations.labelling.limits import Signal
from annotations.labelling.queue import NoTask, NoTaskReason
from annotations.store.database import explain_database_error
from annotations.store.records import UnavailableError
from pages.server import services
from pages.ui.annotate.labeller import Feedback, TaskMode, TaskView, format_answer
from pages.ui.shared.markup import safe_guidelines
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member, member_let_in

T = TypeVar("T")

_NOTHING_REASONS: dict[NoTaskReason, str] = {
    "closed": "This campaign takes no labels any more. Thank you.",
    "deadline": "The deadline of this campaign is past. Thank you.",
    "paused": "Your work on this campaign is paused, and its manager sees that. {} Nothing that you did is lost. Ask the manager "
    "how to go on.",
    "calibrated": "You have finished the calibration round. The rest is opened when the manager has looked at it.",
    "stopped": "The labels are enough: this campaign is as certain as it was to become. Thank you.",
    "limit": "You have labelled as many items as this campaign gives to one person. Thank you.",
    "excluded": "You took part in the qualification of another campaign, and this one is for others.",
    "unqualified": "You have finished the qualification, and too few answers were right to go on. Ask the manager of the "
    "campaign.",
    "skill": "What is left asks for a skill that you do not have here, such as a language. Ask the manager of the campaign.",
    "apart": "What is left for you is another version of what you just labelled. Come back in a while: that keeps labels "
    "independent.",
    "reserved": "What is left is in the hands of others right now. Look again later.",
    "over": "You have labelled everything that there is for you. Thank you.",
}


WARNINGS: Mapping[str, str] = {
    Signal.GOLD: "Your labels often differ from what the guidelines lead to. Read them once more, and take your time.",
    Signal.REPEATS: "You often answer differently when you come to the same text again. Read each one to its end.",
    Signal.PACE: "Your labels come faster than the texts can be read. Take your time.",
    Signal.VARIETY: "You give nearly always the same answer, where others give several. Look at each text again.",
}
"""Message to a person on the limit that they fall short of, by its signal; it never tells which items showed it."""


def guidelines_markdown(campaign: CampaignSettings) -> str:
    """The guidelines as Markdown, as a manager wrote them."""
    return safe_guidelines(campaign.guidelines.strip() or campaign.questions.guidelines.strip())


def show_why_nothing(nothing: NoTask) -> None:
    """Show why there is no task."""
    if nothing.reason in {"over", "stopped", "closed", "deadline", "limit"}:
        st.success(_NOTHING_REASONS[nothing.reason], icon=":material/task_alt:")
    else:
        reason = _NOTHING_REASONS[nothing.reason].format(WARNINGS.get(nothing.signal, ""))
        st.info(" ".join(reason.split()), icon=":material/hourglass_empty:")


def task_title(task: ShownTask, progress: AnnotatorProgress, mode: TaskMode) -> str:
    """Title with the number of the item; of training and qualification also how many there are."""
    if mode == "again":
        return f"Item {task.number}, answered before"
    if task.stage is Stage.WORK:
        return f"Item {task.number}"
    title = task.stage.value.capitalize()
    if progress.stage is not task.stage:
        return title
    return f"{title} {progress.done + (mode != 'feedback')} of {progress.total}"


def feedback_of(marked: MarkedAnswer, questions: QuestionSet) -> Feedback:
    """The feedback on a training item."""
    by_id = questions.by_id
    expected = [(by_id[id].ask, format_answer(by_id[id], answer)) for id, answer in marked.expected.items()]
    return Feedback(marked.is_correct, marked.feedback, expected)


def score_rows(task: ShownTask) -> list[tuple[str, str, str]]:
    """Scores of the metrics for a task that this person answered blind."""
    scores = read_or_keep(
        f"scores {task.reservation}",
        lambda: load_revealed_scores(services.store(), current_member(), task.reservation),
    )
    return [(metric, _format_score(original), _format_score(edited)) for metric, (original, edited) in scores.items()]


def _format_score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_AWAY = "The database cannot be used now. What you answer is kept on this page, and saved by itself when the database is back."


@dataclass(frozen=True, slots=True)
class CurrentTask:
    """Task that a person has in front of them."""

    person: str
    """Id of the annotator."""
    campaign: CampaignSettings
    """Campaign with its current settings."""
    task: ShownTask | NoTask | None = None
    """Task on the page; None before one is taken from the queue."""
    mode: TaskMode = "work"
    """Use of the task on the page: label, review an answer, show feedback."""
    stamp: str = ""
    """Random id; a new value makes the browser render the task again."""
    error: str = ""
    """Reason why the last press failed; empty where it did not."""
    receipt: str = ""
    """Outcome of the previous task, as a sentence; empty at first."""
    draft: Mapping[str, Any] = field(default_factory=dict)
    """Unfinished answers that the browser sent last; empty without any."""
    marked_answer: MarkedAnswer | None = None
    """Answer with the correct one, for feedback; None in other modes."""
    ahead: CurrentTask | NoTask | None = None
    """Next task, fetched early; None before that."""
    before: ShownTask | None = None
    """Task answered last, which stays on the page until the next is there."""


@dataclass(eq=False)
class AnnotateState:
    """State of the Annotate page."""

    current: CurrentTask | None = None
    """Task of the person; None before the first."""
    handled: tuple[str, ...] = ()
    """Ids of the presses handled last, so that none counts twice."""
    read: dict[str, Any] = field(default_factory=dict)
    """By part of the page, what was last read; shown while the database is away."""
    away: str = ""
    """Reason why the database cannot be used; empty while it can."""
    guidelines_open: bool = False
    """True if the dialog of the guidelines is open."""
    comments_open: bool = False
    """True if the dialog of the comments is open."""
    new_items: dict[str, int] = field(default_factory=dict)
    """By campaign, the number of items that were new when it was opened."""
    work_open: bool = False
    """True if the dialog of the person's own work is open."""
    comments_read: Mapping[str, int] = field(default_factory=dict)
    """By task, the last answer to a comment that the person was shown."""
    guidelines_read: frozenset[tuple[str, int]] = frozenset()
    """Ids of the campaigns whose guidelines were read, with the numbers of these texts."""
    codes: dict[str, str] = field(default_factory=dict)
    """By campaign, the code that stands in its guidelines in this session."""
    code_given: frozenset[str] = frozenset()
    """Ids of the campaigns whose code was copied in this session."""
    trained: frozenset[str] = frozenset()
    """Ids of the campaigns in which the person went on to work after training."""
    campaign = WidgetValue[str]("annotate-campaign", "")


def annotate_state() -> AnnotateState:
    return page_state(AnnotateState)


def labelling() -> AnnotatorActions:
    return AnnotatorActions(services.store(), current_member())


def read_or_keep(part: str, read: Callable[[], T]) -> T:
    """A part of the page as it is in the database, or as it was last read while that is away. Raises StoreError for the first time."""
    state = annotate_state()
    try:
        state.read[part] = read()
    except UnavailableError as error:
        if part not in state.read:
            raise
        state.away = explain_away(error)
    cached: T = state.read[part]
    return cached


def explain_away(error: UnavailableError) -> str:
    cause = error.__cause__
    return f"{_AWAY} {explain_database_error(cause) if isinstance(cause, Exception) else error}"


def current_task(campaign: CampaignSettings) -> tuple[CurrentTask, ShownTask | NoTask]:
    """Task of the person in this campaign; taken from the queue where there is none. Raises StoreError."""
    current, person = annotate_state().current, member_let_in().id
    if current is None or (current.person, current.campaign.id) != (person, campaign.id):
        current = CurrentTask(person, campaign)
    if current.campaign != campaign:
        current = replace(current, campaign=campaign, stamp=uuid4().hex)
    task = current.task
    if not isinstance(task, ShownTask):
        try:
            task = labelling().next(campaign.id)
            current = replace(_with_draft(current, task), stamp=uuid4().hex)
        except UnavailableError as error:
            if current.before is None:
                raise
            annotate_state().away = explain_away(error)
            return replace(current, mode="waiting"), current.before
    if (
        not current.ahead
        and current.mode == "work"
        and not current.campaign.rules.reveal
        and isinstance(task, ShownTask)
        and task.stage is Stage.WORK
    ):  # what comes next does not depend on the answer, and needs no look at it
        try:
            following = labelling().ahead(task.reservation)
            ahead = _with_draft(CurrentTask(current.person, current.campaign), following)
            current = replace(current, ahead=following if isinstance(following, NoTask) else ahead)
        except UnavailableError as error:
            annotate_state().away = explain_away(error)
    annotate_state().current = current
    return current, task


def _with_draft(current: CurrentTask, task: ShownTask | NoTask) -> CurrentTask:
    draft = labelling().draft(task.reservation) if isinstance(task, ShownTask) else {}
    return replace(current, task=task, draft=draft)


def task_view(current: CurrentTask, task: ShownTask, progress: AnnotatorProgress) -> TaskView:
    """View of a task, with the reason why the database is away, once."""
    questions, state = current.campaign.questions, annotate_state()
    away, state.away = state.away, ""

    ahead = current.ahead
    if not isinstance(ahead, CurrentTask) or not isinstance(ahead.task, ShownTask):
        ahead_view = None
    else:
        ahead_view = TaskView(
            ahead.task,
            current.campaign.questions,
            "work",
            task_title(ahead.task, progress, "work"),
            "",
            draft=ahead.draft,
        )
    return TaskView(
        task=task,
        questions=questions,
        mode=current.mode,
        title=task_title(task, progress, current.mode),
        stamp=current.stamp,
        handled=state.handled,
        error=current.error,
        receipt=current.receipt,
        draft=current.draft,
        answered=progress.answered,
        away=away,
        ahead=ahead_view,
        owner=f"{current.campaign.id} {current.person}",
        feedback=feedback_of(current.marked_answer, questions) if current.marked_answer else None,
        scores=score_rows(task) if current.mode == "revealed" else None,
    )
