"""Pure conversions between the values of the core and rows of the tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from annotations.records import KeptPair
from annotations.tables import EditRow, Item, Origin, ScoreRow
from core.types import Edit, Failure, FailureKind, Outcome, Part, Result, Seen, Span


def text_id(text: str) -> str:
    """The identity of a document: the first 16 hex digits of the SHA-256 of its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def content_id(*parts: object) -> str:
    """The identity of anything else: 16 hex digits over its JSON-able parts."""
    return text_id(json.dumps(parts, ensure_ascii=False))


def in_order(edits: Sequence[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: edit.span)


def item_row(document_id: str, text: str, parent_id: str | None, edits: Sequence[Edit], now: datetime) -> Item:
    """An item; who made an edit is not part of what it is, its explanation is."""
    content = [[edit.span.start, edit.span.end, edit.new, edit.explanation] for edit in in_order(edits)]
    identity = content_id(document_id, text, parent_id, content)
    return Item(id=identity, document_id=document_id, parent_id=parent_id, text=text, created_at=now)


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
        for position, edit in enumerate(in_order(edits))
    ]


def edit_of(row: EditRow) -> Edit:
    return Edit(Span(row.start, row.end), row.replace_text, row.explanation, row.by)


def origin_id(item_id: str, *told: str | None) -> str:
    """The identity of an origin: by whom, intended, error type, title, domain and source."""
    return content_id(item_id, *told)


def origin_row(item_id: str, pair: KeptPair, now: datetime) -> Origin:
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
            error=outcome.message,
            error_kind=outcome.kind.value,
            created_at=now,
        )
    return ScoreRow(
        item_id=item_id,
        metric=outcome.metric,
        signature=outcome.signature,
        status="ok",
        value=outcome.score,
        parts=[_part_json(part) for part in outcome.parts],
        seen=_seen_json(outcome.seen),
        seconds=outcome.seconds,
        device=outcome.device,
        created_at=now,
    )


def outcome_of(row: ScoreRow, side: str) -> Outcome:
    if row.value is None:
        return Failure(side, row.metric, FailureKind(row.error_kind or "error"), row.error or "")
    parts = tuple(_part(record) for record in row.parts)
    seen = _seen(row.seen)
    return Result(side, row.metric, row.signature, row.value, parts, seen, row.seconds or 0.0, row.device)


def _part_json(part: Part) -> dict[str, Any]:
    evidence = [part.evidence.start, part.evidence.end] if part.evidence else None
    return {"span": [part.span.start, part.span.end], "score": part.score, "evidence": evidence}


def _part(record: dict[str, Any]) -> Part:
    evidence = Span(*record["evidence"]) if record["evidence"] else None
    return Part(Span(*record["span"]), record["score"], evidence)


def _seen_json(seen: Seen) -> dict[str, Any]:
    pieces = [[piece.start, piece.end] for piece in seen.pieces]
    return {"pieces": pieces, "tokens": seen.tokens, "cut": seen.cut, "notes": list(seen.notes)}


def _seen(record: dict[str, Any]) -> Seen:
    pieces = tuple(Span(*piece) for piece in record["pieces"])
    return Seen(pieces, record["tokens"], record["cut"], tuple(record["notes"]))
