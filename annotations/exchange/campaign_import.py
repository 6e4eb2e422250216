"""The import of a campaign that was exported as JSONL into another database: the same texts, tasks, labels and decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any, TypeVar
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
from annotations.exchange.export_rows import (
    ExportedCampaign,
    ExportedComment,
    ExportedCorrection,
    ExportedDecision,
    ExportedDocument,
    ExportedDraw,
    ExportedExclusion,
    ExportedExplanation,
    ExportedFlagResolution,
    ExportedItem,
    ExportedLabel,
    ExportedLimit,
    ExportedOrigin,
    ExportedPerson,
    ExportedReservation,
    ExportedRow,
    ExportedStop,
    ExportedSuggestion,
    ExportedTask,
    ExportedVersion,
    read_exported_rows,
)
from annotations.results.drawn import read_drawn_pool
from annotations.results.progress_counts import count_changed
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
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, require_text
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
from annotations.store.tables import Document, EditRow, Explanation, ItemRow, Origin
from annotations.store.writes import content_id, document_values, edit_rows, insert_new, item_row, origin_id
from core.text import contexts_from_json
from core.types import Edit, Example, Span

_Of = TypeVar("_Of")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class CampaignImport:
    """The state of an import: the ids in this database of names and numbers in the file."""

    session: Session
    """Session of the one transaction of the import."""
    campaign_id: str
    """Id of the new campaign."""
    old_name: str
    """Name of the campaign in the file."""
    name: str
    """Name of the campaign here."""
    now: datetime
    """Time of the import, for rows that have none in the file."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of people here, by their pseudonyms in the file."""
    people: dict[str, str] = field(default_factory=dict)
    """Ids of people here, by their pseudonyms in the file."""
    questions: dict[int, QuestionSet] = field(default_factory=dict)
    """Questions by the version of the campaign."""
    summaries: dict[str, str] = field(default_factory=dict)
    """Texts of summaries, by the ids of items in the file."""
    explanations: dict[str, str] = field(default_factory=dict)
    """Ids of explanations here, by those in the file."""
    tasks: dict[int, str] = field(default_factory=dict)
    """Ids of tasks here, by their numbers in the file."""
    turns: dict[tuple[int, str, int], int] = field(default_factory=dict)
    """Ids of reservations here, by task number, pseudonym and turn."""
    labels: dict[str, int] = field(default_factory=dict)
    """Ids of responses here, by their events."""

    def local_name(self, pseudonym: str) -> str:
        return self.names.get(pseudonym, pseudonym)


def import_campaign_name(context: CampaignImport, lines: Iterable[ExportedCampaign]) -> None:
    for line in lines:
        by = context.local_name(line.by)
        context.session.add(Campaign(id=context.campaign_id, name=context.name, by=by, created_at=line.created_at))


def import_people(context: CampaignImport, lines: Iterable[ExportedPerson]) -> None:
    people = {row.pseudonym: row for row in context.session.exec(select(Person))}
    for line in lines:
        row = people.get(line.person) or Person(
            id=uuid4().hex, name=line.person, pseudonym=line.person, role=line.role, active=True, created_at=context.now
        )
        context.session.add(row)
        context.names[line.person], context.people[line.person] = row.name, row.id


def import_versions(context: CampaignImport, lines: Iterable[ExportedVersion]) -> None:
    for line in lines:
        read_rules(line.rules)
        context.questions[line.version] = read_questions(line.questions)
        values = line.model_dump(exclude={"kind", "by"})
        context.session.add(VersionRow(**values, campaign_id=context.campaign_id, by=context.local_name(line.by)))


def import_documents(context: CampaignImport, lines: Iterable[ExportedDocument]) -> None:
    for line in lines:
        contexts = contexts_from_json(line.contexts)
        row = document_values(Example("", line.document, "", contexts, line.question), context.now)
        _require_unchanged("document", line.document_id, row["id"])
        insert_new(context.session, Document, [row])


def import_items(context: CampaignImport, lines: Iterable[ExportedItem]) -> None:
    for line in lines:
        edits = [
            Edit(Span(edit.start, edit.end), edit.replace_text, edit.explanation, context.local_name(edit.by))
            for edit in line.edits
        ]
        row = item_row(line.document_id, line.summary, line.parent_id, edits, context.now)
        _require_unchanged("summary", line.item_id, row.id)
        insert_new(context.session, ItemRow, [row.model_dump()])
        original = require_known(context.summaries, line.parent_id, "item") if line.parent_id else ""
        insert_new(context.session, EditRow, [edit_row.model_dump() for edit_row in edit_rows(row.id, original, edits)])
        context.summaries[line.item_id] = line.summary


def import_origins(context: CampaignImport, lines: Iterable[ExportedOrigin]) -> None:
    for line in lines:
        values = line.model_dump(mode="json", exclude={"kind", "created_at"}) | {"by": context.local_name(line.by)}
        if line.source == f"campaign {context.old_name}":
            values["source"] = f"campaign {context.name}"
        id = origin_id(
            *(values[name] for name in ("item_id", "by", "intended", "error_type", "title", "domain", "source"))
        )
        insert_new(context.session, Origin, [{**values, "id": id, "created_at": line.created_at}])


def import_explanations(context: CampaignImport, lines: Iterable[ExportedExplanation]) -> None:
    for line in lines:
        by = context.local_name(line.by)
        id = content_id(line.item_id, line.explanation, by)
        row = {"id": id, "item_id": line.item_id, "text": line.explanation, "by": by, "created_at": line.created_at}
        insert_new(context.session, Explanation, [row])
        context.explanations[line.explanation_id] = id


def import_tasks(context: CampaignImport, lines: Iterable[ExportedTask]) -> None:
    campaign = context.campaign_id
    for line in lines:
        explanation = (
            require_known(context.explanations, line.explanation_id, "explanation") if line.explanation_id else ""
        )
        asked_key = hash_asked(line.asked)
        id = task_id(campaign, line.part, line.item_id, explanation, asked_key)
        values = line.model_dump(include={"part", "item_id", "asked", "group", "position", "created_at"})
        context.session.add(
            Task(
                **values,
                id=id,
                campaign_id=campaign,
                explanation_id=explanation,
                asked_key=asked_key,
                shuffle=stable_number(campaign, id),
            )
        )
        context.tasks[line.task] = id
    context.session.flush()
    for line in lines:
        if line.key is not None:
            key = AnswerKey(task_id=context.tasks[line.task], answers=line.key, feedback=line.feedback)
            context.session.add(key)


def import_draw(context: CampaignImport, lines: Iterable[ExportedDraw]) -> None:
    for line in lines:
        row = CampaignDraw(
            **line.model_dump(exclude={"kind", "drawn", "by"}),
            campaign_id=context.campaign_id,
            by=context.local_name(line.by),
        )
        size = read_drawn_pool(row).size
        context.session.add(row)
        context.session.flush()
        for task, place, weight, arrival in line.drawn:
            if not 0 <= place < size:
                raise RecordError(f"A draw names summary {place} of a pool of {size}. Export the campaign again.")
            if not (
                0 < weight < inf and 0 <= arrival < inf and (line.next_arrival is None or arrival <= line.next_arrival)
            ):
                raise RecordError(
                    f"Task {task} was drawn with no possible weight or arrival. Export the campaign again."
                )
            id = require_known(context.tasks, task, "task")
            context.session.add(DrawnTask(task_id=id, place=place, weight=weight, arrival=arrival))


def import_stops(context: CampaignImport, lines: Iterable[ExportedStop]) -> None:
    for line in lines:
        context.session.add(DrawStop(**line.model_dump(exclude={"kind"}), campaign_id=context.campaign_id))


def import_suggestions(context: CampaignImport, lines: Iterable[ExportedSuggestion]) -> None:
    for line in lines:
        context.session.add(
            Suggestion(
                **line.model_dump(include={"answers", "source", "created_at"}),
                task_id=require_known(context.tasks, line.task, "task"),
                by=context.local_name(line.person),
            )
        )


def require_known(by_key: Mapping[_Key, _Of], key: _Key, what: str) -> _Of:
    if key not in by_key:
        raise RecordError(f"A row names {what} {key!r}, which is not in the file. Export the campaign again.")
    return by_key[key]


def _require_unchanged(what: str, exported_id: str, computed_id: str) -> None:
    if exported_id != computed_id:
        raise RecordError(
            f"The {what} {exported_id!r} is not what it was when it was exported. Export the campaign again."
        )


def import_reservations(context: CampaignImport, lines: Iterable[ExportedReservation]) -> None:
    rows = {}
    for line in lines:
        rows[line.task, line.person, line.turn] = Reservation(
            **line.model_dump(include={"turn", "swapped", "state", "reserved_at", "expires_at", "excluded"}),
            campaign_id=context.campaign_id,
            task_id=require_known(context.tasks, line.task, "task"),
            person_id=require_known(context.people, line.person, "person"),
            number=line.order,
        )
    context.session.add_all(rows.values())
    context.session.flush()
    context.turns.update((key, row.id or 0) for key, row in rows.items())


def import_labels(context: CampaignImport, lines: list[ExportedLabel]) -> None:
    if lines and context.session.exec(select(Response.id).where(Response.event_id == lines[0].event_id)).first():
        raise RecordError("The labels of this export are in this database already. Import it into another one.")
    rows = []
    for line in lines:
        questions = require_known(context.questions, line.version, "version")
        values = line.model_dump(
            exclude={
                *("kind", "task", "item_id", "part", "person", "turn", "order", "provenance", "excluded", "answers"),
                "selection_probability",
            }
        )
        turn = require_known(context.turns, (line.task, line.person, line.turn), "turn")
        answers = unswap_answers(questions, line.answers, line.swapped)
        rows.append(Response(**values, reservation_id=turn, answers=answers, number=line.order))
    context.session.add_all(rows)
    context.session.flush()
    context.labels.update((row.event_id, row.id or 0) for row in rows)


def import_decisions(context: CampaignImport, lines: Iterable[ExportedDecision]) -> None:
    for line in lines:
        context.session.add(
            Adjudication(
                **line.model_dump(include={"revision", "answers", "cause", "note", "event_id", "created_at"}),
                task_id=require_known(context.tasks, line.task, "task"),
                settles=[require_known(context.labels, event, "label") for event in line.settles],
                by=context.local_name(line.person),
            )
        )


def import_corrections(context: CampaignImport, lines: Iterable[ExportedCorrection]) -> None:
    for line in lines:
        context.session.add(
            Correction(
                **line.model_dump(mode="json", include={"item_id", "revision", "error_type", "note", "event_id"}),
                response_id=require_known(context.labels, line.label, "label"),
                by=context.local_name(line.person),
                created_at=line.created_at,
            )
        )


def import_comments(context: CampaignImport, lines: Iterable[ExportedComment]) -> None:
    for line in lines:
        annotator = require_known(context.people, line.annotator, "person") if line.annotator else None
        context.session.add(
            Comment(
                **line.model_dump(include={"event_id", "role", "text", "created_at"}),
                campaign_id=context.campaign_id,
                task_id=require_known(context.tasks, line.task, "task"),
                annotator_id=annotator,
                by=context.local_name(line.person),
            )
        )


def import_flag_resolutions(context: CampaignImport, lines: Iterable[ExportedFlagResolution]) -> None:
    for line in lines:
        context.session.add(
            FlagResolution(
                **line.model_dump(include={"event_id", "note", "created_at"}),
                response_id=require_known(context.labels, line.label, "label"),
                by=context.local_name(line.person),
            )
        )


def import_exclusions(context: CampaignImport, lines: Iterable[ExportedExclusion]) -> None:
    for line in lines:
        row = Exclusion(
            **line.model_dump(include={"event_id", "day", "question", "reason", "created_at"}),
            campaign_id=context.campaign_id,
            person_id=require_known(context.people, line.person, "person"),
            by=context.local_name(line.by),
        )
        context.session.add(row)
        context.session.flush()
        if line.reinstated_at is not None:
            context.session.add(
                Reinstatement(
                    exclusion_id=row.id or 0,
                    reason=line.reinstated or "",
                    by=context.local_name(line.reinstated_by or ""),
                    created_at=line.reinstated_at,
                )
            )


def import_limits(context: CampaignImport, lines: Iterable[ExportedLimit]) -> None:
    for line in lines:
        context.session.add(
            LimitEvent(
                **line.model_dump(include={"act", "signal", "reason", "created_at"}),
                campaign_id=context.campaign_id,
                person_id=require_known(context.people, line.person, "person"),
                by=context.local_name(line.by),
            )
        )
        context.session.flush()


def import_campaign(store: Store, lines: Iterable[str], name: str = "") -> CampaignSettings:
    """Add an exported campaign, under its own name or another: all of it or nothing.

    People who are not here are added under their pseudonyms. Raises RecordError for a file that is no export, and for a
    campaign, or labels, that are here already.
    """
    rows: dict[type[ExportedRow], list[Any]] = defaultdict(list)
    for line in read_exported_rows(lines):
        rows[type(line)].append(line)
    if len(rows[ExportedCampaign]) != 1 or not rows[ExportedVersion]:
        raise RecordError("This is no export of one campaign. Export it as JSONL, and import that file.")
    with store.writing() as session:
        old_name = rows[ExportedCampaign][0].campaign
        new_name = name or old_name
        require_text("name of the campaign", new_name)
        if session.exec(select(Campaign.id).where(Campaign.name == new_name)).first():
            raise RecordError(f"There is a campaign called {new_name!r} already. Import it under another name.")
        context = CampaignImport(session, uuid4().hex, old_name, new_name, datetime.now(UTC))
        for kind, import_rows in _IMPORT_STEPS.items():
            import_rows(context, rows[kind])
            session.flush()
        campaign = load_campaign(session, context.campaign_id)
    count_changed(store, campaign.id)
    return campaign


_IMPORT_STEPS: Mapping[type[ExportedRow], Callable[[CampaignImport, list[Any]], None]] = {
    ExportedPerson: import_people,
    ExportedCampaign: import_campaign_name,
    ExportedVersion: import_versions,
    ExportedDocument: import_documents,
    ExportedItem: import_items,
    ExportedOrigin: import_origins,
    ExportedExplanation: import_explanations,
    ExportedTask: import_tasks,
    ExportedDraw: import_draw,
    ExportedStop: import_stops,
    ExportedSuggestion: import_suggestions,
    ExportedReservation: import_reservations,
    ExportedLabel: import_labels,
    ExportedDecision: import_decisions,
    ExportedCorrection: import_corrections,
    ExportedComment: import_comments,
    ExportedFlagResolution: import_flag_resolutions,
    ExportedExclusion: import_exclusions,
    ExportedLimit: import_limits,
}
"""The import function of each kind of row, in the order of their dependencies."""
