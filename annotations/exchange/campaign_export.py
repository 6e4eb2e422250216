"""The export of a campaign in long form: its versions, people, texts, draw and tasks, with the final label of each task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Subquery, func, literal, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign_by_name
from annotations.exchange.export import pseudonymous_explanation_id
from annotations.exchange.export_columns import ExportedModel
from annotations.exchange.export_rows import ExportedRow
from annotations.exchange.setup_rows import (
    ExportedCampaign,
    ExportedDocument,
    ExportedDraw,
    ExportedEdit,
    ExportedExplanation,
    ExportedItem,
    ExportedOrigin,
    ExportedPerson,
    ExportedStop,
    ExportedSuggestion,
    ExportedTask,
    ExportedVersion,
)
from annotations.people.people import load_pseudonyms
from annotations.results.drawn import load_selection_probabilities
from annotations.results.results import given_error_types, load_cases
from annotations.store.campaign_tables import (
    AnswerKey,
    Campaign,
    CampaignDraw,
    DrawnTask,
    DrawStop,
    Suggestion,
    Task,
    TaskWithdrawal,
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
from annotations.store.tables import Document, EditRow, Explanation, ItemRow, Origin, StoreTable
from core.types import ErrorType

AnyExported = TypeVar("AnyExported", bound=ExportedModel)

STREAMED = {"yield_per": 500}  # rows held in memory at a time


@dataclass(frozen=True, slots=True)
class ExportContext:
    """Data that the rows of a campaign share: its terms, and the pseudonym of every name.

    `selection` is the probability of selection of tasks that were drawn from a pool, the only thing that grows with them.
    """

    campaign: CampaignSettings
    pseudonyms: dict[str, str]
    selection: Mapping[str, float] = field(default_factory=dict)

    def pseudonym(self, name: str) -> str:
        """The pseudonym of a person; the name of anything else, such as a model."""
        return self.pseudonyms.get(name, name)

    def export(self, kind: type[AnyExported], row: StoreTable, **queried: Any) -> AnyExported:
        """The exported row of a row of its table; `queried` has the columns that come from elsewhere."""
        return kind.from_table(row, self.pseudonyms, **queried)


def load_export_context(session: Session, campaign: CampaignSettings) -> ExportContext:
    return ExportContext(
        campaign=campaign,
        pseudonyms=load_pseudonyms(session),
        selection=load_selection_probabilities(session, campaign.id),
    )


def numbered_tasks(campaign: CampaignSettings) -> Subquery:
    """The `id` of each task of a campaign with its `number` in the export; the database counts them."""
    number = func.row_number().over(order_by=(col(Task.position), col(Task.id))).label("number")
    return select(Task.id, number).where(Task.campaign_id == campaign.id).subquery()


def setup_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    row = session.get_one(Campaign, context.campaign.id)
    yield context.export(ExportedCampaign, row)
    versions = select(VersionRow).where(VersionRow.campaign_id == row.id).order_by(col(VersionRow.version))
    for version in session.exec(versions):
        yield context.export(ExportedVersion, version)
    present = {context.pseudonym(name) for name in _participant_names(session, row.id)}
    for person in session.exec(select(Person).where(col(Person.pseudonym).in_(present)).order_by(Person.pseudonym)):
        yield context.export(ExportedPerson, person)


def _participant_names(session: Session, campaign_id: str) -> set[str]:
    """Names of everybody who took part: in labels, decisions, corrections, comments, flags, suggestions, exclusions, limits or the draw."""
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
    withdrew = select(TaskWithdrawal.by).join(Task, col(Task.id) == TaskWithdrawal.task_id)
    drew = select(CampaignDraw.by).where(CampaignDraw.campaign_id == campaign_id)
    return {
        *session.exec(withdrew.where(Task.campaign_id == campaign_id)),
        *session.exec(drew),
        *session.exec(limited.where(LimitEvent.campaign_id == campaign_id)),
        *session.exec(paused),
        *session.exec(left_out),
        *session.exec(reinstated.where(Exclusion.campaign_id == campaign_id)),
        *session.exec(commented),
        *session.exec(filled_in.where(Task.campaign_id == campaign_id).distinct()),
        *session.exec(resolved.where(Reservation.campaign_id == campaign_id)),
        *session.exec(labelled.where(Reservation.campaign_id == campaign_id).distinct()),
        *session.exec(settled.where(Task.campaign_id == campaign_id).distinct()),
        *session.exec(corrected.where(Reservation.campaign_id == campaign_id).distinct()),
    }


def text_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    """The documents, then the items with their origins in the order of `_ordered_items`, then the judged explanations."""
    texts = _ordered_items(context.campaign)
    documents = (
        select(Document)
        .join(ItemRow, col(ItemRow.document_id) == Document.id)
        .join(texts, texts.c.id == ItemRow.id)
        .group_by(col(Document.id))
        .order_by(func.min(texts.c.place))
    )
    for text in session.exec(documents, execution_options=STREAMED):
        yield context.export(ExportedDocument, text)
    items = select(ItemRow).join(texts, texts.c.id == ItemRow.id).order_by(texts.c.place)
    for rows in session.exec(items, execution_options=STREAMED).partitions():
        ids = [item.id for item in rows]
        types, edits = given_error_types(session, context.campaign, ids), load_edits(session, ids)
        origins = defaultdict[str, list[Origin]](list)
        for origin in session.exec(select(Origin).where(col(Origin.item_id).in_(ids)).order_by(col(Origin.created_at))):
            origins[origin.item_id].append(origin)
        for item in rows:
            yield item_row(context, item, edits[item.id])
            yield from _origin_rows(context, item, origins[item.id], types.get(item.id))
    judged = select(Explanation).join(Task, col(Task.explanation_id) == Explanation.id)
    judged = judged.where(Task.campaign_id == context.campaign.id).distinct()
    for row in session.exec(judged, execution_options=STREAMED):
        id = pseudonymous_explanation_id(row, context.pseudonyms)
        yield context.export(ExportedExplanation, row, explanation_id=id)


def _origin_rows(
    context: ExportContext, item: ItemRow, rows: Sequence[Origin], error_type: str | None
) -> Iterator[ExportedOrigin]:
    """Rows of the origins of an item; the error type that a dataset gives it comes last, as it takes precedence."""
    for row in rows:
        yield context.export(ExportedOrigin, row)
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


def _ordered_items(campaign: CampaignSettings) -> Subquery:
    """The `id` of each item that is labelled or was written in a campaign, and of all that these were edited from, with its `place`.

    An original comes before what was edited from it; of items that are as many edits away from theirs, what is labelled comes first.
    """
    labelled = select(Task.item_id).where(Task.campaign_id == campaign.id)
    written = select(Origin.item_id).where(Origin.source == f"campaign {campaign.name}")
    chain = (
        select(col(ItemRow.id).label("last"), ItemRow.id, ItemRow.parent_id, literal(0).label("steps"))
        .where(or_(col(ItemRow.id).in_(labelled), col(ItemRow.id).in_(written)))
        .cte(recursive=True)
    )
    parent = aliased(ItemRow)
    chain = chain.union_all(
        select(chain.c.last, col(parent.id), col(parent.parent_id), chain.c.steps + 1).join(
            chain, col(parent.id) == chain.c.parent_id
        )
    )
    length = func.max(chain.c.steps).over(partition_by=chain.c.last)
    items = select_columns(chain.c.id, chain.c.steps, (length - chain.c.steps).label("depth")).subquery()
    order = (func.min(items.c.depth), func.min(items.c.steps), items.c.id)
    place = func.row_number().over(order_by=order).label("place")
    return select_columns(items.c.id, place).group_by(items.c.id).subquery()


def load_edits(session: Session, items: Sequence[str]) -> Mapping[str, Sequence[EditRow]]:
    """The edits of summaries by the id of each, in their order."""
    edits = defaultdict[str, list[EditRow]](list)
    for edit in session.exec(select(EditRow).where(col(EditRow.item_id).in_(items)).order_by(col(EditRow.position))):
        edits[edit.item_id].append(edit)
    return edits


def item_row(context: ExportContext, item: ItemRow, edits: Sequence[EditRow]) -> ExportedItem:
    """A summary with its edits."""
    return context.export(ExportedItem, item, edits=tuple(context.export(ExportedEdit, edit) for edit in edits))


def task_rows(
    session: Session, context: ExportContext, after: int = 0, limit: int | None = None
) -> Iterator[ExportedTask]:
    """The tasks numbered above `after`, at most `limit`."""
    tasks = session.exec(
        select(Task, AnswerKey, Explanation)
        .outerjoin(AnswerKey, col(AnswerKey.task_id) == Task.id)
        .outerjoin(Explanation, col(Explanation.id) == Task.explanation_id)
        .where(Task.campaign_id == context.campaign.id)
        .order_by(col(Task.position), col(Task.id))
        .offset(after)
        .limit(limit),
        execution_options=STREAMED,
    )
    number = after
    for rows in tasks.partitions():
        cases = {case.task: case for case in load_cases(session, context.campaign, [task.id for task, *_ in rows])}
        for task, key, explanation in rows:
            number, case = number + 1, cases.get(task.id)
            yield context.export(
                ExportedTask,
                task,
                task=number,
                explanation_id=pseudonymous_explanation_id(explanation, context.pseudonyms) if explanation else "",
                key=key.answers if key else None,
                feedback=key.feedback if key else "",
                provenance=case.provenance.value if case else None,
                answers=dict(case.answers) if case else {},
                selection_probability=context.selection.get(task.id),
            )


def draw_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    """One row for the draw of a drawn campaign, then a row for each stop."""
    row = session.get(CampaignDraw, context.campaign.id)
    if row is None:
        return
    numbered = numbered_tasks(context.campaign)
    statement = (
        select(DrawnTask, numbered.c.number)
        .join(numbered, numbered.c.id == DrawnTask.task_id)
        .order_by(col(DrawnTask.arrival))
    )
    drawn = [(number, task.place, task.weight, task.arrival) for task, number in session.exec(statement)]
    yield context.export(ExportedDraw, row, drawn=drawn)
    stops = select(DrawStop).where(DrawStop.campaign_id == row.campaign_id).order_by(col(DrawStop.id))
    for stop in session.exec(stops):
        yield context.export(ExportedStop, stop)


def suggestion_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    numbered = numbered_tasks(context.campaign)
    statement = (
        select(Suggestion, numbered.c.number)
        .join(numbered, numbered.c.id == Suggestion.task_id)
        .order_by(numbered.c.number)
    )
    for row, number in session.exec(statement, execution_options=STREAMED):
        yield context.export(ExportedSuggestion, row, task=number)


def find_campaign_id(store: Store, name: str) -> str:
    """The id of the campaign of a name. Raises RecordError where there is none."""
    with read_session(store.engine) as session:
        return load_campaign_by_name(session, name).id
