"""Everything in the store in long form: one row per pair, score, label revision and judgement."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, or_, union
from sqlalchemy.orm import aliased
from sqlmodel import Session, SQLModel, col, select

from annotations.people.people import load_pseudonyms
from annotations.store.database import read_session
from annotations.store.reads import load_edits
from annotations.store.store import Store
from annotations.store.tables import (
    Document,
    EditJudgement,
    Explanation,
    ExplanationJudgement,
    ItemRow,
    Label,
    Origin,
    SampleRow,
    ScoreRow,
)
from annotations.store.writes import content_id, example_from_rows
from core.text import csv_lines, optional_fields, to_records
from core.types import Edit

ExportRow = dict[str, Any]
"""A row has a `kind` and the columns of that kind; its values are JSON-able."""

EXPORT_COLUMNS = (
    *("kind", "item_id", "document_id", "parent_id", "created_at"),
    *(
        "title",
        "domain",
        "source",
        "by",
        "intended",
        "reaction",
        "document",
        "contexts",
        "question",
        "original",
        "summary",
        "edits",
    ),
    *("metric", "signature", "status", "value", "error", "error_kind", "parts", "seen", "seconds", "device"),
    *("annotator", "revision", "event_id", "blind", "verdict", "confidence", "error_type", "note"),
    *("inconsistent", "interesting", "controlled", "explanation_good"),
    *("explanation_id", "explanation", "grade", "cause", "wording"),
)

_CHUNK = 500  # rows held in memory at a time


def all_rows(store: Store) -> Iterator[ExportRow]:
    """All rows of one state of the database: items, then their scores, labels and explanations, each kind oldest first.

    Imported texts are their authors' and stay here, except those that somebody saved, labelled or explained. An edited item is a "pair", an unedited one a "summary"; one kept several times (by several people, from several
    sources) has a row for each. Every other row names its `item_id`. Registered people appear under their pseudonyms.
    """
    with read_session(store.engine) as session:
        names = load_pseudonyms(session)
        for row in _rows_by_kind(session, names):
            # other authors, such as models, keep their names
            authors = {name: names.get(row[name], row[name]) for name in ("by", "annotator") if name in row}
            edits = [{**edit, "by": names.get(edit["by"], edit["by"])} for edit in row.get("edits", ())]
            yield row | authors | ({"edits": edits} if "edits" in row else {})


def to_jsonl(rows: Iterable[ExportRow]) -> Iterator[str]:
    """Lines of JSON with their ends; exact, and only the columns that a row has."""
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def to_csv(rows: Iterable[ExportRow], columns: Sequence[str] = EXPORT_COLUMNS) -> Iterator[str]:
    """Lines of CSV (RFC 4180) under one header; an absent value is an empty cell, lists and objects are JSON.

    A text that a spreadsheet would execute (it begins with = + - @, tab or carriage return) gets an apostrophe before it.
    """
    yield from csv_lines([columns])
    yield from csv_lines([_cell(row.get(column)) for column in columns] for row in rows)


def _rows_by_kind(session: Session, names: Mapping[str, str]) -> Iterator[ExportRow]:
    yield from _item_rows(session)
    yield from _rows_in_order(session, "score", ScoreRow, _is_local(ScoreRow.item_id))
    yield from _rows_in_order(session, "label", Label)
    yield from _rows_in_order(session, "edit_judgement", EditJudgement)
    yield from _explanation_rows(session, names)
    yield from _explanation_judgement_rows(session, names)


def pseudonymous_explanation_id(row: Explanation, names: Mapping[str, str]) -> str:
    """The id of an explanation as if a pseudonym had written it: the stored one is made from a name, which could be guessed."""
    return content_id(row.item_id, row.text, names[row.by]) if row.by in names else row.id


def _item_rows(session: Session) -> Iterator[ExportRow]:
    parent = aliased(ItemRow)
    rows = session.exec(
        select(ItemRow, Document, parent, Origin)
        .join(Document, col(Document.id) == ItemRow.document_id)
        .outerjoin(parent, col(parent.id) == ItemRow.parent_id)
        .outerjoin(Origin, col(Origin.item_id) == ItemRow.id)
        .where(_is_local(ItemRow.id))
        .order_by(col(ItemRow.created_at), col(ItemRow.id), col(Origin.created_at)),
        execution_options={"yield_per": _CHUNK},
    )
    for item, document, original, origin in rows:
        before = original.text if original else item.text
        source = _column_values(origin) if origin else {"created_at": item.created_at.isoformat()}
        yield {
            "kind": "pair" if original else "summary",
            "item_id": item.id,
            "document_id": document.id,
            "parent_id": item.parent_id,
            "document": document.text,
            **optional_fields(example_from_rows("", document, "")),
            "original": before,
            "summary": item.text,
            "edits": [_edit_record(before, edit) for edit in (load_edits(session, item.id) if original else ())],
            **source,
        }


def _edit_record(text: str, edit: Edit) -> ExportRow:
    # the first fields can be executed again; an insertion is anchored there to a neighbouring word, so the exact span follows
    (record,) = to_records(text, [edit])
    return {**record, "by": edit.by, "span": [edit.span.start, edit.span.end], "inserted": edit.new}


def _is_local(item_id: str) -> ColumnElement[bool]:
    """True if an item was not imported, or was kept, labelled or explained here, or such a one was edited from it."""
    local = union(*(select(table.item_id) for table in (Origin, Label, EditJudgement, Explanation))).subquery()
    chain = select(ItemRow.id, ItemRow.parent_id).where(col(ItemRow.id).in_(select(local.c.item_id)))
    edited = chain.cte(recursive=True)
    originals = select(ItemRow.id, ItemRow.parent_id).join(edited, edited.c.parent_id == col(ItemRow.id))
    imported = select(SampleRow.item_id).where(col(SampleRow.item_id).is_not(None))
    return or_(col(item_id).not_in(imported), col(item_id).in_(select(edited.union(originals).c.id)))


def _rows_in_order(
    session: Session,
    kind: str,
    table: type[ScoreRow] | type[Label] | type[EditJudgement],
    which: ColumnElement[bool] | None = None,
) -> Iterator[ExportRow]:
    query = select(table) if which is None else select(table).where(which)
    rows = session.exec(query.order_by(col(table.id)), execution_options={"yield_per": _CHUNK})
    return ({"kind": kind, **_column_values(row)} for row in rows)


def _explanation_rows(session: Session, names: Mapping[str, str]) -> Iterator[ExportRow]:
    rows = session.exec(
        select(Explanation).order_by(col(Explanation.created_at), col(Explanation.id)),
        execution_options={"yield_per": _CHUNK},
    )
    for row in rows:
        record = _column_values(row)
        id = pseudonymous_explanation_id(row, names)
        yield {"kind": "explanation", "explanation_id": id, "explanation": record.pop("text"), **record}


def _explanation_judgement_rows(session: Session, names: Mapping[str, str]) -> Iterator[ExportRow]:
    rows = session.exec(
        select(ExplanationJudgement, Explanation)
        .join(Explanation, col(Explanation.id) == ExplanationJudgement.explanation_id)
        .order_by(col(ExplanationJudgement.id)),
        execution_options={"yield_per": _CHUNK},
    )
    for row, judged in rows:
        record = _column_values(row) | {"explanation_id": pseudonymous_explanation_id(judged, names)}
        yield {"kind": "explanation_judgement", "item_id": judged.item_id, **record}


def _column_values(row: SQLModel) -> ExportRow:
    """All columns in the order of the table, but the row's own id, which means nothing in another database."""
    values = {name: getattr(row, name) for name in type(row).model_fields if name != "id"}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


def _cell(value: object) -> object:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value
