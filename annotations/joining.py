"""Documents that come after their summaries: a sample whose group has a document by now gets its item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotations.inserting import insert_new
from annotations.rows import content_id, item_row
from annotations.tables import Item, SampleRow


def join_missing(session: Session, dataset_id: str) -> tuple[int, int]:
    """Give every summary without a document that of its group, where there is one; how many were joined, how many lack it."""
    waiting = _waiting(session, dataset_id)
    if not waiting:
        return 0, 0
    documents = _documents(session, dataset_id)
    joined = [row for row in waiting if row.group in documents]
    now = datetime.now(UTC)
    items = [item_row(documents[row.group], row.summary, None, (), now) for row in joined]
    insert_new(session, Item, [item.model_dump() for item in items])
    insert_new(session, SampleRow, [_joined(row, item) for row, item in zip(joined, items, strict=True)])
    return len(joined), len(waiting) - len(joined)


def _waiting(session: Session, dataset_id: str) -> list[SampleRow]:
    """The newest row with a summary of each sample that has no item yet."""
    of_dataset = select(func.max(SampleRow.number)).where(SampleRow.dataset_id == dataset_id, SampleRow.summary != "")
    have = select(SampleRow.key).where(SampleRow.dataset_id == dataset_id, col(SampleRow.item_id).is_not(None))
    newest = of_dataset.where(col(SampleRow.key).not_in(have)).group_by(SampleRow.key)
    return list(session.exec(select(SampleRow).where(col(SampleRow.number).in_(newest))))


def _documents(session: Session, dataset_id: str) -> dict[str, str]:
    """The document of each group, the newest where there are several."""
    found = session.exec(
        select(SampleRow.group, SampleRow.document_id)
        .where(SampleRow.dataset_id == dataset_id, col(SampleRow.document_id).is_not(None), SampleRow.group != "")
        .order_by(col(SampleRow.number))
    )
    return {group: document for group, document in found if document}


def _joined(row: SampleRow, item: Item) -> dict[str, Any]:
    values = row.model_dump(exclude={"number", "id"}) | {
        "document_id": item.document_id,
        "item_id": item.id,
        "summary": "",
    }
    return {**values, "id": content_id(row.dataset_id, item.document_id, item.id, "", row.facts)}
