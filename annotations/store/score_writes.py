"""Writes of scores, their comparison with stored ones, and the parts of the code behind signatures."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from annotations.store.tables import CodeParts as CodeRow
from annotations.store.tables import ScoreRow
from annotations.store.writes import insert_new, score_row
from core.base import CodeParts, apart_from_code, code_of_signature
from core.types import Outcome, Result

ReadCode = Callable[[str], CodeParts | None]
"""Gives the parts behind a hash of code; None where they are not known."""

_TOLERANCE = 1e-6  # devices round differently
_MOST_ITEMS = 500  # a database limits the variables of one statement

_RELATIONS = ("same", "unstable", "moved", "recomputed")


@dataclass(frozen=True, slots=True)
class SavedScores:
    """Counts of outcomes that were saved.

    `new` were not there, `same` were there with this signature and value. `recomputed` stand beside a score by other code,
    of which `moved` have another value. `unstable` were there with this very signature and another value, which stays.
    """

    new: int = 0
    same: int = 0
    recomputed: int = 0
    moved: int = 0
    unstable: int = 0

    def __add__(self, other: SavedScores) -> SavedScores:
        return SavedScores(
            self.new + other.new,
            self.same + other.same,
            self.recomputed + other.recomputed,
            self.moved + other.moved,
            self.unstable + other.unstable,
        )

    @property
    def total(self) -> int:
        return self.new + self.same + self.recomputed + self.unstable


def save_outcomes(session: Session, outcomes: Sequence[Outcome]) -> SavedScores:
    """Save outcomes that are not there; the `example_id` of each is the id of its item. A score stands once per signature."""
    counts = SavedScores()
    for start in range(0, len(outcomes), _MOST_ITEMS):
        counts += _save_some(session, outcomes[start : start + _MOST_ITEMS])
    return counts


def save_code(session: Session, signatures: Iterable[str], read_code: ReadCode) -> None:
    """Add the parts of the code behind signatures, once for each hash; those that `read_code` does not know are left out."""
    hashes = {hash for hash in map(code_of_signature, signatures) if hash}
    if not hashes:
        return
    stored = session.exec(select(CodeRow.hash).where(col(CodeRow.hash).in_(hashes))).all()
    missing = {hash: read_code(hash) for hash in hashes.difference(stored)}
    now = datetime.now(UTC)
    rows = [{"hash": hash, "parts": dict(parts), "created_at": now} for hash, parts in missing.items() if parts]
    insert_new(session, CodeRow, rows)


def load_code(session: Session, hash: str) -> CodeParts | None:
    """The parts of the code behind a hash; None where no score of that code was saved with them."""
    return session.exec(select(CodeRow.parts).where(CodeRow.hash == hash)).first()


def signatures_of(outcomes: Iterable[Outcome]) -> list[str]:
    """The signatures of the outcomes that are scores."""
    return [outcome.signature for outcome in outcomes if isinstance(outcome, Result)]


def format_saved_scores(saved: SavedScores) -> str:
    """One line for people: the number of new scores, and of those already stored by their relation."""
    parts = [
        f"{saved.new} new" if saved.new else "",
        f"{saved.same} as they were" if saved.same else "",
        f"{saved.recomputed} beside scores by other code ({saved.moved} with another value)"
        if saved.recomputed
        else "",
        f"{saved.unstable} that had another value before with the same signature, which stays: the metric is not repeatable"
        if saved.unstable
        else "",
    ]
    stated = ", ".join(filter(None, parts))
    return f"{saved.total} scores saved{': ' if stated else ''}{stated}"


def _save_some(session: Session, outcomes: Sequence[Outcome]) -> SavedScores:
    now = datetime.now(UTC)
    rows = [score_row(outcome.example_id, outcome, now) for outcome in outcomes]
    # signature and value of the scores of these items by these metrics that are saved already
    query = select(ScoreRow.item_id, ScoreRow.metric, ScoreRow.signature, ScoreRow.value).where(
        col(ScoreRow.item_id).in_({row.item_id for row in rows}), col(ScoreRow.metric).in_({row.metric for row in rows})
    )
    saved: dict[tuple[str, str], list[tuple[str, float | None]]] = defaultdict(list)
    for item, metric, signature, value in session.exec(query):
        saved[item, metric].append((signature, value))
    counts: Counter[str] = Counter()
    for row in rows:
        relations = {_relation(row, *score) for score in saved[row.item_id, row.metric]}
        counts[next((relation for relation in _RELATIONS if relation in relations), "new")] += 1
    insert_new(session, ScoreRow, [row.model_dump(exclude={"id"}) for row in rows])
    return SavedScores(
        counts["new"], counts["same"], counts["recomputed"] + counts["moved"], counts["moved"], counts["unstable"]
    )


def _relation(row: ScoreRow, signature: str, value: float | None) -> str:
    """Relation of a new row to one of its item and metric that is there: one of `_RELATIONS`, or "other"."""
    if row.value is None or value is None:
        return "same" if signature == row.signature else "other"
    same_value = math.isclose(row.value, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    if signature == row.signature:
        return "same" if same_value else "unstable"
    if apart_from_code(signature) != apart_from_code(row.signature):
        return "other"
    return "recomputed" if same_value else "moved"
