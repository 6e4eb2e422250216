"""The import of a campaign that was exported as JSONL into another database: the same texts, tasks, labels and decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
from annotations.campaigns.export_rows import (
    ExportedCampaign,
    ExportedCorrection,
    ExportedDecision,
    ExportedDocument,
    ExportedExplanation,
    ExportedItem,
    ExportedLabel,
    ExportedOrigin,
    ExportedPerson,
    ExportedReservation,
    ExportedRow,
    ExportedTask,
    ExportedVersion,
    read_exported_rows,
)
from annotations.campaigns.questions import QuestionSet, read_questions, unswap_answers
from annotations.campaigns.tables import (
    AnswerKey,
    Campaign,
    Correction,
    Person,
    Reservation,
    Response,
    Settlement,
    Task,
    VersionRow,
)
from annotations.records import RecordError, require_text
from annotations.store import Store
from annotations.tables import Document, EditRow, Explanation, Item, Origin
from annotations.writes import content_id, edit_rows, insert_new, item_row, origin_id, text_id
from core.types import Edit, Span

_Of = TypeVar("_Of")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class CampaignImport:
    """What the names and numbers of the file are called in this database."""

    session: Session
    campaign_id: str
    old_name: str
    name: str
    now: datetime
    names: dict[str, str] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    questions: dict[int, QuestionSet] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    explanations: dict[str, str] = field(default_factory=dict)
    tasks: dict[int, str] = field(default_factory=dict)
    turns: dict[tuple[int, str, int], int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    def who(self, told: str) -> str:
        return self.names.get(told, told)


def import_campaign_name(arrival: CampaignImport, lines: Iterable[ExportedCampaign]) -> None:
    for line in lines:
        by = arrival.who(line.by)
        arrival.session.add(Campaign(id=arrival.campaign_id, name=arrival.name, by=by, created_at=line.created_at))


def import_people(arrival: CampaignImport, lines: Iterable[ExportedPerson]) -> None:
    known = {row.pseudonym: row for row in arrival.session.exec(select(Person))}
    for line in lines:
        row = known.get(line.person) or Person(
            id=uuid4().hex, name=line.person, pseudonym=line.person, role=line.role, created_at=arrival.now
        )
        arrival.session.add(row)
        arrival.names[line.person], arrival.people[line.person] = row.name, row.id


def import_versions(arrival: CampaignImport, lines: Iterable[ExportedVersion]) -> None:
    for line in lines:
        read_rules(line.rules)
        arrival.questions[line.version] = read_questions(line.questions)
        told = line.model_dump(exclude={"kind", "by"})
        arrival.session.add(VersionRow(**told, campaign_id=arrival.campaign_id, by=arrival.who(line.by)))


def import_documents(arrival: CampaignImport, lines: Iterable[ExportedDocument]) -> None:
    for line in lines:
        _require_unchanged("document", line.document_id, text_id(line.document))
        row = {"id": line.document_id, "text": line.document, "created_at": arrival.now}
        insert_new(arrival.session, Document, [row])


def import_items(arrival: CampaignImport, lines: Iterable[ExportedItem]) -> None:
    for line in lines:
        edits = [
            Edit(Span(one.start, one.end), one.replace_text, one.explanation, arrival.who(one.by)) for one in line.edits
        ]
        row = item_row(line.document_id, line.summary, line.parent_id, edits, arrival.now)
        _require_unchanged("summary", line.item_id, row.id)
        insert_new(arrival.session, Item, [row.model_dump()])
        original = require_known(arrival.summaries, line.parent_id, "item") if line.parent_id else ""
        insert_new(arrival.session, EditRow, [edit.model_dump() for edit in edit_rows(row.id, original, edits)])
        arrival.summaries[line.item_id] = line.summary


def import_origins(arrival: CampaignImport, lines: Iterable[ExportedOrigin]) -> None:
    for line in lines:
        told = line.model_dump(mode="json", exclude={"kind", "created_at"}) | {"by": arrival.who(line.by)}
        if line.source == f"campaign {arrival.old_name}":
            told["source"] = f"campaign {arrival.name}"
        id = origin_id(
            *(told[name] for name in ("item_id", "by", "intended", "error_type", "title", "domain", "source"))
        )
        insert_new(arrival.session, Origin, [{**told, "id": id, "created_at": line.created_at}])


def import_explanations(arrival: CampaignImport, lines: Iterable[ExportedExplanation]) -> None:
    for line in lines:
        by = arrival.who(line.by)
        id = content_id(line.item_id, line.explanation, by)
        row = {"id": id, "item_id": line.item_id, "text": line.explanation, "by": by, "created_at": line.created_at}
        insert_new(arrival.session, Explanation, [row])
        arrival.explanations[line.explanation_id] = id


def import_tasks(arrival: CampaignImport, lines: Iterable[ExportedTask]) -> None:
    campaign = arrival.campaign_id
    for line in lines:
        explanation = (
            require_known(arrival.explanations, line.explanation_id, "explanation") if line.explanation_id else ""
        )
        asked_key = hash_asked(line.asked)
        id = task_id(campaign, line.part, line.item_id, explanation, asked_key)
        told = line.model_dump(include={"part", "item_id", "asked", "group", "position", "created_at"})
        arrival.session.add(
            Task(
                **told,
                id=id,
                campaign_id=campaign,
                explanation_id=explanation,
                asked_key=asked_key,
                shuffle=stable_number(campaign, id),
            )
        )
        arrival.tasks[line.task] = id
    arrival.session.flush()
    for line in lines:
        if line.key is not None:
            key = AnswerKey(task_id=arrival.tasks[line.task], answers=line.key, feedback=line.feedback)
            arrival.session.add(key)


def require_known(known: Mapping[_Key, _Of], told: _Key, what: str) -> _Of:
    if told not in known:
        raise RecordError(f"A row names {what} {told!r}, which is not in the file. Export the campaign again.")
    return known[told]


def _require_unchanged(what: str, told: str, found: str) -> None:
    if told != found:
        raise RecordError(f"The {what} {told!r} is not what it was when it was exported. Export the campaign again.")


def import_reservations(arrival: CampaignImport, lines: Iterable[ExportedReservation]) -> None:
    rows = {}
    for line in lines:
        rows[line.task, line.person, line.turn] = Reservation(
            **line.model_dump(include={"turn", "swapped", "state", "reserved_at", "expires_at"}),
            campaign_id=arrival.campaign_id,
            task_id=require_known(arrival.tasks, line.task, "task"),
            person_id=require_known(arrival.people, line.person, "person"),
            number=line.order,
        )
    arrival.session.add_all(rows.values())
    arrival.session.flush()
    arrival.turns.update((key, row.id or 0) for key, row in rows.items())


def import_labels(arrival: CampaignImport, lines: list[ExportedLabel]) -> None:
    if lines and arrival.session.exec(select(Response.id).where(Response.event_id == lines[0].event_id)).first():
        raise RecordError("The labels of this export are in this database already. Import it into another one.")
    rows = []
    for line in lines:
        asked = require_known(arrival.questions, line.version, "version")
        told = line.model_dump(
            exclude={"kind", "task", "item_id", "part", "person", "turn", "order", "provenance", "answers"}
        )
        turn = require_known(arrival.turns, (line.task, line.person, line.turn), "turn")
        answers = unswap_answers(asked, line.answers, line.swapped)
        rows.append(Response(**told, reservation_id=turn, answers=answers, number=line.order))
    arrival.session.add_all(rows)
    arrival.session.flush()
    arrival.labels.update((row.event_id, row.id or 0) for row in rows)


def import_decisions(arrival: CampaignImport, lines: Iterable[ExportedDecision]) -> None:
    for line in lines:
        arrival.session.add(
            Settlement(
                **line.model_dump(include={"revision", "answers", "cause", "note", "event_id", "created_at"}),
                task_id=require_known(arrival.tasks, line.task, "task"),
                settles=[require_known(arrival.labels, event, "label") for event in line.settles],
                by=arrival.who(line.person),
            )
        )


def import_corrections(arrival: CampaignImport, lines: Iterable[ExportedCorrection]) -> None:
    for line in lines:
        arrival.session.add(
            Correction(
                **line.model_dump(mode="json", include={"item_id", "revision", "error_type", "note", "event_id"}),
                response_id=require_known(arrival.labels, line.label, "label"),
                by=arrival.who(line.person),
                created_at=line.created_at,
            )
        )


def import_campaign(store: Store, lines: Iterable[str], name: str = "") -> CampaignSettings:
    """Add an exported campaign, under its own name or another: all of it or nothing.

    People who are not here are added under their pseudonyms. Raises RecordError for a file that is no export, and for a
    campaign, or labels, that are here already.
    """
    told: dict[type[ExportedRow], list[Any]] = defaultdict(list)
    for line in read_exported_rows(lines):
        told[type(line)].append(line)
    if len(told[ExportedCampaign]) != 1 or not told[ExportedVersion]:
        raise RecordError("This is no export of one campaign. Export it as JSONL, and import that file.")
    with store.writing() as session:
        arrival = _new_import(session, told[ExportedCampaign][0], name)
        for kind, take in _IMPORT_STEPS.items():
            take(arrival, told[kind])
            session.flush()
        return load_campaign(session, arrival.campaign_id)


def _new_import(session: Session, line: ExportedCampaign, name: str) -> CampaignImport:
    called = name or line.campaign
    require_text("name of the campaign", called)
    if session.exec(select(Campaign.id).where(Campaign.name == called)).first():
        raise RecordError(f"There is a campaign called {called!r} already. Import it under another name.")
    return CampaignImport(session, uuid4().hex, line.campaign, called, datetime.now(UTC))


_IMPORT_STEPS: Mapping[type[ExportedRow], Callable[[CampaignImport, list[Any]], None]] = {
    ExportedPerson: import_people,
    ExportedCampaign: import_campaign_name,
    ExportedVersion: import_versions,
    ExportedDocument: import_documents,
    ExportedItem: import_items,
    ExportedOrigin: import_origins,
    ExportedExplanation: import_explanations,
    ExportedTask: import_tasks,
    ExportedReservation: import_reservations,
    ExportedLabel: import_labels,
    ExportedDecision: import_decisions,
    ExportedCorrection: import_corrections,
}
"""What comes of each kind of row, in the order in which one needs the other."""
