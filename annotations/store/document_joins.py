"""Summaries that get the document of their group, where it came in another file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotations.store.dataset_versions import VersionOfDataset
from annotations.store.tables import Document, ItemRow, SampleRow
from annotations.store.writes import ITEM_FACTS, content_id, document_values, insert_new, item_row
from core.text import contexts_from_json
from core.types import Example


def attach_documents(session: Session, version: VersionOfDataset) -> tuple[int, int]:
    """Give every summary of a version without a document that of its group, where there is one; how many were joined, how many lack it."""
    of_version = select(func.max(SampleRow.number)).where(version.rows, SampleRow.summary != "")
    have = select(SampleRow.key).where(version.rows, col(SampleRow.item_id).is_not(None))
    newest = of_version.where(col(SampleRow.key).not_in(have)).group_by(SampleRow.key)
    lacking = list(session.exec(select(SampleRow).where(col(SampleRow.number).in_(newest))))
    if not lacking:
        return 0, 0

    rows = session.exec(
        select(SampleRow.group, SampleRow.document_id, SampleRow.file_id)
        .where(version.rows, col(SampleRow.document_id).is_not(None), SampleRow.group != "")
        .order_by(col(SampleRow.number))
    )
    documents = {group: (document, file_id) for group, document, file_id in rows if document}

    joined = [row for row in lacking if row.group in documents]
    now = datetime.now(UTC)

    keys = {(documents[row.group][0], _question_of(row)) for row in joined}
    new_documents = {}
    for id, question in keys:
        if question:
            document = session.get_one(Document, id)
            about = Example("", document.text, "", contexts_from_json(document.contexts), question)
            new_documents[id, question] = document_values(about, now)

    insert_new(session, Document, list(new_documents.values()))
    ids = [
        new_documents[key]["id"] if (key := (documents[row.group][0], _question_of(row))) in new_documents else key[0]
        for row in joined
    ]
    items = [item_row(id, row.summary, None, (), now) for id, row in zip(ids, joined, strict=True)]
    insert_new(session, ItemRow, [item.model_dump() for item in items])
    with_documents = [
        _row_with_document(row, item, documents[row.group][1]) for row, item in zip(joined, items, strict=True)
    ]
    insert_new(session, SampleRow, with_documents)
    return len(joined), len(lacking) - len(joined)


def _question_of(row: SampleRow) -> str:
    """Question that the summary of a row without document answers."""
    return ITEM_FACTS.validate_json(row.facts).example.question


def _row_with_document(row: SampleRow, item: ItemRow, joined_file_id: str) -> dict[str, Any]:
    values = row.model_dump(exclude={"number", "id"}) | {
        "document_id": item.document_id,
        "item_id": item.id,
        "summary": "",
        "joined_file_id": joined_file_id,
    }
    return {**values, "id": content_id(row.file_id, joined_file_id, item.document_id, item.id, "", row.facts)}
