"""What a campaign consists of, from the rows of an export: people, versions, texts and tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from uuid import uuid4

from sqlmodel import Session, select

from annotations.campaigns.longform import (
    CampaignLine,
    DocumentLine,
    ExplanationLine,
    ItemLine,
    OriginLine,
    PersonLine,
    TaskLine,
    VersionLine,
)
from annotations.campaigns.questions import QuestionSet, read_questions
from annotations.campaigns.rules import read_rules
from annotations.campaigns.setup import number_of
from annotations.campaigns.tables import (
    Campaign,
    Key,
    Person,
    Task,
    Version,
)
from annotations.errors import RecordError
from annotations.inserting import insert_new
from annotations.rows import content_id, edit_rows, item_row, origin_id, text_id
from annotations.tables import Document, EditRow, Explanation, Item, Origin
from core.types import Edit, Span

_Of = TypeVar("_Of")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Arrival:
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


def take_campaign(arrival: Arrival, lines: Iterable[CampaignLine]) -> None:
    for line in lines:
        by = arrival.who(line.by)
        arrival.session.add(Campaign(id=arrival.campaign_id, name=arrival.name, by=by, created_at=line.created_at))


def take_people(arrival: Arrival, lines: Iterable[PersonLine]) -> None:
    known = {row.pseudonym: row for row in arrival.session.exec(select(Person))}
    for line in lines:
        row = known.get(line.person) or Person(
            id=uuid4().hex, name=line.person, pseudonym=line.person, role=line.role, created_at=arrival.now
        )
        arrival.session.add(row)
        arrival.names[line.person], arrival.people[line.person] = row.name, row.id


def take_versions(arrival: Arrival, lines: Iterable[VersionLine]) -> None:
    for line in lines:
        read_rules(line.rules)
        arrival.questions[line.version] = read_questions(line.questions)
        told = line.model_dump(exclude={"kind", "by"})
        arrival.session.add(Version(**told, campaign_id=arrival.campaign_id, by=arrival.who(line.by)))


def take_documents(arrival: Arrival, lines: Iterable[DocumentLine]) -> None:
    for line in lines:
        _require_unchanged("document", line.document_id, text_id(line.document))
        row = {"id": line.document_id, "text": line.document, "created_at": arrival.now}
        insert_new(arrival.session, Document, [row])


def take_items(arrival: Arrival, lines: Iterable[ItemLine]) -> None:
    for line in lines:
        edits = [
            Edit(Span(one.start, one.end), one.replace_text, one.explanation, arrival.who(one.by)) for one in line.edits
        ]
        row = item_row(line.document_id, line.summary, line.parent_id, edits, arrival.now)
        _require_unchanged("summary", line.item_id, row.id)
        insert_new(arrival.session, Item, [row.model_dump()])
        original = here(arrival.summaries, line.parent_id, "item") if line.parent_id else ""
        insert_new(arrival.session, EditRow, [edit.model_dump() for edit in edit_rows(row.id, original, edits)])
        arrival.summaries[line.item_id] = line.summary


def take_origins(arrival: Arrival, lines: Iterable[OriginLine]) -> None:
    for line in lines:
        told = line.model_dump(mode="json", exclude={"kind", "created_at"}) | {"by": arrival.who(line.by)}
        if line.source == f"campaign {arrival.old_name}":
            told["source"] = f"campaign {arrival.name}"
        id = origin_id(
            *(told[name] for name in ("item_id", "by", "intended", "error_type", "title", "domain", "source"))
        )
        insert_new(arrival.session, Origin, [{**told, "id": id, "created_at": line.created_at}])


def take_explanations(arrival: Arrival, lines: Iterable[ExplanationLine]) -> None:
    for line in lines:
        by = arrival.who(line.by)
        id = content_id(line.item_id, line.explanation, by)
        row = {"id": id, "item_id": line.item_id, "text": line.explanation, "by": by, "created_at": line.created_at}
        insert_new(arrival.session, Explanation, [row])
        arrival.explanations[line.explanation_id] = id


def take_tasks(arrival: Arrival, lines: Iterable[TaskLine]) -> None:
    campaign = arrival.campaign_id
    for line in lines:
        explanation = here(arrival.explanations, line.explanation_id, "explanation") if line.explanation_id else ""
        asked_key = content_id(line.asked) if line.asked else ""
        id = content_id(campaign, line.part, line.item_id, explanation, asked_key)
        told = line.model_dump(include={"part", "item_id", "asked", "group", "position", "created_at"})
        arrival.session.add(
            Task(
                **told,
                id=id,
                campaign_id=campaign,
                explanation_id=explanation,
                asked_key=asked_key,
                shuffle=number_of(campaign, id),
            )
        )
        arrival.tasks[line.task] = id
    arrival.session.flush()
    for line in lines:
        if line.key is not None:
            key = Key(task_id=arrival.tasks[line.task], answers=line.key, feedback=line.feedback)
            arrival.session.add(key)


def here(known: Mapping[_Key, _Of], told: _Key, what: str) -> _Of:
    if told not in known:
        raise RecordError(f"A row names {what} {told!r}, which is not in the file. Export the campaign again.")
    return known[told]


def _require_unchanged(what: str, told: str, found: str) -> None:
    if told != found:
        raise RecordError(f"The {what} {told!r} is not what it was when it was exported. Export the campaign again.")
