"""Scores of stored texts in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlmodel import Session

from annotations.inserting import insert_new
from annotations.rows import score_row
from annotations.tables import ScoreRow
from core.types import Outcome


def add_outcomes(session: Session, outcomes: Sequence[Outcome]) -> None:
    """Add what is not there yet; the `example_id` of an outcome is the id of its item."""
    now = datetime.now(UTC)
    rows = [score_row(outcome.example_id, outcome, now).model_dump(exclude={"id"}) for outcome in outcomes]
    insert_new(session, ScoreRow, rows)
