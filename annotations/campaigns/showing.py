"""A task as its person sees it: texts and their own answers; no score, author, intention, answer key or other label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from annotations.campaigns.qualifying import Stage
from annotations.campaigns.setup import Terms
from annotations.campaigns.tables import Reservation, Response, Task
from annotations.tables import Document, Explanation, Item


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to label, as it is shown: the sides of a pair stand in the order of this person.

    `right` is there for pairs and explanations. `error_type` is the one to write. `answers` are those given before.
    """

    reservation: int
    number: int
    stage: Stage
    document: str
    left: str
    right: str | None
    explanation: str
    error_type: str
    answers: Mapping[str, Any]


def show(session: Session, campaign: Terms, held: Reservation) -> Work:
    """What lies in somebody's hands, with the sides as they stand for that person."""
    task, item, document = _texts(session, held)
    left, right = _sides(session, campaign, held, item)
    explanation = session.get(Explanation, task.explanation_id) if task.explanation_id else None
    return Work(
        reservation=held.id or 0,
        number=held.number,
        stage=Stage(task.part) if task.part in set(Stage) else Stage.WORK,
        document=document,
        left=left,
        right=right,
        explanation=explanation.text if explanation else task.asked.get("explanation", ""),
        error_type=task.asked.get("error_type", ""),
        answers=_last_answers(session, held),
    )


def _texts(session: Session, held: Reservation) -> tuple[Task, Item, str]:
    """A task with its item and document, asked for at once: this happens twice for every label."""
    found = session.exec(
        select(Task, Item, Document.text)
        .join(Item, col(Item.id) == Task.item_id)
        .join(Document, col(Document.id) == Item.document_id)
        .where(Task.id == held.task_id)
    )
    task, item, document = found.one()
    return task, item, document


def _sides(session: Session, campaign: Terms, held: Reservation, item: Item) -> tuple[str, str | None]:
    if campaign.questions.unit == "summary" or item.parent_id is None:
        return item.text, None
    original = session.get_one(Item, item.parent_id).text
    return (item.text, original) if held.swapped else (original, item.text)


def _last_answers(session: Session, held: Reservation) -> dict[str, Any]:
    """The answers that stand: those of the last revision, or of the one before an undo."""
    last = (
        select(Response.answers)
        .where(Response.reservation_id == held.id, Response.act == "answer")
        .order_by(col(Response.revision).desc())
        .limit(1)
    )
    return dict(session.exec(last).first() or {})
