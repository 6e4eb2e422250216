"""The export of a campaign in long form: its versions, people, texts, draw and tasks, with the final label of each task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.campaigns.campaign import CampaignSettings, load_campaign_by_name
from annotations.campaigns.drawn import load_selection_probabilities
from annotations.campaigns.people import load_pseudonyms
from annotations.campaigns.results import given_error_types, load_cases
from annotations.exchange.export import pseudonymous_explanation_id
from annotations.exchange.export_rows import (
    ExportedCampaign,
    ExportedDocument,
    ExportedDraw,
    ExportedEdit,
    ExportedExplanation,
    ExportedItem,
    ExportedOrigin,
    ExportedPerson,
    ExportedRow,
    ExportedStop,
    ExportedSuggestion,
    ExportedTask,
    ExportedVersion,
)
from annotations.store.campaign_tables import (
    AnswerKey,
    Campaign,
    CampaignDraw,
    DrawnTask,
    DrawStop,
    Suggestion,
    Task,
    VersionRow,
)
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.response_tables import (
    Adjudication,
    Comment,
    Correction,
    Exclusion,
    FlagResolution,
    LimitEvent,
    Reinstatement,
    Reservation,
    Response,
)
from annotations.store.store import Store
from annotations.store.tables import Document, EditRow, Explanation, Item, Origin
from core.types import ErrorType


@dataclass(frozen=True, slots=True)
class ExportContext:
    """Data that the rows of a campaign share: its terms, the pseudonym of every name, and its tasks by number.

    `selection` is the probability of selection of tasks that were drawn from a pool.
    """

    campaign: CampaignSettings
    pseudonyms: dict[str, str]
    numbers: dict[str, int]
    provenance: dict[str, str]
    answers: dict[str, dict[str, Any]]
    selection: Mapping[str, float] = field(default_factory=dict)

    def pseudonym(self, name: str) -> str:
        """The pseudonym of a person; the name of anything else, such as a model."""
        return self.pseudonyms.get(name, name)


def load_export_context(
    session: Session, campaign: CampaignSettings, of_tasks: Sequence[str] | None = None
) -> ExportContext:
    """Load the data that the rows of all tasks need, or those of some tasks only."""
    found = load_cases(session, campaign, of_tasks)
    tasks = session.exec(
        select(Task.id).where(Task.campaign_id == campaign.id).order_by(col(Task.position), col(Task.id))
    )
    return ExportContext(
        campaign=campaign,
        pseudonyms=load_pseudonyms(session),
        numbers={task: number for number, task in enumerate(tasks, start=1)},
        provenance={case.task: case.provenance.value for case in found},
        answers={case.task: dict(case.answers) for case in found},
        selection=load_selection_probabilities(session, campaign.id),
    )


def setup_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    row = session.get_one(Campaign, context.campaign.id)
    yield ExportedCampaign(campaign=row.name, by=context.pseudonym(row.by), created_at=row.created_at)
    versions = select(VersionRow).where(VersionRow.campaign_id == row.id).order_by(col(VersionRow.version))
    for version in session.exec(versions):
        yield ExportedVersion(
            **version.model_dump(exclude={"id", "campaign_id", "by"}), by=context.pseudonym(version.by)
        )
    present = {context.pseudonym(name) for name in _participant_names(session, row.id)}
    for person in session.exec(select(Person).where(col(Person.pseudonym).in_(present)).order_by(Person.pseudonym)):
        yield ExportedPerson(person=person.pseudonym, role=person.role)


def _participant_names(session: Session, campaign_id: str) -> set[str]:
    """Names of everybody who labelled, adjudicated, corrected, commented, resolved a flag, filled in answers, left labels out or paused somebody."""
    labelled = select(Person.name).join(Reservation, col(Reservation.person_id) == Person.id)
    settled = select(Adjudication.by).join(Task, col(Task.id) == Adjudication.task_id)
    corrected = (
        select(Correction.by)
        .join(Response, col(Response.id) == Correction.response_id)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
    )
    commented = select(Comment.by).where(Comment.campaign_id == campaign_id)
    filled_in = select(Suggestion.by).join(Task, col(Task.id) == Suggestion.task_id)
    resolved = (
        select(FlagResolution.by)
        .join(Response, col(Response.id) == FlagResolution.response_id)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
    )
    left_out = select(Exclusion.by).where(Exclusion.campaign_id == campaign_id)
    reinstated = select(Reinstatement.by).join(Exclusion, col(Exclusion.id) == Reinstatement.exclusion_id)
    limited = select(Person.name).join(LimitEvent, col(LimitEvent.person_id) == Person.id)
    paused = select(LimitEvent.by).where(LimitEvent.campaign_id == campaign_id)
    drew = select(CampaignDraw.by).where(CampaignDraw.campaign_id == campaign_id)
    return {
        *session.exec(drew),
        *session.exec(limited.where(LimitEvent.campaign_id == campaign_id)),
        *session.exec(paused),
        *session.exec(left_out),
        *session.exec(reinstated.where(Exclusion.campaign_id == campaign_id)),
        *session.exec(commented),
        *session.exec(filled_in.where(Task.campaign_id == campaign_id)),
        *session.exec(resolved.where(Reservation.campaign_id == campaign_id)),
        *session.exec(labelled.where(Reservation.campaign_id == campaign_id)),
        *session.exec(settled.where(Task.campaign_id == campaign_id)),
        *session.exec(corrected.where(Reservation.campaign_id == campaign_id)),
    }


def text_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    tasks = select(Task.item_id).where(Task.campaign_id == context.campaign.id)
    written = select(Origin.item_id).where(Origin.source == f"campaign {context.campaign.name}")
    level: SelectOfScalar[Any] = select(Item.id).where(or_(col(Item.id).in_(tasks), col(Item.id).in_(written)))
    found: dict[str, Item] = {}
    while rows := session.exec(select(Item).where(col(Item.id).in_(level)).order_by(Item.id)).all():
        found.update((row.id, row) for row in rows)
        level = select(Item.parent_id).where(col(Item.id).in_(level), col(Item.parent_id).is_not(None))
    items = sorted(found.values(), key=lambda row: _depth(found, row))
    types = given_error_types(session, context.campaign)
    for document_id in dict.fromkeys(item.document_id for item in items):
        text = session.get_one(Document, document_id)
        yield ExportedDocument(document_id=text.id, document=text.text, contexts=text.contexts, question=text.question)
    for item in items:
        yield item_row(session, context, item)
        yield from _origin_rows(session, context, item, types.get(item.id))
    judged = select(Explanation).join(Task, col(Task.explanation_id) == Explanation.id)
    for row in session.exec(judged.where(Task.campaign_id == context.campaign.id).distinct()):
        yield ExportedExplanation(
            explanation_id=pseudonymous_explanation_id(row, context.pseudonyms),
            item_id=row.item_id,
            explanation=row.text,
            by=context.pseudonym(row.by),
            created_at=row.created_at,
        )


def _origin_rows(
    session: Session, context: ExportContext, item: Item, error_type: str | None
) -> Iterator[ExportedOrigin]:
    """Rows of the origins of an item; the error type that a dataset gives it comes last, as it takes precedence."""
    rows = session.exec(select(Origin).where(Origin.item_id == item.id).order_by(col(Origin.created_at))).all()
    for row in rows:
        yield ExportedOrigin(**row.model_dump(exclude={"id", "by"}), by=context.pseudonym(row.by))
    error_types = [row.error_type for row in rows if row.error_type]
    if error_type and error_types[-1:] != [error_type]:
        yield ExportedOrigin(
            item_id=item.id,
            by="",
            intended=None,
            error_type=ErrorType(error_type),
            title="",
            domain="",
            source="a dataset",
            created_at=max([item.created_at, *(row.created_at for row in rows)]),
        )


def _depth(found: dict[str, Item], item: Item) -> int:
    return 1 + _depth(found, found[item.parent_id]) if item.parent_id else 0


_SELECT_EDITS = select(EditRow).where(EditRow.item_id == bindparam("item")).order_by(col(EditRow.position))


def item_row(session: Session, context: ExportContext, item: Item) -> ExportedItem:
    """A summary with its edits."""
    edits = session.exec(_SELECT_EDITS, params={"item": item.id})
    return ExportedItem(
        item_id=item.id,
        document_id=item.document_id,
        parent_id=item.parent_id,
        summary=item.text,
        edits=tuple(
            ExportedEdit(**edit.model_dump(exclude={"item_id", "position", "by"}), by=context.pseudonym(edit.by))
            for edit in edits
        ),
    )


def task_rows(
    session: Session, context: ExportContext, after: int = 0, limit: int | None = None
) -> Iterator[ExportedTask]:
    """The tasks behind the number `after`, at most `limit`."""
    found = session.exec(
        select(Task, AnswerKey, Explanation)
        .outerjoin(AnswerKey, col(AnswerKey.task_id) == Task.id)
        .outerjoin(Explanation, col(Explanation.id) == Task.explanation_id)
        .where(Task.campaign_id == context.campaign.id)
        .order_by(col(Task.position), col(Task.id))
        .offset(after)
        .limit(limit)
    )
    for task, key, explanation in found:
        yield ExportedTask(
            **task.model_dump(include={"part", "item_id", "asked", "group", "position", "created_at"}),
            task=context.numbers[task.id],
            explanation_id=pseudonymous_explanation_id(explanation, context.pseudonyms) if explanation else "",
            key=key.answers if key else None,
            feedback=key.feedback if key else "",
            provenance=context.provenance.get(task.id),
            answers=context.answers.get(task.id, {}),
            selection_probability=context.selection.get(task.id),
        )


def draw_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    """The draw of the items, where they were drawn, and the looks at which the labels were enough."""
    row = session.get(CampaignDraw, context.campaign.id)
    if row is None:
        return
    drawn = (
        select(DrawnTask)
        .join(Task, col(Task.id) == DrawnTask.task_id)
        .where(Task.campaign_id == row.campaign_id)
        .order_by(col(DrawnTask.arrival))
    )
    yield ExportedDraw(
        **row.model_dump(exclude={"campaign_id", "by"}),
        drawn=[(context.numbers[one.task_id], one.place, one.weight, one.arrival) for one in session.exec(drawn)],
        by=context.pseudonym(row.by),
    )
    stops = select(DrawStop).where(DrawStop.campaign_id == row.campaign_id).order_by(col(DrawStop.id))
    for stop in session.exec(stops):
        yield ExportedStop(**stop.model_dump(exclude={"id", "campaign_id"}))


def suggestion_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    found = select(Suggestion).join(Task, col(Task.id) == Suggestion.task_id)
    for row in session.exec(found.where(Task.campaign_id == context.campaign.id).order_by(col(Task.position), Task.id)):
        yield ExportedSuggestion(
            **row.model_dump(include={"answers", "source", "created_at"}),
            task=context.numbers[row.task_id],
            person=context.pseudonym(row.by),
        )


def find_campaign_id(store: Store, name: str) -> str:
    """The id of the campaign of a name. Raises RecordError where there is none."""
    with read_session(store.engine) as session:
        return load_campaign_by_name(session, name).id
