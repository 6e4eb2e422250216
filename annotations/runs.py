"""Stress runs in the database: a name, a plan, and lines in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from annotations.errors import RecordError
from annotations.records import RunRow, require_storable, require_text
from annotations.tables import Run, RunLine


def begin_run(session: Session, name: str, owner: str, plan: str) -> str:
    """Add a run without lines; its id. Raises RecordError for a name that is empty or taken."""
    require_text("name of the run", name)
    require_storable("the plan of the run", owner, plan)
    if session.exec(select(Run.id).where(Run.name == name)).first():
        raise RecordError(f"There is a run called {name!r} already. Choose another name, or open that run and go on.")
    run = Run(id=uuid4().hex, name=name, owner=owner, plan=plan, created_at=datetime.now(UTC))
    session.add(run)
    return run.id


def append_lines(session: Session, run_id: str, lines: Sequence[str]) -> None:
    """Add lines behind those that are there. Raises RecordError for a run that is not there."""
    require_storable("a line of the run", *lines)
    if session.get(Run, run_id) is None:
        raise RecordError(f"There is no run {run_id!r} to add to. Begin it first.")
    rows = [{"run_id": run_id, "line": line, "created_at": datetime.now(UTC)} for line in lines]
    if rows:
        session.connection().execute(insert(RunLine), rows)


def load_lines(session: Session, run_id: str) -> Iterator[str]:
    """The plan of a run, then its lines in order; nothing where there is no such run."""
    run = session.get(Run, run_id)
    if run:
        yield run.plan
        yield from session.exec(select(RunLine.line).where(RunLine.run_id == run_id).order_by(col(RunLine.id)))


def load_runs(session: Session) -> list[RunRow]:
    """Every run, newest first, with the number of its lines."""
    lines = (
        select(func.count(col(RunLine.id))).where(col(RunLine.run_id) == col(Run.id)).correlate(Run).scalar_subquery()
    )
    found = session.exec(select(Run, lines).order_by(col(Run.created_at).desc()))
    return [RunRow(run.id, run.name, run.owner, run.created_at, count) for run, count in found]
