"""The export of the responses of a campaign: reservations, labels, decisions, comments, exclusions and limits, oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import read_questions, unswap_answers
from annotations.exchange.campaign_export import STREAMED, AnyExported, ExportContext, numbered_tasks
from annotations.exchange.export_rows import ExportedRow
from annotations.exchange.response_rows import (
    ExportedComment,
    ExportedCorrection,
    ExportedDecision,
    ExportedExclusion,
    ExportedFlagResolution,
    ExportedLabel,
    ExportedLimit,
    ExportedReservation,
    ExportedWithdrawal,
)
from annotations.store.campaign_tables import Task, TaskWithdrawal, VersionRow
from annotations.store.people_tables import Person
from annotations.store.records import RecordError
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

AboutLabel = TypeVar("AboutLabel", Correction, FlagResolution)


def reservation_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    numbered = numbered_tasks(context.campaign)
    rows = session.exec(
        select(Reservation, Person.pseudonym, numbered.c.number)
        .join(Person, col(Person.id) == Reservation.person_id)
        .join(numbered, numbered.c.id == Reservation.task_id)
        .where(Reservation.campaign_id == context.campaign.id)
        .order_by(col(Reservation.id)),
        execution_options=STREAMED,
    )
    for reservation, pseudonym, number in rows:
        yield context.export(ExportedReservation, reservation, task=number, person=pseudonym)


def label_rows(
    session: Session,
    context: ExportContext,
    provenance: Callable[[int], str | None],
    tasks: Sequence[str] | None = None,
    after: int = 0,
    limit: int | None = None,
) -> Iterator[ExportedLabel]:
    """The revisions of labels of a campaign, or of some of its tasks, that were saved after the response `after`, at most `limit`.

    `provenance` gives that of each task by its number.
    """
    versions = session.exec(select(VersionRow).where(VersionRow.campaign_id == context.campaign.id))
    questions = {version.version: read_questions(version.questions) for version in versions}
    numbered = numbered_tasks(context.campaign)
    labels = (
        select_columns(Response, Reservation, Task, col(Person.pseudonym), numbered.c.number)
        .join(Reservation, col(Reservation.id) == col(Response.reservation_id))
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(Person, col(Person.id) == Reservation.person_id)
        .join(numbered, numbered.c.id == Task.id)
        .where(col(Reservation.campaign_id) == context.campaign.id, col(Response.id) > after)
        .order_by(col(Response.id))
        .limit(limit)
    )
    some = labels if tasks is None else labels.where(col(Task.id).in_(tasks))
    for response, reservation, task, pseudonym, number in session.execute(some, execution_options=STREAMED):
        yield context.export(
            ExportedLabel,
            response,
            answers=unswap_answers(questions[response.version], response.answers, response.swapped),
            task=number,
            item_id=task.item_id,
            part=task.part,
            columns=task.columns,
            person=pseudonym,
            turn=reservation.turn,
            provenance=provenance(number),
            excluded=reservation.excluded,
            selection_probability=context.selection.get(task.id),
        )


def decision_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    numbered = numbered_tasks(context.campaign)
    decisions = session.exec(
        select(Adjudication, Task.item_id, numbered.c.number)
        .join(Task, col(Task.id) == Adjudication.task_id)
        .join(numbered, numbered.c.id == Task.id)
        .order_by(col(Adjudication.id)),
        execution_options=STREAMED,
    )
    for rows in decisions.partitions():
        settled = {response for row, *_ in rows for response in row.settles}
        events = dict(session.exec(select(Response.id, Response.event_id).where(col(Response.id).in_(settled))).all())
        for row, item_id, number in rows:
            settles = tuple(events[response] for response in row.settles)
            yield context.export(ExportedDecision, row, task=number, item_id=item_id, settles=settles)


def correction_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    return _rows_about_labels(session, context, ExportedCorrection, Correction)


def resolution_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    return _rows_about_labels(session, context, ExportedFlagResolution, FlagResolution)


def _rows_about_labels(
    session: Session, context: ExportContext, kind: type[AnyExported], table: type[AboutLabel]
) -> Iterator[AnyExported]:
    rows = session.exec(
        select(table, Response.event_id)
        .join(Response, col(Response.id) == table.response_id)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == context.campaign.id)
        .order_by(col(table.id)),
        execution_options=STREAMED,
    )
    for row, label in rows:
        yield context.export(kind, row, label=label)


def comment_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    numbered = numbered_tasks(context.campaign)
    rows = session.exec(
        select(Comment, Person.pseudonym, numbered.c.number)
        .outerjoin(Person, col(Person.id) == Comment.annotator_id)
        .join(numbered, numbered.c.id == Comment.task_id)
        .where(Comment.campaign_id == context.campaign.id)
        .order_by(col(Comment.id)),
        execution_options=STREAMED,
    )
    for row, annotator, number in rows:
        yield context.export(ExportedComment, row, task=number, annotator=annotator)


def exclusion_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    rows = session.exec(
        select(Exclusion, Reinstatement, Person.pseudonym)
        .join(Person, col(Person.id) == Exclusion.person_id)
        .outerjoin(Reinstatement, col(Reinstatement.exclusion_id) == Exclusion.id)
        .where(Exclusion.campaign_id == context.campaign.id)
        .order_by(col(Exclusion.id))
    )
    for row, end, person in rows:
        yield context.export(
            ExportedExclusion,
            row,
            person=person,
            reinstated=end.reason if end else None,
            reinstated_by=context.pseudonym(end.by) if end else None,
            reinstated_at=end.created_at if end else None,
        )


def withdrawal_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    numbered, others = numbered_tasks(context.campaign), numbered_tasks(context.campaign)
    rows = session.exec(
        select(TaskWithdrawal, numbered.c.number, others.c.number)
        .join(numbered, numbered.c.id == TaskWithdrawal.task_id)
        .outerjoin(others, others.c.id == TaskWithdrawal.replaced_by)
        .order_by(col(TaskWithdrawal.id))
    )
    for row, number, replacement in rows:
        yield context.export(ExportedWithdrawal, row, task=number, replaced_by=replacement)


def limit_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    rows = session.exec(
        select(LimitEvent, Person.pseudonym)
        .join(Person, col(Person.id) == LimitEvent.person_id)
        .where(LimitEvent.campaign_id == context.campaign.id)
        .order_by(col(LimitEvent.id))
    )
    for row, person in rows:
        yield context.export(ExportedLimit, row, person=person)


def response_of_event(session: Session, campaign: CampaignSettings, event_id: str) -> int:
    """The response that an event wrote in a campaign. Raises RecordError where it wrote none."""
    responses = select(Response.id).join(Reservation, col(Reservation.id) == Response.reservation_id)
    response = session.exec(
        responses.where(Reservation.campaign_id == campaign.id, Response.event_id == event_id)
    ).first()
    if response is None:
        raise RecordError("No label of this campaign has this event. Take `next` of the page before.")
    return response
