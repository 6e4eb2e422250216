"""The claims of a summary in the hands of a person: rewritten, removed, added and restored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.scoring import BY_HAND
from core.text import clean_origin
from core.types import ClaimList, Span, SummaryClaim


@dataclass(frozen=True, slots=True)
class EditableClaim:
    """A claim as it reads now, and the `original` as it was extracted; None for a claim that a person added."""

    text: str
    original: SummaryClaim | None = None
    removed: bool = False

    @property
    def is_changed(self) -> bool:
        return self.removed or self.original is None or self.text != self.original.text


@dataclass(frozen=True, slots=True)
class EditableClaims:
    """The claims of `summary`, found `by` some way, in order, with those that a person removed."""

    summary: str
    by: str
    rows: tuple[EditableClaim, ...]

    @classmethod
    def of(cls, claims: ClaimList) -> EditableClaims:
        return cls(claims.summary, claims.by, tuple(EditableClaim(claim.text, claim) for claim in claims.claims))

    def rewrite(self, place: int, text: str) -> EditableClaims:
        """With another text of one claim; a blank one removes it."""
        if not text.strip():
            return self.remove(place)
        return self._with(place, replace(self.rows[place], text=text.strip()))

    def remove(self, place: int) -> EditableClaims:
        return self._with(place, replace(self.rows[place], removed=True))

    def restore(self, place: int) -> EditableClaims:
        """With one claim as it was extracted or added."""
        row = self.rows[place]
        return self._with(place, EditableClaim(row.original.text if row.original else row.text, row.original))

    def add(self, text: str) -> EditableClaims:
        return replace(self, rows=(*self.rows, EditableClaim(text.strip())))

    @property
    def claims(self) -> ClaimList:
        """Claims to score: those that were not removed. Their origin says if a person changed any."""
        by = f"{self.by}, {BY_HAND}" if any(row.is_changed for row in self.rows) else self.by
        rows = [row for row in self.rows if not row.removed]
        claims = tuple(SummaryClaim(row.text, row.original.span if row.original else None) for row in rows)
        return ClaimList(self.summary, claims, by)

    def to_json(self) -> list[Any]:
        """Without the summary, as drafts and links keep it."""
        rows = []
        for row in self.rows:
            span = row.original.span if row.original else None
            place = [span.start, span.end] if span else None
            rows.append([row.text, row.original.text if row.original else None, place, row.removed])
        return [self.by, rows]

    @classmethod
    def from_json(cls, record: object, summary: str) -> EditableClaims:
        """Raises ValueError for what `to_json` does not write, or a place that is not in the summary."""
        match record:
            case [str(by), list(rows)]:
                return cls(summary, clean_origin(by), tuple(_rows_from_json(rows, summary)))
        raise ValueError("the claims cannot be read")

    def _with(self, place: int, row: EditableClaim) -> EditableClaims:
        return replace(self, rows=(*self.rows[:place], row, *self.rows[place + 1 :]))


def _rows_from_json(rows: Iterable[object], summary: str) -> Iterable[EditableClaim]:
    for row in rows:
        match row:
            case [str(text), None, None, bool(removed)] if text.strip():
                yield EditableClaim(text, None, removed)
            case [str(text), str(found), None, bool(removed)] if text.strip():
                yield EditableClaim(text, SummaryClaim(found), removed)
            case [str(text), str(found), [int(start), int(end)], bool(removed)] if (
                text.strip() and 0 <= start < end <= len(summary)
            ):
                yield EditableClaim(text, SummaryClaim(found, Span(start, end)), removed)
            case _:
                raise ValueError("a claim cannot be read")
