"""The import of a campaign that was exported as JSONL into another database: the same texts, tasks, labels and decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any
from uuid import uuid4

from sqlmodel import Session, select

from annotations.campaigns.campaign import (
    CampaignSettings,
    hash_asked,
    load_campaign,
    read_rules,
    stable_number,
    task_id,
)
from annotations.campaigns.questions import QuestionSet, read_questions, unswap_answers
from annotations.exchange.export_columns import ExportedModel, LocalIds, require_known
from annotations.exchange.export_rows import ExportedRow, read_exported_rows
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
from annotations.exchange.setup_rows import (
    ExportedCampaign,
    ExportedDocument,
    ExportedDraw,
    ExportedExplanation,
    ExportedItem,
    ExportedOrigin,
    ExportedPerson,
    ExportedStop,
    ExportedSuggestion,
    ExportedTask,
    ExportedVersion,
)
from annotations.results.drawn import read_drawn_pool
from annotations.results.progress_counts import count_changed
from annotations.store.campaign_tables import (
    AnswerKey,
    Campaign,
    CampaignDraw,
    DrawnTask,
    Task,
)
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, StoreError, require_text
from annotations.store.response_tables import (
    Exclusion,
    Reinstatement,
    Reservation,
    Response,
)
from annotations.store.store import Store
from annotations.store.tables import Document, EditRow, Explanation, ItemRow, Origin
from annotations.store.trigger_counts import drop_withdrawn_places
from annotations.store.writes import content_id, document_values, edit_rows, insert_new, item_row, origin_id
from core.text import contexts_from_json
from core.types import Edit, Example, Span


@dataclass(frozen=True, slots=True)
class CampaignImport:
    """The state of an import into the new campaign `campaign_id`, in one transaction."""

    session: Session
    campaign_id: str
    old_name: str
    """Name of the campaign in the file."""
    name: str
    """Name of the campaign here."""
    now: datetime
    """Time of the import, for rows that have none in the file."""
    ids: LocalIds = field(default_factory=LocalIds)
    questions: dict[int, QuestionSet] = field(default_factory=dict)
    """Questions by the version of the campaign."""

    def values(self, row: ExportedModel, **computed: Any) -> dict[str, Any]:
        """Columns of the table of a row, with its campaign where the table has one, and those that are `computed`."""
        campaign = {"campaign_id": self.campaign_id} if "campaign_id" in row.table.model_fields else {}
        return {**row.table_values(self.ids), **campaign, **computed}


def import_rows(context: CampaignImport, rows: Iterable[ExportedModel]) -> None:
    """Add rows whose columns say all that their table needs."""
    context.session.add_all(row.table(**context.values(row)) for row in rows)


def import_campaign_name(context: CampaignImport, rows: Iterable[ExportedCampaign]) -> None:
    for row in rows:
        context.session.add(Campaign(**context.values(row, id=context.campaign_id, name=context.name)))


def import_people(context: CampaignImport, rows: Iterable[ExportedPerson]) -> None:
    people = {person.pseudonym: person for person in context.session.exec(select(Person))}
    for row in rows:
        person = people.get(row.person) or Person(
            **context.values(row, id=uuid4().hex, name=row.person, active=True, created_at=context.now)
        )
        context.session.add(person)
        context.ids.names[row.person], context.ids.people[row.person] = person.name, person.id


def import_versions(context: CampaignImport, rows: Sequence[ExportedVersion]) -> None:
    for row in rows:
        read_rules(row.rules)
        context.questions[row.version] = read_questions(row.questions)
    import_rows(context, rows)


def import_documents(context: CampaignImport, rows: Iterable[ExportedDocument]) -> None:
    for row in rows:
        contexts = contexts_from_json(row.contexts)
        values = document_values(Example("", row.document, "", contexts, row.question), context.now)
        _require_unchanged("document", row.document_id, values["id"])
        insert_new(context.session, Document, [values])


def import_items(context: CampaignImport, rows: Iterable[ExportedItem]) -> None:
    summaries = context.ids.summaries
    for row in rows:
        edits = [
            Edit(Span(edit.start, edit.end), edit.replace_text, edit.explanation, context.ids.name(edit.by))
            for edit in row.edits
        ]
        item = item_row(row.document_id, row.summary, row.parent_id, edits, context.now)
        _require_unchanged("summary", row.item_id, item.id)
        insert_new(context.session, ItemRow, [item.model_dump()])
        original = require_known(summaries, row.parent_id, "item") if row.parent_id else ""
        new_edits = edit_rows(item.id, original, edits)
        insert_new(context.session, EditRow, [edit.model_dump() for edit in new_edits])
        summaries[row.item_id] = row.summary


def import_origins(context: CampaignImport, rows: Iterable[ExportedOrigin]) -> None:
    for row in rows:
        values = context.values(row)
        if row.source == f"campaign {context.old_name}":
            values["source"] = f"campaign {context.name}"
        id = origin_id(
            *(values[name] for name in ("item_id", "by", "intended", "error_type", "title", "domain", "source"))
        )
        insert_new(context.session, Origin, [{**values, "id": id}])


def import_explanations(context: CampaignImport, rows: Iterable[ExportedExplanation]) -> None:
    for row in rows:
        values = context.values(row)
        id = content_id(row.item_id, row.explanation, values["by"])
        insert_new(context.session, Explanation, [{**values, "id": id}])
        context.ids.explanations[row.explanation_id] = id


def import_tasks(context: CampaignImport, rows: Iterable[ExportedTask]) -> None:
    campaign, tasks = context.campaign_id, context.ids.tasks
    for row in rows:
        values, asked_key = context.values(row), hash_asked(row.asked)
        id = task_id(campaign, row.part, row.item_id, values["explanation_id"], asked_key)
        context.session.add(Task(**values, id=id, asked_key=asked_key, shuffle=stable_number(campaign, id)))
        tasks[row.task] = id
    context.session.flush()
    for row in rows:
        if row.key is not None:
            context.session.add(AnswerKey(task_id=tasks[row.task], answers=row.key, feedback=row.feedback))


def import_draw(context: CampaignImport, rows: Iterable[ExportedDraw]) -> None:
    for row in rows:
        draw = CampaignDraw(**context.values(row))
        size = read_drawn_pool(draw).size
        context.session.add(draw)
        context.session.flush()
        for task, place, weight, arrival in row.drawn:
            if not 0 <= place < size:
                raise RecordError(f"A draw names summary {place} of a pool of {size}. Export the campaign again.")
            if not (
                0 < weight < inf and 0 <= arrival < inf and (row.next_arrival is None or arrival <= row.next_arrival)
            ):
                raise RecordError(
                    f"Task {task} was drawn with no possible weight or arrival. Export the campaign again."
                )
            id = context.ids.task(task)
            context.session.add(DrawnTask(task_id=id, place=place, weight=weight, arrival=arrival))


def _require_unchanged(what: str, exported_id: str, computed_id: str) -> None:
    if exported_id != computed_id:
        raise RecordError(
            f"The {what} {exported_id!r} is not what it was when it was exported. Export the campaign again."
        )


def import_reservations(context: CampaignImport, rows: Iterable[ExportedReservation]) -> None:
    reservations = {(row.task, row.person, row.turn): Reservation(**context.values(row)) for row in rows}
    context.session.add_all(reservations.values())
    context.session.flush()
    context.ids.turns.update((key, reservation.id or 0) for key, reservation in reservations.items())


def import_labels(context: CampaignImport, rows: Sequence[ExportedLabel]) -> None:
    if rows and context.session.exec(select(Response.id).where(Response.event_id == rows[0].event_id)).first():
        raise RecordError("The labels of this export are in this database already. Import it into another one.")
    responses = []
    for row in rows:
        questions = require_known(context.questions, row.version, "version")
        turn = require_known(context.ids.turns, (row.task, row.person, row.turn), "turn")
        answers = unswap_answers(questions, row.answers, row.swapped)
        responses.append(Response(**context.values(row, reservation_id=turn, answers=answers)))
    context.session.add_all(responses)
    context.session.flush()
    context.ids.labels.update((response.event_id, response.id or 0) for response in responses)


def import_exclusions(context: CampaignImport, rows: Iterable[ExportedExclusion]) -> None:
    for row in rows:
        exclusion = Exclusion(**context.values(row))
        context.session.add(exclusion)
        context.session.flush()
        if row.reinstated_at is not None:
            context.session.add(
                Reinstatement(
                    exclusion_id=exclusion.id or 0,
                    reason=row.reinstated or "",
                    by=context.ids.name(row.reinstated_by or ""),
                    created_at=row.reinstated_at,
                )
            )


def import_withdrawals(context: CampaignImport, rows: Iterable[ExportedWithdrawal]) -> None:
    import_rows(context, rows)
    context.session.flush()
    drop_withdrawn_places(context.session.connection())


def import_campaign(store: Store, lines: Iterable[str], name: str = "") -> CampaignSettings:
    """Add an exported campaign, under its own name or another: all of it or nothing.

    People who are not here are added under their pseudonyms. Raises RecordError for a file that is no export, and for a
    campaign, or labels, that are here already.
    """
    rows: dict[type[ExportedRow], list[Any]] = defaultdict(list)
    for row in read_exported_rows(lines):
        rows[type(row)].append(row)
    if len(rows[ExportedCampaign]) != 1 or not rows[ExportedVersion]:
        raise RecordError("This is no export of one campaign. Export it as JSONL, and import that file.")
    with store.writing() as session:
        old_name = rows[ExportedCampaign][0].campaign
        new_name = name or old_name
        require_text("name of the campaign", new_name)
        if session.exec(select(Campaign.id).where(Campaign.name == new_name)).first():
            raise RecordError(f"There is a campaign called {new_name!r} already. Import it under another name.")
        context = CampaignImport(session, uuid4().hex, old_name, new_name, datetime.now(UTC))
        for kind, import_kind in IMPORT_STEPS.items():
            import_kind(context, rows[kind])
            session.flush()
        campaign = load_campaign(session, context.campaign_id)
    with suppress(StoreError):  # the campaign is there, and what is not counted now is when it is asked for
        count_changed(store, campaign.id)
    return campaign


IMPORT_STEPS: Mapping[type[ExportedRow], Callable[[CampaignImport, list[Any]], None]] = {
    ExportedPerson: import_people,
    ExportedCampaign: import_campaign_name,
    ExportedVersion: import_versions,
    ExportedDocument: import_documents,
    ExportedItem: import_items,
    ExportedOrigin: import_origins,
    ExportedExplanation: import_explanations,
    ExportedTask: import_tasks,
    ExportedDraw: import_draw,
    ExportedStop: import_rows,
    ExportedSuggestion: import_rows,
    ExportedReservation: import_reservations,
    ExportedLabel: import_labels,
    ExportedDecision: import_rows,
    ExportedCorrection: import_rows,
    ExportedComment: import_rows,
    ExportedFlagResolution: import_rows,
    ExportedExclusion: import_exclusions,
    ExportedWithdrawal: import_withdrawals,
    ExportedLimit: import_rows,
}
"""The import function of each kind of row, in the order of their dependencies."""
