"""What a write does inside its transaction: add what is not there yet, count revisions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Delete, delete, func, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotations.errors import RecordError
from annotations.records import KeptPair, Pair, Receipt, Record
from annotations.rows import content_id, edit_rows, item_row, origin_row, score_row, text_id
from annotations.tables import (
    Document,
    Draft,
    EditJudgement,
    Explanation,
    ExplanationJudgement,
    Item,
    Label,
    Origin,
    Table,
)

DRAFT_DAYS = 30


def save_pair(session: Session, pair: KeptPair) -> Receipt:
    """Add a pair with its scores; what is there already stays as it is."""
    now = datetime.now(UTC)
    original_id, edited_id = _add_items(session, pair, now)
    origin = origin_row(edited_id, pair, now)
    fresh = _add(session, origin)
    for outcome in pair.outcomes:
        _add(session, score_row(original_id if outcome.example_id == "original" else edited_id, outcome, now))
    kept_at = session.exec(select(Origin.created_at).where(Origin.id == origin.id)).one()
    return Receipt(edited_id, kept_at, fresh)


def save_record(session: Session, record: Record) -> Receipt:
    """Add a label and the judgements that come with it as the next revision, unless the event is known.

    Raises RecordError where the event is known with another content: that label would be lost in silence.
    """
    now = datetime.now(UTC)
    _, item_id = _add_items(session, record, now)
    _lock(session, item_id)
    known = session.exec(select(Label).where(Label.event_id == record.event_id)).first()
    if known:
        return _receipt_again(known, _label(item_id, record, known.revision, now))
    mine = select(func.max(Label.revision)).where(Label.item_id == item_id, Label.annotator == record.annotator)
    label = _label(item_id, record, _next(session, mine), now)
    session.add(label)
    _add_answers(session, item_id, record, now)
    _add_explanation(session, item_id, record, now)
    return Receipt(item_id, now, fresh=True, revision=label.revision)


def put_draft(session: Session, draft: Draft) -> None:
    """Write a draft over the one before."""
    statement = _insert(session, draft)
    changed = {"owner": draft.owner, "payload": draft.payload, "updated_at": draft.updated_at}
    session.connection().execute(statement.on_conflict_do_update(index_elements=["id"], set_=changed))


def old_drafts() -> Delete:
    return delete(Draft).where(col(Draft.updated_at) < datetime.now(UTC) - timedelta(days=DRAFT_DAYS))


def _add_items(session: Session, pair: Pair, now: datetime) -> tuple[str, str]:
    document = Document(id=text_id(pair.document), text=pair.document, created_at=now)
    _add(session, document)
    original = item_row(document.id, pair.original, None, (), now)
    _add(session, original)
    if pair.edited == pair.original:
        return original.id, original.id
    edited = item_row(document.id, pair.edited, original.id, pair.edits, now)
    if _add(session, edited):
        session.add_all(edit_rows(edited.id, pair.original, pair.edits))
    return original.id, edited.id


def _add(session: Session, row: Table) -> bool:
    """Insert a row unless its key is taken; whether it was inserted."""
    session.flush()
    statement = _insert(session, row).on_conflict_do_nothing().returning(literal(1))
    return session.connection().execute(statement).first() is not None


def _insert(session: Session, row: Table) -> sqlite.Insert | postgresql.Insert:
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    unnumbered = {"id"} if getattr(row, "id", None) is None else None
    return insert(type(row)).values(row.model_dump(exclude=unnumbered))


def _lock(session: Session, item_id: str) -> None:
    # Two labels of one item are counted one after the other; on SQLite the whole transaction is already alone.
    session.exec(select(Item.id).where(Item.id == item_id).with_for_update(key_share=True)).one()


def _label(item_id: str, record: Record, revision: int, now: datetime) -> Label:
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


def _receipt_again(known: Label, sent: Label) -> Receipt:
    beside = {"id", "created_at"}
    if known.model_dump(exclude=beside) != sent.model_dump(exclude=beside):
        raise RecordError("This was NOT saved: its event id belongs to another label. Reload the page and save again.")
    return Receipt(known.item_id, known.created_at, fresh=False, revision=known.revision)


def _next(session: Session, last: SelectOfScalar[int]) -> int:
    return (session.exec(last).one() or 0) + 1


def _add_answers(session: Session, item_id: str, record: Record, now: datetime) -> None:
    answers = record.answers
    if answers is None or answers.inconsistent is None:
        return
    mine = select(func.max(EditJudgement.revision)).where(
        EditJudgement.item_id == item_id, EditJudgement.annotator == record.annotator
    )
    session.add(
        EditJudgement(
            item_id=item_id,
            annotator=record.annotator,
            revision=_next(session, mine),
            inconsistent=answers.inconsistent,
            interesting=answers.interesting,
            controlled=answers.controlled,
            explanation_good=answers.explanation_good,
            event_id=record.event_id,
            created_at=now,
        )
    )


def _add_explanation(session: Session, item_id: str, record: Record, now: datetime) -> None:
    if not record.explanation.strip():
        return
    text, by = record.explanation, record.explanation_by
    explanation = Explanation(id=content_id(item_id, text, by), item_id=item_id, text=text, by=by, created_at=now)
    _add(session, explanation)
    if record.grade:
        _add_grade(session, explanation.id, record, now)


def _add_grade(session: Session, explanation_id: str, record: Record, now: datetime) -> None:
    mine = select(func.max(ExplanationJudgement.revision)).where(
        ExplanationJudgement.explanation_id == explanation_id, ExplanationJudgement.annotator == record.annotator
    )
    session.add(
        ExplanationJudgement(
            explanation_id=explanation_id,
            annotator=record.annotator,
            revision=_next(session, mine),
            grade=record.grade.value if record.grade else "",
            cause=record.cause.value if record.cause else None,
            note="",
            event_id=record.event_id,
            created_at=now,
        )
    )
