"""The import of an export of everything into another database: the same pairs, scores, labels, explanations and judgements."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, func, select

from annotations.exchange.export_columns import require_known
from annotations.store.people_tables import Person
from annotations.store.records import MAX_TEXT, RecordError, require_storable
from annotations.store.store import Store
from annotations.store.tables import (
    Document,
    EditJudgement,
    EditRow,
    Explanation,
    ExplanationJudgement,
    ItemRow,
    Label,
    Origin,
    ScoreRow,
    StoreTable,
)
from annotations.store.writes import content_id, document_values, edit_rows, insert_new, item_row, origin_id
from core.text import locate_contexts, parse_contexts
from core.types import Edit, Example, Span


class _StoreRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredEdit(_StoreRow):
    """An edit; `span` and `inserted` are exact, the other texts are for people and for `parse`."""

    original_text: str
    replace_text: str
    explanation: str
    occurrence: int | None = None
    by: str
    span: tuple[int, int]
    inserted: str


class StoredItem(_StoreRow):
    """A summary of a document; of a pair the edited one, with the summary that it was edited from."""

    kind: Literal["pair", "summary"]
    """Kind of the row."""
    item_id: str
    """Hash of the content of the summary."""
    document_id: str
    """Hash of the document."""
    parent_id: str | None
    """Hash of the summary that was edited; None for a summary that no edit made."""
    document: str
    """Text of the document."""
    contexts: list[dict[str, str]] | None = None
    """Named parts of the document; None where it has none."""
    question: str | None = None
    """Question that the summary answers; None for none."""
    original: str
    """Text of the summary that was edited; the summary itself where none was."""
    summary: str
    """Text of the summary."""
    edits: list[StoredEdit]
    """Edits that turn the original into the summary."""
    created_at: datetime
    """Time at which the item, or the origin of the row, was saved."""
    by: str | None = None
    """Maker, as the origin names them."""
    intended: str | None = None
    """Verdict that the item is meant to have."""
    error_type: str | None = None
    """Error type of the edit."""
    title: str | None = None
    """Title for lists."""
    domain: str | None = None
    """Domain of the text."""
    source: str | None = None
    """Place that the item came from; None for an item without an origin."""
    reaction: str | None = None
    """Reaction of the metrics to the edit, in words."""


class StoredExplanation(_StoreRow):
    """An explanation of an item."""

    kind: Literal["explanation"]
    explanation_id: str
    item_id: str
    explanation: str
    by: str
    created_at: datetime


class StoredCost(BaseModel):
    """A payment to an endpoint, which is kept beside the database and not in it."""

    kind: Literal["cost"]


_Judged = type[Label] | type[EditJudgement] | type[ExplanationJudgement]
_JUDGEMENTS: Mapping[_Judged, str] = {
    Label: "labels",
    EditJudgement: "judgements of edits",
    ExplanationJudgement: "judgements of explanations",
}
STORE_MODELS: Mapping[str, type[BaseModel]] = {
    "pair": StoredItem,
    "summary": StoredItem,
    "score": ScoreRow,
    "label": Label,
    "edit_judgement": EditJudgement,
    "explanation_judgement": ExplanationJudgement,
    "explanation": StoredExplanation,
    "cost": StoredCost,
}
"""The model of each kind of row of an export of everything."""


def import_store(store: Store, lines: Iterable[str]) -> Counter[str]:
    """Add what an export of everything has: all of it or nothing; the number of rows of each kind that were new here.

    What is here already stays as it is. People who are registered here appear by name, all others under the pseudonyms of the
    file. Raises RecordError for a file that is no such export, and for labels that have the place of others here.
    """
    rows: dict[type[BaseModel], list[Any]] = defaultdict(list)
    for row in _read_rows(lines):
        rows[type(row)].append(row)
    with store.writing() as session:
        people = {person.pseudonym: person.name for person in session.exec(select(Person))}
        added = Counter({"summaries": _add_items(session, rows[StoredItem], people)})
        scores = [row.model_dump(exclude={"id"}) for row in rows[ScoreRow]]
        added["scores"] = _add_new(session, ScoreRow, scores)
        ids, explanations = _explanations(rows[StoredExplanation], people)
        added["explanations"] = _add_new(session, Explanation, explanations)
        for row in rows[ExplanationJudgement]:
            row.explanation_id = require_known(ids, row.explanation_id, "explanation")
        for table, name in _JUDGEMENTS.items():
            added[name] = _add_judgements(session, table, rows[table], people)
    return added


def format_store_import(added: Mapping[str, int]) -> str:
    """A sentence with the number of rows that were new, and a sentence that names what the file cannot carry."""
    counts = ", ".join(f"{number} {kind}" for kind, number in added.items() if number)
    return (
        f"Imported {counts or 'nothing that was not here'}. An export of everything does not carry imported datasets, campaigns, "
        "names of people, stress runs, audits, reports, and what endpoints were paid: `cli.py backup` and `restore` move those, "
        "`export --campaign` and `export --dataset` one of them."
    )


def _read_rows(lines: Iterable[str]) -> Iterator[BaseModel]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            row = STORE_MODELS[values["kind"]].model_validate(values)
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            raise RecordError(
                f"Line {number} is no row of an export of everything: {error}. Nothing was imported; export it again."
            ) from None
        texts = [value for value in row.model_dump().values() if isinstance(value, str)]
        require_storable(f"a text of line {number}", *texts, most=MAX_TEXT)
        yield row


def _add_items(session: Session, rows: Sequence[StoredItem], people: Mapping[str, str]) -> int:
    """Add documents, summaries with their edits, and origins; an original before what was edited from it."""
    before = _count(session, ItemRow)
    waiting, present = list({row.item_id: row for row in rows}.values()), set(session.exec(select(ItemRow.id)))
    while waiting:
        ready = [row for row in waiting if row.parent_id is None or row.parent_id in present]
        if not ready:
            raise RecordError(f"The original of {waiting[0].item_id!r} is not in the file. Export everything again.")
        for row in ready:
            _add_item(session, row, people)
        present.update(row.item_id for row in ready)
        waiting = [row for row in waiting if row.item_id not in present]
    for row in rows:
        if origin := _origin(row, people):
            insert_new(session, Origin, [origin])
    return _count(session, ItemRow) - before


def _add_item(session: Session, row: StoredItem, people: Mapping[str, str]) -> None:
    contexts = locate_contexts(row.document, parse_contexts(row.contexts or []))
    document = document_values(Example("", row.document, "", contexts, row.question or ""), row.created_at)
    edits = [
        Edit(Span(*edit.span), edit.inserted, edit.explanation, people.get(edit.by, edit.by)) for edit in row.edits
    ]
    item = item_row(document["id"], row.summary, row.parent_id, edits, row.created_at)
    if (document["id"], item.id) != (row.document_id, row.item_id):
        raise RecordError(
            f"The summary {row.item_id!r} is not what it was when it was exported. Nothing was imported; export everything again."
        )
    insert_new(session, Document, [document])
    insert_new(session, ItemRow, [item.model_dump()])
    insert_new(session, EditRow, [edit.model_dump() for edit in edit_rows(item.id, row.original, edits)])


def _origin(row: StoredItem, people: Mapping[str, str]) -> dict[str, Any] | None:
    """The values of the origin of a row; None for a summary that was saved without one."""
    texts = {name: getattr(row, name) for name in ("by", "title", "domain", "source", "reaction")}
    if all(text is None for text in texts.values()):
        return None
    values = {name: text or "" for name, text in texts.items()}  # a blank cell of CSV is None
    values |= {"by": people.get(values["by"], values["by"]), "intended": row.intended, "error_type": row.error_type}
    facts = (values[name] for name in ("by", "intended", "error_type", "title", "domain", "source"))
    id = origin_id(row.item_id, *facts)
    return {**values, "id": id, "item_id": row.item_id, "created_at": row.created_at}


def _explanations(
    rows: Iterable[StoredExplanation], people: Mapping[str, str]
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The ids here of explanations by those in the file, and the values of their rows."""
    ids, explanations = {}, []
    for row in rows:
        by = people.get(row.by, row.by)
        ids[row.explanation_id] = id = content_id(row.item_id, row.explanation, by)
        values = {"id": id, "item_id": row.item_id, "text": row.explanation, "by": by, "created_at": row.created_at}
        explanations.append(values)
    return ids, explanations


def _add_new(session: Session, table: type[StoreTable], rows: list[dict[str, Any]]) -> int:
    before = _count(session, table)
    insert_new(session, table, rows)
    return _count(session, table) - before


def _add_judgements(session: Session, table: _Judged, rows: Iterable[Any], people: Mapping[str, str]) -> int:
    """Add the judgements whose event is not here; the number of them."""
    events = set(session.exec(select(table.event_id)))
    new = [row for row in rows if row.event_id not in events]
    for row in new:
        row.annotator = people.get(row.annotator, row.annotator)
    session.add_all(new)
    try:
        session.flush()
    except IntegrityError:
        raise RecordError(
            f"Some {_JUDGEMENTS[table]} of the file have the place of others here: the same person judged the same text in both "
            "databases. Nothing was imported; import it into another database."
        ) from None
    return len(new)


def _count(session: Session, table: type[StoreTable]) -> int:
    return session.exec(select(func.count()).select_from(table)).one()
