"""The state of the Annotate page: which campaign, which task is in hand, and what a press does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import streamlit as st

from annotations.campaigns.labelling import Labelling, Standing
from annotations.campaigns.qualifying import Marked, Stage
from annotations.campaigns.queue import Nothing
from annotations.campaigns.setup import Terms
from annotations.campaigns.showing import Work
from annotations.errors import StoreError
from pages.ui import services
from pages.ui.annotate.labeller import KEY, read_draft, read_sent
from pages.ui.annotate.sheet import Mode, Sheet
from pages.ui.annotate.words import place, receipt, score_rows, told
from pages.ui.seats import member

_STATE = "hand"
_EVERY = 2**31 - 1
_OUT_OF_STEP = "The page and the server are out of step. Reload the page."


@dataclass(frozen=True, slots=True)
class Hand:
    """What lies before the person; nothing yet where `found` is None. The other fields are those of a Sheet."""

    person: str
    campaign: Terms
    found: Work | Nothing | None = None
    mode: Mode = "work"
    stamp: str = ""
    ack: str = ""
    problem: str = ""
    said: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)
    marked: Marked | None = None


def desk() -> Labelling:
    return Labelling(services.store(), member())


def hand(campaign: Terms) -> tuple[Hand, Work | Nothing]:
    """What lies before the person in this campaign; taken from the queue where nothing does. Raises StoreError."""
    held: Hand | None = st.session_state.get(_STATE)
    if held is None or (held.person, held.campaign.id) != (member().id, campaign.id):
        held = Hand(member().id, campaign)
    if held.campaign != campaign:
        held = replace(held, campaign=campaign, stamp=uuid4().hex)
    found = held.found
    if not isinstance(found, Work):
        found = desk().next(campaign.id)
        half_done = desk().draft(found.reservation) if isinstance(found, Work) else {}
        held = replace(held, found=found, draft=half_done, stamp=uuid4().hex)
    st.session_state[_STATE] = held
    return held, found


def sheet(held: Hand, work: Work, standing: Standing) -> Sheet:
    """What is shown of a task."""
    questions = held.campaign.questions
    return Sheet(
        work=work,
        questions=questions,
        mode=held.mode,
        place=place(work, standing, held.mode),
        stamp=held.stamp,
        ack=held.ack,
        problem=held.problem,
        said=held.said,
        draft=held.draft,
        answered=standing.answered,
        told=told(held.marked, questions) if held.marked else None,
        scores=score_rows(work) if held.mode == "revealed" else None,
    )


def sent() -> None:
    """A press came from the browser: keep it, then go on; what fails stays on the page with its reason."""
    held: Hand | None = st.session_state.get(_STATE)
    message = st.session_state[KEY].get("sent")
    if held is None or not isinstance(held.found, Work) or not isinstance(message, dict):
        return
    try:
        after = _after(held, held.found, message)
    except StoreError as error:
        after = replace(held, problem=str(error))
    st.session_state[_STATE] = replace(after, stamp=uuid4().hex, ack=str(message.get("event_id")))


def draft() -> None:
    """Half an answer came from the browser."""
    held: Hand | None = st.session_state.get(_STATE)
    if held is None or not isinstance(held.found, Work):
        return
    half_done = read_draft(st.session_state[KEY].get("draft"), held.found)
    if half_done is None:
        return
    try:
        desk().save_draft(held.found.reservation, half_done)
    except StoreError as error:
        st.session_state[_STATE] = replace(held, stamp=uuid4().hex, problem=str(error))
        return
    st.session_state[_STATE] = replace(held, draft=half_done, problem="")


def look_back() -> None:
    """Put the task that was answered last before the person, where there is no other."""
    held: Hand = st.session_state[_STATE]
    before = desk().before(held.campaign.id, _EVERY)
    if before is not None:
        st.session_state[_STATE] = replace(_again(held, before), stamp=uuid4().hex)


def _after(held: Hand, work: Work, message: dict[str, Any]) -> Hand:
    if move := _MOVES.get(str(message.get("act"))):
        half_done = read_draft(message, work)
        if half_done and (held.mode == "work" or message.get("touched")):
            desk().save_draft(work.reservation, half_done)
        return move(held, work, message)
    response = read_sent(message, held.campaign.questions, work)
    if response is None:
        return replace(held, problem=_OUT_OF_STEP)
    kept = desk().send(response)
    tested = work.stage is Stage.QUALIFICATION
    now = desk().standing(held.campaign.id).stage if tested else work.stage
    done = Hand(held.person, held.campaign, said=receipt(kept, response, work, now))
    if response.act != "answer" or held.mode != "work":
        return done
    known = replace(done, found=replace(work, answers=response.answers))
    if work.stage is Stage.TRAINING:
        return replace(known, mode="feedback", marked=desk().feedback(work.reservation))
    if work.stage is Stage.WORK and held.campaign.rules.reveal:
        return replace(known, mode="revealed")
    return done


def _look_back(held: Hand, work: Work, _: dict[str, Any]) -> Hand:
    before = desk().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, problem="You have answered nothing before this.")
    return _again(held, before)


def _go_on(held: Hand, _: Work, __: dict[str, Any]) -> Hand:
    return Hand(held.person, held.campaign)


def _take_back(held: Hand, work: Work, message: dict[str, Any]) -> Hand:
    """Take an answer back: the one that is looked at, or else the last."""
    before = work if held.mode == "again" else desk().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, problem="There is no answer to take back.")
    told_of = {**message, "reservation": before.reservation}
    response = read_sent(told_of, held.campaign.questions, before)
    if response is None:
        return replace(held, problem=_OUT_OF_STEP)
    return Hand(held.person, held.campaign, said=receipt(desk().send(response), response, before, before.stage))


def _again(held: Hand, before: Work) -> Hand:
    """An answer that was given before, with what was half changed of it."""
    return Hand(held.person, held.campaign, before, "again", draft=desk().draft(before.reservation))


_MOVES: Mapping[str, Callable[[Hand, Work, dict[str, Any]], Hand]] = {
    "previous": _look_back,
    "next": _go_on,
    "undo": _take_back,
}
