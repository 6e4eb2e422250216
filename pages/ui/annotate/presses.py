"""Effects of presses: an answer, a skip or a flag is kept, and the person goes on, back, or takes an answer back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from annotations.campaigns.qualification import Stage
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.responses import ResponseReceipt, SentResponse
from annotations.store.records import ChangedElsewhereError, StoreError, UnavailableError
from pages.ui.annotate.current_task import CurrentTask, annotate_state, explain_away, labelling
from pages.ui.annotate.labeller import LABELLER_KEY, read_draft, read_sent
from pages.ui.shared.session_state import component_message

_AFTER_ALL = 2**31 - 1
_MOST_PRESSES = 20  # in one message: a browser has at most two that were not received
_OUT_OF_STEP = "The page and the server are out of step. Reload the page."

_OUTCOMES = {
    "answer": "Item {} is saved.",
    "skip": "Item {} was skipped.",
    "flag": "Item {} was flagged.",
    "undo": "Your answer to item {} was taken back.",
}


def handle_presses() -> None:
    """Presses came from the browser, each with all that it has not heard of yet: keep them one after the other, and go on.

    What is refused stays on the page with its reason, and what comes after it is left; what the database does not take now
    stays with the browser, which sends it again.
    """
    message = component_message(LABELLER_KEY).get("sent")
    presses = message.get("presses") if isinstance(message, dict) else None
    for press in presses[:_MOST_PRESSES] if isinstance(presses, list) else ():
        if not isinstance(press, dict) or not _handle_press(press):
            return


def _handle_press(message: dict[str, Any]) -> bool:
    """Handle one press; whether the next may follow."""
    state, event = annotate_state(), str(message.get("event_id"))
    current = state.current
    if current is None:
        return False
    if event in state.handled:
        return event != state.handled[-1] or not current.error
    try:
        reservation = message.get("reservation")
        if not isinstance(reservation, int):
            after = replace(current, error=_OUT_OF_STEP)
        else:
            try:
                if isinstance(current.task, ShownTask) and current.task.reservation == reservation:
                    after = _after_press_on(current, current.task, message)
                else:
                    campaign, task = labelling().shown(reservation)
                    response = read_sent(message, campaign.questions, task)
                    if response is None:
                        after = replace(current, error=_OUT_OF_STEP)
                    else:
                        saved = labelling().send(response)
                        receipt = format_receipt(saved, response, task, task.stage)
                        current = CurrentTask(current.person, current.campaign) if saved.paused else current
                        after = replace(current, receipt=receipt, error="")
            except ChangedElsewhereError as error:
                campaign, newest = labelling().shown(reservation)
                after = CurrentTask(current.person, campaign, newest, "again", error=str(error))
    except UnavailableError as error:
        state.away = explain_away(error)
        return False
    except StoreError as error:
        after = replace(current, error=str(error))
    state.current = replace(after, stamp=uuid4().hex)
    state.handled = (*state.handled[-_MOST_PRESSES:], event)
    return not after.error


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
    except UnavailableError as error:
        annotate_state().away = explain_away(error)
        return
    except StoreError as error:
        annotate_state().current = replace(current, stamp=uuid4().hex, error=str(error))
        return
    annotate_state().current = replace(current, draft=draft, error="")


def open_previous() -> None:
    """Put the task that was answered last before the person, where there is no other."""
    current = annotate_state().current
    before = labelling().previous(current.campaign.id, _AFTER_ALL) if current else None
    if current and before:
        annotate_state().current = replace(_answered_task(current, before), stamp=uuid4().hex)


def _after_press_on(current: CurrentTask, task: ShownTask, message: dict[str, Any]) -> CurrentTask:
    if move := _MOVES.get(str(message.get("act"))):
        draft = read_draft(message, task)
        if draft and (current.mode == "work" or message.get("touched")):
            labelling().save_draft(task.reservation, draft)
        return move(current, task, message)
    response = read_sent(message, current.campaign.questions, task)
    if response is None:
        return replace(current, error=_OUT_OF_STEP)
    saved = labelling().send(response)
    tested = task.stage is Stage.QUALIFICATION
    now = labelling().progress(current.campaign.id).stage if tested else task.stage
    receipt = format_receipt(saved, response, task, now)
    if current.mode == "work" and isinstance(current.ahead, CurrentTask) and not saved.paused:
        next_after = current.ahead
    else:
        next_after = CurrentTask(current.person, current.campaign)
    done = replace(next_after, receipt=receipt, before=task)
    if response.act != "answer" or current.mode != "work":
        return done
    answered = CurrentTask(
        current.person,
        current.campaign,
        replace(task, answers=response.answers, revision=saved.revision),
        receipt=receipt,
    )
    if task.stage is Stage.TRAINING:
        return replace(answered, mode="feedback", marked_answer=labelling().feedback(task.reservation))
    if task.stage is Stage.WORK and current.campaign.rules.reveal:
        return replace(answered, mode="revealed")
    return done


def _move_to_previous(current: CurrentTask, task: ShownTask, _: dict[str, Any]) -> CurrentTask:
    before = labelling().previous(current.campaign.id, task.number)
    if before is None:
        return replace(current, error="You have answered nothing before this.")
    return _answered_task(current, before)


def _undo_answer(current: CurrentTask, task: ShownTask, message: dict[str, Any]) -> CurrentTask:
    """Take an answer back: the one that is looked at, or else the last."""
    before = task if current.mode == "again" else labelling().previous(current.campaign.id, task.number)
    if before is None:
        return replace(current, error="There is no answer to take back.")
    sent = {**message, "reservation": before.reservation, "revision": before.revision}
    response = read_sent(sent, current.campaign.questions, before)
    if response is None:
        return replace(current, error=_OUT_OF_STEP)
    return CurrentTask(
        current.person,
        current.campaign,
        receipt=format_receipt(labelling().send(response), response, before, before.stage),
        before=task,
    )


def _answered_task(current: CurrentTask, before: ShownTask) -> CurrentTask:
    """An answer that was given before, with what was half changed of it."""
    return CurrentTask(current.person, current.campaign, before, "again", draft=labelling().draft(before.reservation))


_MOVES: Mapping[str, Callable[[CurrentTask, ShownTask, dict[str, Any]], CurrentTask]] = {
    "previous": _move_to_previous,
    "next": lambda current, task, _: CurrentTask(current.person, current.campaign, before=task),
    "undo": _undo_answer,
}


def format_receipt(saved: ResponseReceipt, sent: SentResponse, task: ShownTask, stage: Stage) -> str:
    """Sentence on the result of a press, when it is in the database; `stage` is where the person is now."""
    if (task.stage, stage) == (Stage.QUALIFICATION, Stage.WORK):
        return "You have passed the qualification."
    if not saved.counts:
        return f"Item {task.number} is saved, but others had labelled it meanwhile: it does not count."
    return _OUTCOMES[sent.act].format(task.number)
