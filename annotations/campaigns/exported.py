"""What a campaign consists of, as rows of its export: versions, people, texts and tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.agreeing import given_types
from annotations.campaigns.cases import cases
from annotations.campaigns.longform import (
    CampaignLine,
    DocumentLine,
    EditLine,
    ExplanationLine,
    ItemLine,
    Line,
    OriginLine,
    PersonLine,
    TaskLine,
    VersionLine,
)
from annotations.campaigns.setup import Terms
from annotations.campaigns.tables import (
    Campaign,
    Correction,
    Key,
    Person,
    Reservation,
    Response,
    Settlement,
    Task,
    Version,
)
from annotations.rows import content_id
from annotations.tables import Document, EditRow, Explanation, Item, Origin
from core.types import ErrorType


@dataclass(frozen=True, slots=True)
class Known:
    """What the rows of a campaign have in common: its terms, the pseudonym of every name, and its tasks by number."""

    campaign: Terms
    pseudonyms: dict[str, str]
    numbers: dict[str, int]
    provenance: dict[str, str]
    answers: dict[str, dict[str, Any]]

    def who(self, name: str) -> str:
        """The pseudonym of a person; the name of anything else, such as a model."""
        return self.pseudonyms.get(name, name)


def known_of(session: Session, campaign: Terms) -> Known:
    found = cases(session, campaign)
    tasks = session.exec(
        select(Task.id).where(Task.campaign_id == campaign.id).order_by(col(Task.position), col(Task.id))
    )
    return Known(
        campaign=campaign,
        pseudonyms=dict(session.exec(select(Person.name, Person.pseudonym)).all()),
        numbers={task: number for number, task in enumerate(tasks, start=1)},
        provenance={case.task: case.provenance.value for case in found},
        answers={case.task: dict(case.answers) for case in found},
    )


def setup_of(session: Session, known: Known) -> Iterator[Line]:
    row = session.get_one(Campaign, known.campaign.id)
    yield CampaignLine(campaign=row.name, by=known.who(row.by), created_at=row.created_at)
    versions = select(Version).where(Version.campaign_id == row.id).order_by(col(Version.version))
    for version in session.exec(versions):
        yield VersionLine(**version.model_dump(exclude={"id", "campaign_id", "by"}), by=known.who(version.by))
    for person in session.exec(
        select(Person).where(col(Person.name).in_(_names(session, row.id))).order_by(Person.pseudonym)
    ):
        yield PersonLine(person=person.pseudonym, role=person.role)


def _names(session: Session, campaign_id: str) -> set[str]:
    """Who labelled, settled or corrected."""
    labelled = select(Person.name).join(Reservation, col(Reservation.person_id) == Person.id)
    settled = select(Settlement.by).join(Task, col(Task.id) == Settlement.task_id)
    corrected = (
        select(Correction.by)
        .join(Response, col(Response.id) == Correction.response_id)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
    )
    return {
        *session.exec(labelled.where(Reservation.campaign_id == campaign_id)),
        *session.exec(settled.where(Task.campaign_id == campaign_id)),
        *session.exec(corrected.where(Reservation.campaign_id == campaign_id)),
    }


def texts_of(session: Session, known: Known) -> Iterator[Line]:
    items, types = _items(session, known.campaign), given_types(session, known.campaign)
    for document_id in dict.fromkeys(item.document_id for item in items):
        yield DocumentLine(document_id=document_id, document=session.get_one(Document, document_id).text)
    for item in items:
        yield _item(session, known, item)
        yield from _origins(session, known, item, types.get(item.id))
    judged = select(Explanation).join(Task, col(Task.explanation_id) == Explanation.id)
    for row in session.exec(judged.where(Task.campaign_id == known.campaign.id).distinct()):
        yield ExplanationLine(
            explanation_id=_explanation_id(known, row),
            item_id=row.item_id,
            explanation=row.text,
            by=known.who(row.by),
            created_at=row.created_at,
        )


def _origins(session: Session, known: Known, item: Item, error_type: str | None) -> Iterator[OriginLine]:
    """Where an item comes from; the error type that a dataset gives it is told last, as that counts."""
    rows = session.exec(select(Origin).where(Origin.item_id == item.id).order_by(col(Origin.created_at))).all()
    for row in rows:
        yield OriginLine(**row.model_dump(exclude={"id", "by"}), by=known.who(row.by))
    told = [row.error_type for row in rows if row.error_type]
    if error_type and told[-1:] != [error_type]:
        yield OriginLine(
            item_id=item.id,
            by="",
            intended=None,
            error_type=ErrorType(error_type),
            title="",
            domain="",
            source="a dataset",
            created_at=max([item.created_at, *(row.created_at for row in rows)]),
        )


def _items(session: Session, campaign: Terms) -> list[Item]:
    """What is labelled in a campaign and what was written in it, behind all that it was made from."""
    tasks = select(Task.item_id).where(Task.campaign_id == campaign.id)
    written = select(Origin.item_id).where(Origin.source == f"campaign {campaign.name}")
    level: SelectOfScalar[Any] = select(Item.id).where(or_(col(Item.id).in_(tasks), col(Item.id).in_(written)))
    found: dict[str, Item] = {}
    while rows := session.exec(select(Item).where(col(Item.id).in_(level)).order_by(Item.id)).all():
        found.update((row.id, row) for row in rows)
        level = select(Item.parent_id).where(col(Item.id).in_(level), col(Item.parent_id).is_not(None))
    return sorted(found.values(), key=lambda row: _depth(found, row))


def _depth(found: dict[str, Item], item: Item) -> int:
    return 1 + _depth(found, found[item.parent_id]) if item.parent_id else 0


def _item(session: Session, known: Known, item: Item) -> ItemLine:
    edits = session.exec(select(EditRow).where(EditRow.item_id == item.id).order_by(col(EditRow.position)))
    return ItemLine(
        item_id=item.id,
        document_id=item.document_id,
        parent_id=item.parent_id,
        summary=item.text,
        edits=tuple(
            EditLine(**edit.model_dump(exclude={"item_id", "position", "by"}), by=known.who(edit.by)) for edit in edits
        ),
    )


def _explanation_id(known: Known, row: Explanation) -> str:
    """The id that the explanation has where people are called by their pseudonyms: the one here is made from a name."""
    return content_id(row.item_id, row.text, known.who(row.by))


def tasks_of(session: Session, known: Known) -> Iterator[Line]:
    found = session.exec(
        select(Task, Key, Explanation)
        .outerjoin(Key, col(Key.task_id) == Task.id)
        .outerjoin(Explanation, col(Explanation.id) == Task.explanation_id)
        .where(Task.campaign_id == known.campaign.id)
        .order_by(col(Task.position), col(Task.id))
    )
    for task, key, explanation in found:
        yield TaskLine(
            **task.model_dump(include={"part", "item_id", "asked", "group", "position", "created_at"}),
            task=known.numbers[task.id],
            explanation_id=_explanation_id(known, explanation) if explanation else "",
            key=key.answers if key else None,
            feedback=key.feedback if key else "",
            provenance=known.provenance.get(task.id),
            answers=known.answers.get(task.id, {}),
        )
