"""Adjudication: what people differ on, worst first, with their labels unnamed; and the decision, which settles them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, select

from annotations.campaigns.people import Member, Right
from annotations.campaigns.questions import Answers, check_answers
from annotations.campaigns.reading import Said, Settled, last_words, settled
from annotations.campaigns.setup import Terms, load_campaigns, number_of, terms
from annotations.campaigns.tables import Settlement, Task
from annotations.database import read
from annotations.errors import RecordError
from annotations.records import require_storable
from annotations.store import Store
from annotations.tables import Document, Explanation, Item


class Cause(StrEnum):
    """Why people differed."""

    SLIP = "annotator slip"
    AMBIGUOUS = "ambiguous text"
    GUIDELINE_GAP = "guideline gap"
    EDGE_CASE = "real edge case"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A task on which people differ: its texts, the original left, and their answers unnamed in an order without meaning."""

    task: str
    agreement: float
    document: str
    left: str
    right: str | None
    explanation: str
    answers: tuple[Mapping[str, Any], ...]
    responses: tuple[int, ...]
    decided: Settled | None


@dataclass(frozen=True, slots=True)
class Decision:
    """What an adjudicator sends; `settles` are the responses that were looked at."""

    task: str
    answers: Answers
    cause: Cause
    settles: Sequence[int]
    event_id: str
    note: str = ""


class Settling:
    """An adjudicator's desk; raises RightsError for somebody who may not adjudicate."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.SETTLE)
        self._store = store
        self._person = person

    def campaigns(self) -> list[Terms]:
        """Every campaign, newest first."""
        with read(self._store.engine) as session:
            return load_campaigns(session)

    def disputes(self, campaign_id: str, decided: bool = False) -> list[Dispute]:
        """What two people or more answered otherwise, worst agreement first; without what this person labelled.

        `decided` gives also what was decided already, after the rest.
        """
        with read(self._store.engine) as session:
            campaign = terms(session, campaign_id)
            done = settled(session, campaign)
            found = [
                self._dispute(session, campaign, task, said, done.get(task))
                for task, said in by_task(last_words(session, campaign)).items()
                if self._may_settle(campaign, said) and (decided or task not in done)
            ]
        return sorted(found, key=lambda dispute: (dispute.decided is not None, dispute.agreement, dispute.task))

    def settle(self, campaign_id: str, decision: Decision) -> int:
        """Keep a decision as the next revision; its number. A re-sent event changes nothing.

        Raises RecordError for answers that do not fit, and for a task that this person labelled.
        """
        require_storable("the note", decision.note, decision.event_id)
        with self._store.writing() as session:
            campaign = terms(session, campaign_id)
            known = session.exec(select(Settlement).where(Settlement.event_id == decision.event_id)).first()
            if known:
                return known.revision
            self._require_stranger(session, campaign, decision.task)
            return self._keep(session, campaign, decision)

    def _keep(self, session: Session, campaign: Terms, decision: Decision) -> int:
        session.exec(select(Task.id).where(Task.id == decision.task).with_for_update(key_share=True)).one()
        last = session.exec(select(func.max(Settlement.revision)).where(Settlement.task_id == decision.task)).one()
        session.add(
            Settlement(
                task_id=decision.task,
                revision=(last or 0) + 1,
                answers=check_answers(campaign.questions, decision.answers),
                cause=decision.cause.value,
                note=decision.note,
                settles=sorted(decision.settles),
                by=self._person.name,
                event_id=decision.event_id,
                created_at=datetime.now(UTC),
            )
        )
        return (last or 0) + 1

    def _may_settle(self, campaign: Terms, said: Sequence[Said]) -> bool:
        return len(said) > 1 and agreement(campaign, said) < 1 and self._person.name not in {one.person for one in said}

    def _require_stranger(self, session: Session, campaign: Terms, task: str) -> None:
        said = by_task(last_words(session, campaign)).get(task, [])
        if not said:
            raise RecordError(f"There is no label of task {task!r} to settle. Reload the page.")
        if self._person.name in {one.person for one in said}:
            raise RecordError("You labelled this one yourself. Somebody else has to settle it.")

    def _dispute(
        self, session: Session, campaign: Terms, task_id: str, said: Sequence[Said], decided: Settled | None
    ) -> Dispute:
        task = session.get_one(Task, task_id)
        item = session.get_one(Item, task.item_id)
        parent = session.get(Item, item.parent_id) if item.parent_id and campaign.questions.unit != "summary" else None
        explanation = session.get(Explanation, task.explanation_id) if task.explanation_id else None
        unnamed = sorted(said, key=lambda one: number_of(self._person.id, one.response))
        return Dispute(
            task=task_id,
            agreement=agreement(campaign, said),
            document=session.get_one(Document, item.document_id).text,
            left=parent.text if parent else item.text,
            right=item.text if parent else None,
            explanation=explanation.text if explanation else task.asked.get("explanation", ""),
            answers=tuple(one.answers for one in unnamed),
            responses=tuple(one.response for one in unnamed),
            decided=decided,
        )


def by_task(said: Sequence[Said]) -> dict[str, list[Said]]:
    """The answers of each task together."""
    together: dict[str, list[Said]] = defaultdict(list)
    for one in said:
        together[one.task].append(one)
    return dict(together)


def agreement(campaign: Terms, said: Sequence[Said]) -> float:
    """The share of pairs of people whose answers to the question that counts are equal; 1 for one person."""
    counts = Counter(one.answers.get(campaign.questions.measure) for one in said)
    pairs = len(said) * (len(said) - 1)
    return sum(number * (number - 1) for number in counts.values()) / pairs if pairs else 1.0
