"""Limits of each person, checked after every answer: known answers, repeats, pace and variety. A person below one is warned, then paused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignRules, CampaignSettings
from annotations.campaigns.questions import Answer, unswap_answers
from annotations.campaigns.work_plan import load_person_tasks
from annotations.labelling.limit_counts import SignalCounts, count_response, load_signal_counts, newest_state
from annotations.people.people import Member, expire_open
from annotations.store.campaign_tables import Task
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, require_text
from annotations.store.response_tables import LimitEvent, Reservation, Response
from core.stats import evidence_below, upper_share

WARN_EVIDENCE, PAUSE_EVIDENCE = 5.0, 20.0
"""Evidence for a warning and for a pause: a person within the limit is ever paused with a probability of at most 5 %."""
BY_LIMITS = "the limits"
WARNING_ANSWERS = 5  # answers during which a warning is shown
_WARN_EVERY = 4  # answers: a warning right after an item would reveal that its answer is known
_FEW_FAST = 0.5  # least share of labels that must not be too fast
_LEAST_OTHERS = 30  # labels of others needed to estimate the variety of answers
_MOST_OTHERS = 500


class Signal(StrEnum):
    """Subject of a limit."""

    GOLD = "known answers"
    REPEATS = "repeats"
    PACE = "pace"
    VARIETY = "variety"


SIGNAL_MEANINGS = {
    Signal.GOLD: "{} of {} known answers right",
    Signal.REPEATS: "{} of {} repeated items answered as before",
    Signal.PACE: "{} of {} labels not too fast",
    Signal.VARIETY: "{} of {} labels other than their commonest answer",
}


@dataclass(frozen=True, slots=True)
class LimitSignal:
    """One signal of one person: `good` of `total` answers, where the rules ask for a share of at least `least`."""

    signal: Signal
    good: int
    total: int
    least: float

    @property
    def evidence(self) -> float:
        """Evidence that the person lies below the limit; see `evidence_below`."""
        return evidence_below(self.good, self.total, self.least)

    def describe(self) -> str:
        counts = SIGNAL_MEANINGS[self.signal].format(self.good, self.total)
        return f"{counts}: at most {upper_share(self.good, self.total):.0%}, at least {self.least:.0%} asked"


@dataclass(frozen=True, slots=True)
class PersonState:
    """State of a person in a campaign: paused or not, by the limits or a manager, and why."""

    person_id: str
    person: str
    paused: bool
    signal: str
    reason: str
    by: str
    at: datetime


def has_limits(rules: CampaignRules) -> bool:
    """True if the rules limit anything of a person."""
    return bool(rules.least_gold or rules.least_repeats or rules.least_seconds or rules.least_variety)


def find_pause(session: Session, campaign_id: str, person_id: str) -> LimitEvent | None:
    """Current pause of a person; None for a person who is not paused."""
    newest = newest_state(session, campaign_id, person_id)
    return newest if newest and newest.act == "pause" else None


_SELECT_EVENTS = (
    select(LimitEvent)
    .where(LimitEvent.campaign_id == bindparam("campaign"), LimitEvent.person_id == bindparam("person"))
    .order_by(col(LimitEvent.id).desc())
    .limit(1)
)


def shown_warning(session: Session, campaign_id: str, person_id: str) -> str:
    """Signal of the current warning of a person; "" without one, or some answers after it."""
    newest = session.exec(_SELECT_EVENTS, params={"campaign": campaign_id, "person": person_id}).first()
    if newest is None or newest.act != "warn":
        return ""
    since = (
        select(func.count())
        .select_from(Response)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(
            Reservation.campaign_id == campaign_id,
            Reservation.person_id == person_id,
            Response.act == "answer",
            col(Response.created_at) > newest.created_at,
        )
    )
    return newest.signal if session.exec(since).one() < WARNING_ANSWERS else ""


def load_signals(session: Session, campaign: CampaignSettings, person_id: str) -> list[LimitSignal]:
    """The signals that the rules limit, of answers since the person was last let go on."""
    return _signals(session, campaign, person_id, load_signal_counts(session, campaign, person_id))


def _signals(session: Session, campaign: CampaignSettings, person_id: str, counts: SignalCounts) -> list[LimitSignal]:
    rules, signals = campaign.rules, []
    if rules.least_gold:
        signals.append(LimitSignal(Signal.GOLD, counts.right, counts.gold, rules.least_gold / 100))
    if rules.least_repeats:
        signals.append(LimitSignal(Signal.REPEATS, counts.same, counts.repeated, rules.least_repeats / 100))
    if rules.least_seconds:
        signals.append(LimitSignal(Signal.PACE, counts.read, counts.first, _FEW_FAST))
    if rules.least_variety and (variety := _variety(session, campaign, person_id, counts.answers)):
        signals.append(variety)
    return signals


def _variety(
    session: Session, campaign: CampaignSettings, person_id: str, answers: Counter[Answer]
) -> LimitSignal | None:
    """Labels other than the person's commonest answer, compared with how often other people differ from that answer; None while there are too few."""
    if not answers:
        return None
    answer, times = answers.most_common(1)[0]
    rows = session.execute(_SELECT_OTHERS, {"campaign": campaign.id, "person": person_id}).all()
    others = [
        campaign.questions.measured(unswap_answers(campaign.questions, other_answers, swapped))
        for other_answers, swapped in rows
    ]
    differing = sum(other != answer for other in others)
    if len(others) < _LEAST_OTHERS or not differing:
        return None
    least = campaign.rules.least_variety / 100 * differing / len(others)
    return LimitSignal(Signal.VARIETY, answers.total() - times, answers.total(), min(least, 0.99))


_SELECT_OTHERS = (
    select_columns(col(Response.answers), col(Response.swapped))
    .join(Reservation, col(Reservation.id) == Response.reservation_id)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(
        col(Reservation.campaign_id) == bindparam("campaign"),
        col(Reservation.person_id) != bindparam("person"),
        col(Reservation.state) == "answered",
        ~col(Reservation.excluded),
        col(Task.part) == "work",
        col(Response.act) == "answer",
    )
    .order_by(col(Response.id).desc())
    .limit(_MOST_OTHERS)
)


def check_limits(
    session: Session, campaign: CampaignSettings, person: Member, first_of: Reservation | None, now: datetime
) -> bool:
    """Count a response that was saved, and warn or pause a person whose answers fall short of a limit; True if they are paused, by this or before.

    `first_of` is what the response answers for the first time, None for any other. A paused person gets no more tasks, and
    their open ones are free for others.
    """
    paused = find_pause(session, campaign.id, person.id) is not None
    if not has_limits(campaign.rules):
        return paused
    counts = count_response(session, campaign, person.id, first_of)
    if paused:
        return True
    signals = sorted(_signals(session, campaign, person.id, counts), key=lambda signal: -signal.evidence)
    if not signals or signals[0].evidence < WARN_EVIDENCE:
        return False
    worst = signals[0]
    whom: dict[str, Any] = {"campaign_id": campaign.id, "person_id": person.id, "created_at": now}
    if worst.evidence >= PAUSE_EVIDENCE:
        session.add(LimitEvent(act="pause", signal=worst.signal, reason=worst.describe(), by=BY_LIMITS, **whom))
        expire_open(session, person.id, now, campaign.id)
        return True
    answered = load_person_tasks(session, campaign.id, person.id).answered
    newest = session.exec(_SELECT_EVENTS, params={"campaign": campaign.id, "person": person.id}).first()
    if answered % _WARN_EVERY == 0 and (newest is None or newest.act != "warn" or newest.signal != worst.signal):
        session.add(LimitEvent(act="warn", signal=worst.signal, reason=worst.describe(), by=BY_LIMITS, **whom))
    return False


def pause_person(session: Session, campaign_id: str, person_id: str, reason: str, by: str) -> None:
    """Pause a person in a campaign. Raises RecordError for an empty reason and for a person who is paused already."""
    require_text("reason", reason)
    if find_pause(session, campaign_id, person_id):
        raise RecordError("This person is paused already. Reload the page.")
    now = datetime.now(UTC)
    whom: dict[str, Any] = {"campaign_id": campaign_id, "person_id": person_id, "created_at": now}
    session.add(LimitEvent(act="pause", signal="", reason=reason, by=by, **whom))
    expire_open(session, person_id, now, campaign_id)


def resume_person(session: Session, campaign_id: str, person_id: str, reason: str, by: str) -> None:
    """End the pause of a person; limits count from here. Raises RecordError for a person who is not paused."""
    if not find_pause(session, campaign_id, person_id):
        raise RecordError("This person is not paused. Reload the page.")
    whom: dict[str, Any] = {"campaign_id": campaign_id, "person_id": person_id, "created_at": datetime.now(UTC)}
    session.add(LimitEvent(act="resume", signal="", reason=reason, by=by, **whom))


def load_states(session: Session, campaign_id: str) -> dict[str, PersonState]:
    """The newest event of each person of a campaign that has one, by the id of the person."""
    rows = session.exec(
        select(LimitEvent, Person.name)
        .join(Person, col(Person.id) == LimitEvent.person_id)
        .where(LimitEvent.campaign_id == campaign_id, LimitEvent.act != "warn")
        .order_by(col(LimitEvent.id))
    )
    return {
        event.person_id: PersonState(
            event.person_id, name, event.act == "pause", event.signal, event.reason, event.by, event.created_at
        )
        for event, name in rows
    }
