"""What the Annotate page says around a task: guidelines, receipts, feedback, scores, and why there is nothing."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.labelling import Standing
from annotations.campaigns.qualifying import Marked, Stage
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.queue import Nothing, Why
from annotations.campaigns.responding import Kept, Sent
from annotations.campaigns.revealing import reveal
from annotations.campaigns.setup import Terms
from annotations.campaigns.showing import Work
from pages.ui import services
from pages.ui.annotate.sheet import Mode, Told, answer_text
from pages.ui.plain import without_pictures
from pages.ui.seats import member

_WHY: dict[Why, str] = {
    "closed": "This campaign takes no labels any more. Thank you.",
    "unqualified": "You have finished the qualification, and too few answers were right to go on. Ask the manager of the "
    "campaign.",
    "apart": "What is left for you is another version of what you just labelled. Come back in a while: that keeps labels "
    "independent.",
    "held": "What is left is in the hands of others right now. Look again later.",
    "over": "You have labelled everything that there is for you. Thank you.",
}
_BECAME = {
    "answer": "Item {} is saved.",
    "skip": "Item {} was skipped.",
    "flag": "Item {} was flagged.",
    "undo": "Your answer to item {} was taken back.",
}


def guidelines_of(campaign: Terms) -> str:
    """The guidelines as Markdown, as a manager wrote them."""
    return without_pictures(campaign.guidelines.strip() or campaign.questions.guidelines.strip())


def why_nothing(nothing: Nothing) -> None:
    """Why there is no task."""
    if nothing.why in {"over", "closed"}:
        st.success(_WHY[nothing.why], icon=":material/task_alt:")
    else:
        st.info(_WHY[nothing.why], icon=":material/hourglass_empty:")


def place(work: Work, standing: Standing, mode: Mode) -> str:
    """Which item it is; of training and qualification also how many there are."""
    if mode == "again":
        return f"Item {work.number}, answered before"
    if work.stage is Stage.WORK:
        return f"Item {work.number}"
    title = work.stage.value.capitalize()
    if standing.stage is not work.stage:
        return title
    return f"{title} {standing.done + (mode != 'feedback')} of {standing.of}"


def receipt(kept: Kept, sent: Sent, work: Work, stage: Stage) -> str:
    """What became of a press, when it is in the database; `stage` is where the person is now."""
    if (work.stage, stage) == (Stage.QUALIFICATION, Stage.WORK):
        return "You have passed the qualification."
    if not kept.counts:
        return f"Item {work.number} is kept, but others had labelled it meanwhile: it does not count."
    return _BECAME[sent.act].format(work.number)


def told(marked: Marked, questions: QuestionSet) -> Told:
    """What is said of a training item."""
    asked = questions.by_id
    expected = [(asked[id].ask, answer_text(asked[id], answer)) for id, answer in marked.expected.items()]
    return Told(marked.right, marked.feedback, expected)


def score_rows(work: Work) -> list[tuple[str, str, str]]:
    """What the metrics say of a task that this person answered blind."""
    rows = reveal(services.store(), member(), work.reservation)
    return [(row.metric, _number(row.original), _number(row.edited)) for row in rows]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
