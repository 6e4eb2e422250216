"""The labelling desk in the browser: texts, questions and keys; a press is one event, and what is half done is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.responding import Act, Sent
from annotations.campaigns.showing import Work
from pages.ui.annotate.edits import stored_answers
from pages.ui.annotate.sheet import Sheet, as_data
from pages.ui.component import component

KEY = "labeller"
_ACTS: Mapping[str, Act] = {"answer": "answer", "skip": "skip", "flag": "flag", "undo": "undo"}

_mount = component("labeller", "labeller_texts", "labeller_questions", "labeller_keys")


def labeller(sheet: Sheet, on_sent: Callable[[], None], on_draft: Callable[[], None]) -> None:
    """Mount the desk."""
    _mount(key=KEY, data=as_data(sheet), on_sent_change=on_sent, on_draft_change=on_draft)


def read_sent(message: object, questions: QuestionSet, work: Work) -> Sent | None:
    """What the browser sent about a task; None for anything malformed or about another one."""
    match message:
        case {
            "reservation": int(reservation),
            "act": str(act),
            "reason": str(reason),
            "event_id": str(event),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
        } if act in _ACTS and reservation == work.reservation and 16 <= len(event) <= 64:
            return Sent(reservation, _ACTS[act], event, stored_answers(questions, work, answers), reason, active, wall)
    return None


def read_draft(message: object, work: Work) -> dict[str, Any] | None:
    """What is half done of a task: answers, times, and the number of the draft."""
    match message:
        case {
            "reservation": int(reservation),
            "answers": dict(answers),
            "active_ms": int(active),
            "wall_ms": int(wall),
            "seq": int(seq),
        } if reservation == work.reservation:
            return {"answers": answers, "active_ms": active, "wall_ms": wall, "seq": seq}
    return None
