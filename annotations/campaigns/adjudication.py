"""Adjudication: what people differ on, worst first, with their labels unnamed; and the decision, which settles them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign, load_campaigns, stable_number
from annotations.campaigns.people import Member, Right
from annotations.campaigns.questions import Answers, check_answers, check_text_answers, unswap_answers
from annotations.campaigns.queue import load_task_texts
from annotations.campaigns.results import Case, LabelProvenance, StoredDecision, load_cases
from annotations.campaigns.tables import Reservation, Response, Settlement, Task
from annotations.database import read_session
from annotations.records import RecordError, require_storable
from annotations.store import Store
from annotations.tables import Origin
from annotations.writes import next_revision


class DisagreementCause(StrEnum):
    """Why people differed."""

    SLIP = "annotator slip"
    AMBIGUOUS = "ambiguous text"
    GUIDELINE_GAP = "guideline gap"
    EDGE_CASE = "real edge case"


@dataclass(frozen=True, slots=True)
class AdjudicationQueue:
    """What there is to settle: the cases, worst agreement first, and those that are decided.

    `not_mine` are tasks that this person labelled or made, which somebody else has to settle. `counts` says of all labelled
    tasks how many came to their label in which way.
    """

    left: tuple[Case, ...]
    decided: tuple[Case, ...]
    not_mine: int
    counts: Mapping[LabelProvenance, int]


@dataclass(frozen=True, slots=True)
class AdjudicationTask:
    """A task on which people differ, as it is shown: the sides of a pair and the labels stand in orders without meaning.

    `answers` are what people say, unnamed, in the same order as `responses`. `flags` are the reasons of those who flagged it.
    """

    task: str
    agreement: float
    document: str
    left: str
    right: str | None
    explanation: str
    error_type: str
    answers: tuple[Mapping[str, Any], ...]
    responses: tuple[int, ...]
    flags: tuple[str, ...]
    decided: StoredDecision | None
    reopened: bool


@dataclass(frozen=True, slots=True)
class SentDecision:
    """What an adjudicator sends of a dispute as it was shown; `settles` are the responses that were looked at."""

    task: str
    answers: Answers
    cause: DisagreementCause
    settles: Sequence[int]
    event_id: str
    note: str = ""


class AdjudicatorActions:
    """An adjudicator's desk; raises RightsError for somebody who may not adjudicate."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.SETTLE)
        self._store = store
        self._person = person

    def campaigns(self) -> list[CampaignSettings]:
        """Every campaign, newest first."""
        with read_session(self._store.engine) as session:
            return load_campaigns(session)

    def docket(self, campaign_id: str) -> AdjudicationQueue:
        """What two people or more answered otherwise, and decisions that a later label contradicts."""
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)
            made, labelled = self._made(session, campaign), load_cases(session, campaign)
        disputed = [one for one in labelled if one.agreement < 1 or one.decided]
        mine = [one for one in disputed if one.task not in made and not self._labelled(one)]
        ordered = sorted(mine, key=lambda one: (one.agreement, one.task))
        return AdjudicationQueue(
            left=tuple(one for one in ordered if one.reopened or not one.decided),
            decided=tuple(one for one in ordered if one.decided and not one.reopened),
            not_mine=len(disputed) - len(mine),
            counts=Counter(one.provenance for one in labelled),
        )

    def dispute(self, campaign_id: str, task: str) -> AdjudicationTask:
        """A task with its texts and the labels to compare. Raises RecordError for one that is not this person's to settle."""
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)
            return self._dispute(session, campaign, self._case(session, campaign, task))

    def settle(self, campaign_id: str, decision: SentDecision) -> int:
        """Keep a decision as the next revision; its number. A re-sent event changes nothing.

        Raises RecordError for answers that do not fit, for labels that are not there, and for a task that this person
        labelled or made.
        """
        require_storable("the note", decision.note, decision.event_id)
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            known = session.exec(select(Settlement).where(Settlement.event_id == decision.event_id)).first()
            if known:
                return known.revision
            self._case(session, campaign, decision.task)
            if not decision.settles or not set(decision.settles) <= _response_ids(session, decision.task):
                raise RecordError("This decision settles labels that are not there. Reload the page and decide again.")
            return self._keep(session, campaign, decision)

    def _keep(self, session: Session, campaign: CampaignSettings, decision: SentDecision) -> int:
        session.exec(select(Task.id).where(Task.id == decision.task).with_for_update(key_share=True)).one()
        last = select(func.max(Settlement.revision)).where(Settlement.task_id == decision.task)
        revision = next_revision(session, last)
        answers = unswap_answers(campaign.questions, decision.answers, self._swapped(campaign, decision.task))
        checked = check_answers(campaign.questions, answers)
        texts = load_task_texts(session, campaign, decision.task)
        check_text_answers(campaign.questions, checked, texts.document, *texts.sides(swapped=False))
        session.add(
            Settlement(
                task_id=decision.task,
                revision=revision,
                answers=checked,
                cause=decision.cause.value,
                note=decision.note,
                settles=sorted(decision.settles),
                by=self._person.name,
                event_id=decision.event_id,
                created_at=datetime.now(UTC),
            )
        )
        return revision

    def _case(self, session: Session, campaign: CampaignSettings, task: str) -> Case:
        found = next(iter(load_cases(session, campaign, task)), None)
        if found is None:
            raise RecordError(f"There is no label of task {task!r} to settle. Reload the page.")
        if self._labelled(found):
            raise RecordError("You labelled this one yourself. Somebody else has to settle it.")
        if task in self._made(session, campaign):
            raise RecordError("You made this one yourself. Somebody else has to settle it.")
        return found

    def _labelled(self, case: Case) -> bool:
        return self._person.name in {one.person for one in case.said}

    def _made(self, session: Session, campaign: CampaignSettings) -> set[str]:
        """The tasks whose item is of this person's making: they know what was meant."""
        mine = select(Task.id).join(Origin, col(Origin.item_id) == Task.item_id)
        return set(session.exec(mine.where(Task.campaign_id == campaign.id, Origin.by == self._person.name)).all())

    def _swapped(self, campaign: CampaignSettings, task: str) -> bool:
        return campaign.questions.unit == "pair" and stable_number(self._person.id, task, "settled side") % 2 == 1

    def _dispute(self, session: Session, campaign: CampaignSettings, case: Case) -> AdjudicationTask:
        texts = load_task_texts(session, campaign, case.task)
        swapped, decided = self._swapped(campaign, case.task), case.decided
        unnamed = sorted(case.said, key=lambda one: stable_number(self._person.id, one.response))
        left, right = texts.sides(swapped)
        return AdjudicationTask(
            task=case.task,
            agreement=case.agreement,
            document=texts.document,
            left=left,
            right=right,
            explanation=texts.explanation,
            error_type=texts.error_type,
            answers=tuple(unswap_answers(campaign.questions, one.answers, swapped) for one in unnamed),
            responses=tuple(one.response for one in unnamed),
            flags=_flag_reasons(session, case.task),
            decided=replace(decided, answers=unswap_answers(campaign.questions, decided.answers, swapped))
            if decided
            else None,
            reopened=case.reopened,
        )


def _response_ids(session: Session, task: str) -> set[int]:
    """The answers that were ever given to a task."""
    given = select(Response.id).join(Reservation, col(Reservation.id) == Response.reservation_id)
    found = session.exec(given.where(Reservation.task_id == task, Response.act == "answer"))
    return {id for id in found if id is not None}


def _flag_reasons(session: Session, task: str) -> tuple[str, ...]:
    given = select(Response.reason).join(Reservation, col(Reservation.id) == Response.reservation_id)
    found = session.exec(given.where(Reservation.task_id == task, Response.act == "flag").order_by(col(Response.id)))
    return tuple(found)
