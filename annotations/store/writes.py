"""Values turned into table rows and back, and the writes of pairs, labels and scores inside a transaction: what is not there yet is
added, a changed label is the next revision."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Delete, delete, func, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.store.records import FLAW_WORDING, LabelRecord, Pair, PairRecord, Receipt, RecordError
from annotations.store.tables import (
    Document,
    Draft,
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
from core.text import Sourced, contexts_from_json, contexts_to_json
from core.types import Edit, Example, Failure, FailureKind, Item, Outcome, Part, Result, Seen, Span, WordScore

ITEM_FACTS: TypeAdapter[Item] = TypeAdapter(Item)
"""The `facts` of an imported sample: all of an item but its texts, as JSON."""


_JSON = json.JSONEncoder(ensure_ascii=False)  # made once: json.dumps makes one for each call


def insert_new(session: Session, table: type[StoreTable], rows: list[dict[str, Any]]) -> None:
    """Insert the rows whose key is not taken; rows of one table have the same columns."""
    if rows:
        insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        session.connection().execute(insert(table).on_conflict_do_nothing(), rows)


def text_id(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def content_id(*parts: object) -> str:
    """The identity of anything else: 16 hex digits over its JSON-able parts."""
    return text_id(_JSON.encode(parts))


def document_id(about: Sourced) -> str:
    """The identity of a document: that of its text, with its contexts and question where it has any."""
    if not about.contexts and not about.question:
        return text_id(about.document)
    return content_id(about.document, contexts_to_json(about.contexts), about.question)


def document_values(about: Sourced, now: datetime) -> dict[str, Any]:
    """The columns of a document, for bulk inserts."""
    return {
        "id": document_id(about),
        "text": about.document,
        "contexts": contexts_to_json(about.contexts),
        "question": about.question,
        "created_at": now,
    }


def example_from_rows(id: str, document: Document, summary: str) -> Example:
    """A summary with its document, as metrics read them."""
    return Example(id, document.text, summary, contexts_from_json(document.contexts), document.question)


def sort_edits(edits: Sequence[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: edit.span)


def item_row(document_id: str, text: str, parent_id: str | None, edits: Sequence[Edit], now: datetime) -> ItemRow:
    """An item; who made an edit is not part of what it is, its explanation is."""
    return ItemRow(**item_values(document_id, text, parent_id, edits, now))


def item_values(
    document_id: str, text: str, parent_id: str | None, edits: Sequence[Edit], now: datetime
) -> dict[str, Any]:
    """The columns of an item, for bulk inserts."""
    content = [[edit.span.start, edit.span.end, edit.new, edit.explanation] for edit in sort_edits(edits)]
    identity = content_id(document_id, text, parent_id, content)
    return {"id": identity, "document_id": document_id, "parent_id": parent_id, "text": text, "created_at": now}


def pair_item_id(pair: Pair) -> str:
    """The identity that the edited summary of a pair has or would have in the store."""
    now, document = datetime.now(UTC), document_id(pair)
    original = item_row(document, pair.original, None, (), now).id
    return item_row(document, pair.edited, original, pair.edits, now).id if pair.edited != pair.original else original


def edit_rows(item_id: str, original: str, edits: Sequence[Edit]) -> list[EditRow]:
    return [
        EditRow(
            item_id=item_id,
            position=position,
            start=edit.span.start,
            end=edit.span.end,
            original_text=edit.span.of(original),
            replace_text=edit.new,
            explanation=edit.explanation,
            by=edit.by,
        )
        for position, edit in enumerate(sort_edits(edits))
    ]


def edit_from_row(row: EditRow) -> Edit:
    return Edit(Span(row.start, row.end), row.replace_text, row.explanation, row.by)


def origin_id(item_id: str, *facts: str | None) -> str:
    """The identity of an origin: by whom, intended, error type, title, domain and source."""
    return content_id(item_id, *facts)


def origin_row(item_id: str, pair: PairRecord, now: datetime) -> Origin:
    intended = pair.intended.value if pair.intended else None
    error_type = pair.error_type.value if pair.error_type else None
    return Origin(
        id=origin_id(item_id, pair.by, intended, error_type, pair.title, pair.domain, pair.source),
        item_id=item_id,
        by=pair.by,
        intended=intended,
        error_type=error_type,
        title=pair.title,
        domain=pair.domain,
        source=pair.source,
        reaction=pair.reaction,
        created_at=now,
    )


def score_row(item_id: str, outcome: Outcome, now: datetime) -> ScoreRow:
    """A saved outcome. A failure has no signature; its metric and kind stand for one."""
    if isinstance(outcome, Failure):
        return ScoreRow(
            item_id=item_id,
            metric=outcome.metric,
            signature=f"{outcome.metric}|failed:{outcome.kind.value}",
            status="failed",
            error=outcome.error,
            error_kind=outcome.kind.value,
            created_at=now,
        )

    seen = outcome.seen
    pieces = [[piece.start, piece.end] for piece in seen.pieces]
    return ScoreRow(
        item_id=item_id,
        metric=outcome.metric,
        signature=outcome.signature,
        status="ok",
        value=outcome.score,
        parts=[_part_json(part) for part in outcome.parts],
        seen={"pieces": pieces, "tokens": seen.tokens, "cut": seen.cut, "notes": list(seen.notes)},
        seconds=outcome.seconds,
        device=outcome.device,
        created_at=now,
    )


def outcome_from_row(row: ScoreRow, side: str) -> Outcome:
    if row.value is None:
        return Failure(side, row.metric, FailureKind(row.error_kind or "error"), row.error or "")
    parts = tuple(part_from_json(record) for record in row.parts)
    pieces = tuple(Span(*piece) for piece in row.seen["pieces"])
    seen = Seen(pieces, row.seen["tokens"], row.seen["cut"], tuple(row.seen["notes"]))
    return Result(side, row.metric, row.signature, row.value, parts, seen, row.seconds or 0.0, row.device)


def _part_json(part: Part) -> dict[str, Any]:
    evidence = [part.evidence.start, part.evidence.end] if part.evidence else None
    record = {"span": [part.span.start, part.span.end], "score": part.score, "evidence": evidence}
    words = [[word.span.start, word.span.end, word.score] for word in part.words]
    return {**record, "words": words} if words else record


def part_from_json(record: dict[str, Any]) -> Part:
    """A part as a score is saved with it."""
    evidence = Span(*record["evidence"]) if record["evidence"] else None
    words = tuple(WordScore(Span(start, end), score) for start, end, score in record.get("words", ()))
    return Part(Span(*record["span"]), record["score"], evidence, words)


DRAFT_DAYS = 30


def save_pair(session: Session, pair: PairRecord) -> Receipt:
    """Add a pair with its scores; what is there already stays as it is."""
    now = datetime.now(UTC)
    original_id, edited_id = _add_items(session, pair, now)
    origin = origin_row(edited_id, pair, now)
    is_new = _insert_if_new(session, origin)
    for outcome in pair.outcomes:
        _insert_if_new(session, score_row(original_id if outcome.example_id == "original" else edited_id, outcome, now))
    created_at = session.exec(select(Origin.created_at).where(Origin.id == origin.id)).one()
    return Receipt(edited_id, created_at, is_new)


def save_label(session: Session, record: LabelRecord) -> Receipt:
    """Add a label and the judgements that come with it as the next revision, unless the event is known.

    Raises RecordError where the event is known with another content: that label would be lost in silence.
    """
    now = datetime.now(UTC)
    _, item_id = _add_items(session, record, now)
    # Two labels of one item are counted one after the other; on SQLite the whole transaction is already alone.
    session.exec(select(ItemRow.id).where(ItemRow.id == item_id).with_for_update(key_share=True)).one()
    saved = session.exec(select(Label).where(Label.event_id == record.event_id)).first()
    if saved:
        sent = _label_row(item_id, record, saved.revision, now)
        ignored = {"id", "created_at"}
        if saved.model_dump(exclude=ignored) != sent.model_dump(exclude=ignored):
            raise RecordError(
                "This was NOT saved: its event id belongs to another label. Reload the page and save again."
            )
        return Receipt(saved.item_id, saved.created_at, is_new=False, revision=saved.revision)
    last = select(func.max(Label.revision)).where(Label.item_id == item_id, Label.annotator == record.annotator)
    label = _label_row(item_id, record, next_revision(session, last), now)
    session.add(label)
    _add_edit_judgement(session, item_id, record, now)

    if record.explanation.strip():
        text, by = record.explanation, record.explanation_by
        explanation = Explanation(id=content_id(item_id, text, by), item_id=item_id, text=text, by=by, created_at=now)
        _insert_if_new(session, explanation)
        if record.grade:
            last = select(func.max(ExplanationJudgement.revision)).where(
                ExplanationJudgement.explanation_id == explanation.id,
                ExplanationJudgement.annotator == record.annotator,
            )
            session.add(
                ExplanationJudgement(
                    explanation_id=explanation.id,
                    annotator=record.annotator,
                    revision=next_revision(session, last),
                    grade=record.grade.value if record.grade else "",
                    cause=record.cause.value if record.cause else None,
                    wording=FLAW_WORDING,
                    note="",
                    event_id=record.event_id,
                    created_at=now,
                )
            )

    return Receipt(item_id, now, is_new=True, revision=label.revision)


def upsert_draft(session: Session, draft: Draft) -> None:
    """Write a draft over the one before."""
    statement = _insert_statement(session, draft)
    changed = {"owner": draft.owner, "payload": draft.payload, "updated_at": draft.updated_at}
    session.connection().execute(statement.on_conflict_do_update(index_elements=["id"], set_=changed))


def delete_old_drafts() -> Delete:
    return delete(Draft).where(col(Draft.updated_at) < datetime.now(UTC) - timedelta(days=DRAFT_DAYS))


def _add_items(session: Session, pair: Pair, now: datetime) -> tuple[str, str]:
    document = Document(**document_values(pair, now))
    _insert_if_new(session, document)
    original = item_row(document.id, pair.original, None, (), now)
    _insert_if_new(session, original)
    if pair.edited == pair.original:
        return original.id, original.id
    edited = item_row(document.id, pair.edited, original.id, pair.edits, now)
    if _insert_if_new(session, edited):
        session.add_all(edit_rows(edited.id, pair.original, pair.edits))
    return original.id, edited.id


def _insert_if_new(session: Session, row: StoreTable) -> bool:
    """Insert a row unless its key is taken; whether it was inserted."""
    session.flush()
    statement = _insert_statement(session, row).on_conflict_do_nothing().returning(literal(1))
    return session.connection().execute(statement).first() is not None


def _insert_statement(session: Session, row: StoreTable) -> sqlite.Insert | postgresql.Insert:
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    unnumbered = {"id"} if getattr(row, "id", None) is None else None
    return insert(type(row)).values(row.model_dump(exclude=unnumbered))


def _label_row(item_id: str, record: LabelRecord, revision: int, now: datetime) -> Label:
    return Label(
        item_id=item_id,
        annotator=record.annotator,
        revision=revision,
        verdict=record.verdict.value,
        confidence=record.confidence,
        error_type=record.error_type.value if record.error_type else None,
        note=record.note,
        blind=record.blind,
        event_id=record.event_id,
        created_at=now,
    )


def next_revision(session: Session, last: SelectOfScalar[int]) -> int:
    """The number after the one that a query finds; 1 where there is none."""
    return (session.exec(last).one() or 0) + 1


def _add_edit_judgement(session: Session, item_id: str, record: LabelRecord, now: datetime) -> None:
    answers = record.answers
    if answers is None or answers.inconsistent is None:
        return
    last = select(func.max(EditJudgement.revision)).where(
        EditJudgement.item_id == item_id, EditJudgement.annotator == record.annotator
    )
    session.add(
        EditJudgement(
            item_id=item_id,
            annotator=record.annotator,
            revision=next_revision(session, last),
            inconsistent=answers.inconsistent,
            interesting=answers.interesting,
            controlled=answers.controlled,
            explanation_good=answers.explanation_good,
            event_id=record.event_id,
            created_at=now,
        )
    )
