"""The reads of pairs, scores and labels inside a transaction."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func
from sqlmodel import Session, col, select

from annotations.store.records import PairRecord, SavedRow, StoredPair
from annotations.store.tables import Document, EditRow, ItemRow, Label, Origin, ScoreRow, StoreTable
from annotations.store.writes import edit_from_row, outcome_from_row
from core.text import contexts_from_json
from core.types import Edit, ErrorType, Outcome, Verdict


def load_pair(session: Session, item_id: str) -> StoredPair | None:
    """An item with its parent, edits, newest origin and scores."""
    item = session.get(ItemRow, item_id)
    if item is None:
        return None
    original = session.get_one(ItemRow, item.parent_id) if item.parent_id else item
    origin = session.exec(
        select(Origin).where(Origin.item_id == item_id).order_by(col(Origin.created_at).desc()).limit(1)
    ).first()
    outcomes = (*load_outcomes(session, original.id, "original"), *load_outcomes(session, item_id, "edited"))
    document = session.get_one(Document, item.document_id)
    pair = PairRecord(
        document=document.text,
        contexts=contexts_from_json(document.contexts),
        question=document.question,
        original=original.text,
        edited=item.text,
        edits=load_edits(session, item_id),
        by=origin.by if origin else "",
        intended=_verdict(origin.intended) if origin else None,
        error_type=_error_type(origin.error_type) if origin else None,
        title=origin.title if origin else "",
        domain=origin.domain if origin else "",
        source=origin.source if origin else "",
        outcomes=outcomes,
        reaction=origin.reaction if origin else "",
    )
    return StoredPair(item.id, origin.created_at if origin else item.created_at, pair)


def load_edits(session: Session, item_id: str) -> tuple[Edit, ...]:
    rows = session.exec(select(EditRow).where(EditRow.item_id == item_id).order_by(col(EditRow.position)))
    return tuple(edit_from_row(row) for row in rows)


def load_outcomes(session: Session, item_id: str, side: str) -> list[Outcome]:
    rows = session.exec(select(ScoreRow).where(ScoreRow.item_id == item_id).order_by(col(ScoreRow.id)))
    return [outcome_from_row(row, side) for row in rows]


def load_saved_rows(session: Session, limit: int) -> list[SavedRow]:
    """The newest `limit` labels and kept pairs together, newest first."""
    labels = session.exec(select(Label).order_by(col(Label.created_at).desc(), col(Label.id).desc()).limit(limit)).all()
    origins = session.exec(select(Origin).order_by(col(Origin.created_at).desc()).limit(limit)).all()
    ids = {label.item_id for label in labels} | {origin.item_id for origin in origins}
    texts = dict(session.exec(select(ItemRow.id, ItemRow.text).where(col(ItemRow.id).in_(ids))).all())
    titles = dict(
        session.exec(
            select(Origin.item_id, Origin.title).where(col(Origin.item_id).in_(ids)).order_by(col(Origin.created_at))
        ).all()
    )
    rows = [
        *(_saved_label_row(label, titles.get(label.item_id, ""), texts[label.item_id]) for label in labels),
        *(_saved_pair_row(origin, texts[origin.item_id]) for origin in origins),
    ]
    return sorted(rows, key=lambda row: row.created_at, reverse=True)[:limit]


def count_rows(connection: Connection, names: Collection[str] = ()) -> dict[str, int]:
    """The number of rows of the tables of these names, or of every table, read by one statement."""
    tables = StoreTable.metadata.tables
    counts = [select(func.count()).select_from(tables[name]).scalar_subquery().label(name) for name in names or tables]
    return dict(connection.execute(select(*counts)).mappings().one())


def _saved_label_row(label: Label, title: str, text: str) -> SavedRow:
    return SavedRow(
        kind="label",
        item_id=label.item_id,
        created_at=label.created_at,
        by=label.annotator,
        title=title,
        text=text,
        verdict=Verdict(label.verdict),
        error_type=_error_type(label.error_type),
        confidence=label.confidence,
        revision=label.revision,
        note=label.note,
    )


def _saved_pair_row(origin: Origin, text: str) -> SavedRow:
    return SavedRow(
        kind="pair",
        item_id=origin.item_id,
        created_at=origin.created_at,
        by=origin.by,
        title=origin.title,
        text=text,
        verdict=_verdict(origin.intended),
        error_type=_error_type(origin.error_type),
        confidence=None,
        revision=None,
        note="",
    )


def _verdict(value: str | None) -> Verdict | None:
    return Verdict(value) if value else None


def _error_type(value: str | None) -> ErrorType | None:
    return ErrorType(value) if value else None
