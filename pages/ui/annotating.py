"""The state of the Annotate page: which campaign, which task is in hand, and what a press does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from annotations.campaigns.labelling import Labelling
from annotations.campaigns.qualifying import Marked
from annotations.campaigns.queue import Nothing
from annotations.campaigns.setup import Terms
from annotations.campaigns.showing import Work
from annotations.errors import StoreError
from pages.ui import services
from pages.ui.labeller import KEY, Sheet, asks_for, read_draft, read_sent
from pages.ui.seats import member

_STATE = "hand"


@dataclass(frozen=True, slots=True)
class Hand:
    """What lies before the person. `stamp` grows with everything that the browser has to redraw.

    `again` is an earlier task that is looked at once more; `revealed` says that its scores are to be seen.
    """

    campaign: Terms
    found: Work | Nothing
    stamp: int
    problem: str = ""
    again: bool = False
    revealed: bool = False
    marked: Marked | None = None
    draft: dict[str, Any] = field(default_factory=dict)


def desk() -> Labelling:
    return Labelling(services.store(), member())


def hand(campaign: Terms) -> Hand:
    """What lies before the person in this campaign; taken from the queue where nothing does."""
    held: Hand | None = st.session_state.get(_STATE)
    if held is None or held.campaign.id != campaign.id or isinstance(held.found, Nothing):
        held = _next(campaign, held.stamp if held else 0)
    elif held.campaign != campaign:
        held = replace(held, campaign=campaign, stamp=held.stamp + 1)
    st.session_state[_STATE] = held
    return held


def sheet(held: Hand, work: Work, answered: int) -> Sheet:
    """What is shown of a task."""
    return Sheet(
        work=work,
        questions=held.campaign.questions,
        draft=held.draft,
        stamp=held.stamp,
        place=f"Item {work.number}" + (", answered before" if held.again else ""),
        problem=held.problem,
        can={"previous": answered > 0, "undo": answered > 0, "skip": not held.again, "flag": not held.again},
    )


def sent() -> None:
    """A press came from the browser: keep it, then go on; what fails stays on the page with its reason."""
    held: Hand = st.session_state[_STATE]
    if not isinstance(held.found, Work):
        return
    message = st.session_state[KEY].get("sent")
    try:
        st.session_state[_STATE] = _after(held, held.found, message)
    except StoreError as error:
        st.session_state[_STATE] = replace(held, stamp=held.stamp + 1, problem=str(error))


def draft() -> None:
    """Half an answer came from the browser."""
    held: Hand = st.session_state[_STATE]
    if not isinstance(held.found, Work) or held.again:
        return
    answers = read_draft(st.session_state[KEY].get("draft"), held.found)
    if answers is None or services.settings().demo:
        return
    try:
        desk().save_draft(held.found.reservation, answers)
    except StoreError as error:
        st.session_state[_STATE] = replace(held, stamp=held.stamp + 1, problem=str(error))


def _after(held: Hand, work: Work, message: object) -> Hand:
    if asks_for(message, "previous"):
        return _look_back(held, work)
    if asks_for(message, "undo"):
        return _take_back(held, work, message)
    response = read_sent(message, held.campaign.questions, work)
    if response is None:
        return replace(held, stamp=held.stamp + 1, problem="The page and the server are out of step. Reload the page.")
    desk().send(response)
    if response.act == "answer" and held.campaign.rules.reveal and not held.revealed:
        known = replace(work, answers=response.answers)
        return replace(held, found=known, stamp=held.stamp + 1, problem="", again=True, revealed=True, draft={})
    marked = desk().feedback(work.reservation) if response.act == "answer" else None
    return replace(_next(held.campaign, held.stamp), marked=marked)


def _look_back(held: Hand, work: Work) -> Hand:
    before = desk().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, stamp=held.stamp + 1, problem="You have answered nothing before this.")
    return Hand(held.campaign, before, held.stamp + 1, again=True)


def _take_back(held: Hand, work: Work, message: object) -> Hand:
    before = work if held.again else desk().before(held.campaign.id, work.number)
    if before is None:
        return replace(held, stamp=held.stamp + 1, problem="There is no answer to take back.")
    told = {**message, "reservation": before.reservation} if isinstance(message, dict) else message
    response = read_sent(told, held.campaign.questions, before)
    if response is not None:
        desk().send(response)
    return _next(held.campaign, held.stamp)


def _next(campaign: Terms, stamp: int) -> Hand:
    found = desk().next(campaign.id)
    half_done = desk().draft(found.reservation) if isinstance(found, Work) else {}
    return Hand(campaign, found, stamp + 1, draft=half_done)
