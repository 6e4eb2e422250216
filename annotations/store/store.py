"""The store: every write is one transaction with a receipt after the commit; and stress runs that live in memory alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Self
from uuid import uuid4

from sqlalchemy import URL, Engine, bindparam, event, func, insert
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, col, select

from annotations.store.database import (
    BUSY_SECONDS,
    connect,
    connect_read_only,
    database_path,
    is_in_memory,
    parse_url,
    read_session,
    write_session,
)
from annotations.store.dataset_import import CountsCallback, DatasetSource, ImportResult, write_spooled_rows
from annotations.store.dataset_versions import VersionOfDataset, add_tag, find_version, load_references
from annotations.store.imported_datasets import (
    DatasetRow,
    load_dataset_names,
    load_datasets,
    load_import_times,
    load_samples_of_item,
)
from annotations.store.migrate import make_or_require_current, require_current, upgrade
from annotations.store.reads import count_rows, load_pair, load_saved_rows
from annotations.store.records import (
    AuditRecord,
    LabelRecord,
    PairRecord,
    ReadOnlyError,
    Receipt,
    RecordError,
    RunRow,
    SavedRow,
    StoredPair,
    StoreError,
    ThresholdRecord,
    require_storable,
    require_text,
)
from annotations.store.score_writes import (
    ReadCode,
    SavedScores,
    load_code,
    save_code,
    save_outcomes,
    signatures_of,
)
from annotations.store.spooled_rows import spool_rows
from annotations.store.tables import AuditRow, Draft, RunLine, StressRunRow, ThresholdRow
from annotations.store.usage import require_room
from annotations.store.writes import delete_old_drafts, save_label, save_pair, upsert_draft
from core.base import CodeParts
from core.types import Item, Outcome, Sample


def begin_run(session: Session, name: str, owner: str, plan: str) -> str:
    """Add a run without lines; its id. Raises RecordError for a name that is empty or taken."""
    require_text("name of the run", name)
    require_storable("the plan of the run", owner, plan, most=_MAX_RUN_TEXT)
    if session.exec(select(StressRunRow.id).where(StressRunRow.name == name)).first():
        raise RecordError(f"There is a run called {name!r} already. Choose another name, or open that run and go on.")
    run = StressRunRow(id=uuid4().hex, name=name, owner=owner, plan=plan, created_at=datetime.now(UTC))
    session.add(run)
    return run.id


def append_run_lines(session: Session, run_id: str, lines: Sequence[str]) -> None:
    """Add lines behind those that are there. Raises RecordError for a run that is not there."""
    require_storable("a line of the run", *lines, most=_MAX_RUN_TEXT)
    if session.get(StressRunRow, run_id) is None:
        raise RecordError(f"There is no run {run_id!r} to add to. Begin it first.")
    rows = [{"run_id": run_id, "line": line, "created_at": datetime.now(UTC)} for line in lines]
    if rows:
        session.connection().execute(insert(RunLine), rows)


def load_run_lines(session: Session, run_id: str) -> Iterator[str]:
    """The plan of a run, then its lines in order; nothing where there is no such run."""
    run = session.get(StressRunRow, run_id)
    if run:
        yield run.plan
        yield from session.exec(select(RunLine.line).where(RunLine.run_id == run_id).order_by(col(RunLine.id)))


def load_runs(session: Session) -> list[RunRow]:
    """Every run, newest first, with the number of its lines."""
    lines = (
        select(func.count(col(RunLine.id)))
        .where(col(RunLine.run_id) == col(StressRunRow.id))
        .correlate(StressRunRow)
        .scalar_subquery()
    )
    rows = session.exec(select(StressRunRow, lines).order_by(col(StressRunRow.created_at).desc()))
    return [RunRow(run.id, run.name, run.owner, run.created_at, count) for run, count in rows]


def save_audits(session: Session, audits: Sequence[AuditRecord]) -> None:
    """Add finished audits. Raises RecordError for what no database holds."""
    for audit in audits:
        require_storable("the audit", audit.metric, audit.signature, audit.data, audit.report, most=_MAX_RUN_TEXT)
    session.add_all(AuditRow(**asdict(audit)) for audit in audits)


def load_audits(session: Session, metric: str) -> list[AuditRecord]:
    """The kept audits of a metric, oldest first."""
    query = select(AuditRow).where(AuditRow.metric == metric).order_by(col(AuditRow.created_at), col(AuditRow.id))
    return [AuditRecord(**row.model_dump(exclude={"id"})) for row in session.exec(query)]


def load_audited(session: Session) -> dict[tuple[str, str], datetime]:
    """The time of the last audit of each metric, by it and the name of data that it was audited on; the last audit first."""
    last, finished = func.max(col(AuditRow.id)), func.max(col(AuditRow.created_at))
    rows = session.exec(
        select(AuditRow.metric, AuditRow.data, finished).group_by(AuditRow.metric, AuditRow.data).order_by(last.desc())
    )
    return {(metric, data): at for metric, data, at in rows}


def save_threshold(session: Session, threshold: ThresholdRecord) -> None:
    """Add a threshold. Raises RecordError for a name that is empty or taken."""
    require_text("name of the threshold", threshold.name)
    require_storable("the threshold", threshold.metric, threshold.record, most=_MAX_RUN_TEXT)
    if session.get(ThresholdRow, threshold.name):
        raise RecordError(f"There is a threshold called {threshold.name!r} already. Choose another name.")
    session.add(ThresholdRow(**asdict(threshold)))


def load_thresholds(session: Session) -> list[ThresholdRecord]:
    """Every threshold, newest first."""
    query = select(ThresholdRow).order_by(col(ThresholdRow.created_at).desc(), col(ThresholdRow.name))
    return [ThresholdRecord(**row.model_dump()) for row in session.exec(query)]


def _read_no_code(hash: str) -> None:  # noqa: ARG001  # of a store that saves no scores of its own machine
    return None


def _close_returned(_: object, record: ConnectionPoolEntry) -> None:
    """Close a connection that comes back to the pool of a closed store, which would keep it open for the next."""
    record.invalidate()


_MAX_DRAFT, _MAX_RUN_TEXT = 5_000_000, 200_000_000  # characters
_MAX_RUNS = 20  # runs; one of everything bundled is about two megabytes
_SELECT_DRAFT = select(Draft.payload).where(Draft.id == bindparam("id"))


class InMemoryRuns:
    """Stress runs in memory, with the methods of the store; drops the oldest beyond its `limit`; safe to share between threads."""

    def __init__(self, limit: int = _MAX_RUNS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._rows: dict[str, RunRow] = {}
        self._lines: dict[str, list[str]] = {}

    def begin_run(self, name: str, owner: str, plan: str) -> str:
        """Take what a run is to do; its id. Raises RecordError for an empty name."""
        require_text("name of the run", name)
        row = RunRow(uuid4().hex, name, owner, datetime.now(UTC), 0)
        with self._lock:
            self._rows[row.id], self._lines[row.id] = row, [plan]
            for old in list(self._rows)[: -self._limit]:
                del self._rows[old], self._lines[old]
        return row.id

    def append_run(self, id: str, lines: Sequence[str]) -> None:
        """Put lines behind those of a run. Raises RecordError for one that is not here any more."""
        with self._lock:
            if id not in self._rows:
                raise RecordError("This run made room for newer ones: nothing is kept here. Run it again.")
            self._lines[id] += lines

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def run_lines(self, id: str) -> list[str]:
        """The plan of a run and then its lines in order; nothing for a run that is not here."""
        with self._lock:
            return self._lines.get(id, [])[:]

    def runs(self) -> list[RunRow]:
        """The runs that are here, newest first."""
        with self._lock:
            return [self._counted(row) for row in reversed(self._rows.values())]

    def _counted(self, row: RunRow) -> RunRow:
        return RunRow(row.id, row.name, row.owner, row.created_at, len(self._lines[row.id]) - 1)


@dataclass(frozen=True, slots=True)
class Store:
    """Pairs, scores, labels and judgements in a database; safe to share between threads.

    Every method raises StoreError with a sentence where the database fails; a write raises NotSavedError when nothing of
    it was saved and ReadOnlyError in a store that keeps nothing. After a NotSavedError the same write may be tried again.
    `patience_s` is how long a write waits for another program that writes to an SQLite file; `read_code` gives the parts of
    the code behind the signatures of this machine, which are kept beside the scores.
    """

    engine: Engine
    read_only: bool
    patience_s: float = BUSY_SECONDS
    read_code: ReadCode = _read_no_code

    @classmethod
    def open(
        cls,
        url: str,
        read_only: bool = False,
        patience_s: float = BUSY_SECONDS,
        read_code: ReadCode = _read_no_code,
    ) -> Self:
        """Open a database, and make it if it is not there.

        A read-only store touches no file; where there is none, it is empty. Raises StoreError, as for a database of an older
        version, which `migration.migrate` brings up.
        """
        parsed = parse_url(url)
        if read_only:
            return cls._open_read_only(parsed)
        opened = cls._ready(connect(parsed), make_or_require_current, read_only=False)
        store = replace(opened, patience_s=patience_s, read_code=read_code)
        with store.writing() as session:
            session.connection().execute(delete_old_drafts())
        return store

    @classmethod
    def _open_read_only(cls, url: URL) -> Self:
        if url.get_backend_name() == "sqlite" and (is_in_memory(url) or not database_path(url).exists()):
            return cls._ready(connect(parse_url("sqlite://")), upgrade, read_only=True)
        return cls._ready(connect_read_only(url), require_current, read_only=True)

    @classmethod
    def _ready(cls, engine: Engine, prepare: Callable[[Engine], None], read_only: bool) -> Self:
        try:
            prepare(engine)
        except StoreError:
            engine.dispose()
            raise
        return cls(engine, read_only)

    def close(self) -> None:
        """Close all connections to the database, one that a thread still uses as soon as it is given back."""
        event.listen(self.engine, "checkin", _close_returned)
        self.engine.dispose()

    def save_pair(self, pair: PairRecord) -> Receipt:
        """Save a pair with its scores; the same pair again gives the same id and `is_new=False`."""
        with self.writing() as session:
            save_code(session, signatures_of(pair.outcomes), self.read_code)
            return save_pair(session, pair)

    def save_label(self, record: LabelRecord) -> Receipt:
        """Save a label with its judgements and explanation; a re-sent event gives the receipt of the first time."""
        with self.writing() as session:
            return save_label(session, record)

    def pair(self, id: str) -> StoredPair | None:
        """A kept or labelled item, edited or not, with all that is needed to restore it."""
        with read_session(self.engine) as session:
            return load_pair(session, id)

    def samples_of(self, item_id: str) -> list[Sample]:
        """Samples of a stored item in the imported datasets, without its texts."""
        with read_session(self.engine) as session:
            return load_samples_of_item(session, item_id)

    def saved(self, limit: int = 50) -> list[SavedRow]:
        """Saved pairs and labels, newest first."""
        with read_session(self.engine) as session:
            return load_saved_rows(session, limit)

    def begin_run(
        self, name: str, owner: str, plan: str, most_runs: int | None = None, most_mb: float | None = None
    ) -> str:
        """Save the plan of a stress run; its id.

        Raises RecordError for a name that is empty or taken, and for an owner who has as many runs, or holds as much, as they may.
        """
        with self.writing() as session:
            require_room(session, owner, most_runs, most_mb)
            return begin_run(session, name, owner, plan)

    def append_run(self, id: str, lines: Sequence[str]) -> None:
        """Append results of a stress run."""
        with self.writing() as session:
            append_run_lines(session, id, lines)

    def run_lines(self, id: str) -> list[str]:
        """The plan of a stress run and then its lines in order; nothing for a run that is not there."""
        with read_session(self.engine) as session:
            return list(load_run_lines(session, id))

    def runs(self) -> list[RunRow]:
        """The stress runs, newest first."""
        with read_session(self.engine) as session:
            return load_runs(session)

    def save_audits(self, audits: Sequence[AuditRecord]) -> None:
        """Keep finished audits, one of each metric."""
        with self.writing() as session:
            save_audits(session, audits)
            save_code(session, [audit.signature for audit in audits], self.read_code)

    def audits(self, metric: str) -> list[AuditRecord]:
        """The kept audits of a metric, oldest first."""
        with read_session(self.engine) as session:
            return load_audits(session, metric)

    def audited(self) -> dict[tuple[str, str], datetime]:
        """The time of the last audit of each metric, by it and the name of data that it was audited on; the last audit first."""
        with read_session(self.engine) as session:
            return load_audited(session)

    def save_threshold(self, threshold: ThresholdRecord) -> None:
        """Keep a threshold. Raises RecordError for a name that is empty or taken."""
        with self.writing() as session:
            save_threshold(session, threshold)

    def thresholds(self) -> list[ThresholdRecord]:
        """The thresholds that were saved under a name, newest first."""
        with read_session(self.engine) as session:
            return load_thresholds(session)

    def import_dataset(self, provenance: DatasetSource, items: Iterable[Item], counts: CountsCallback) -> ImportResult:
        """Keep the items of a file under the name of a dataset: all of them or, where reading them raises, none.

        The same content again adds nothing. Else it is the next version of the dataset: a changed file takes the place of its
        earlier self, another file adds to what is known of the samples, and older versions stay as they are. What `counts`
        gives after the last item is kept with the file. Raises RecordError where either is possible and `replaces` is None.
        """
        self._require_writable()
        with spool_rows(provenance.dataset_id, items) as spooled, self.writing() as session:
            return write_spooled_rows(session, provenance, counts(), spooled)

    def version(self, reference: str) -> VersionOfDataset:
        """The version that NAME (the newest), NAME@2 or NAME@TAG names. Raises RecordError for what there is not."""
        with read_session(self.engine) as session:
            return find_version(session, reference)

    def version_references(self) -> dict[str, list[str]]:
        """By name of a dataset, the references of its versions, the newest first."""
        with read_session(self.engine) as session:
            return load_references(session)

    def tag_version(self, reference: str, tag: str, by: str) -> VersionOfDataset:
        """Tag a version of a dataset for good. Raises RecordError for a tag of another version, and for what is no tag."""
        with self.writing() as session:
            return add_tag(session, reference, tag, by)

    def datasets(self) -> list[DatasetRow]:
        """The imported datasets by name."""
        with read_session(self.engine) as session:
            return load_datasets(session)

    def dataset_names(self) -> list[str]:
        """The names of the imported datasets in order."""
        with read_session(self.engine) as session:
            return load_dataset_names(session)

    def import_times(self) -> dict[str, datetime]:
        """The time of the last import into each dataset, by its name."""
        with read_session(self.engine) as session:
            return load_import_times(session)

    def save_outcomes(self, outcomes: Sequence[Outcome]) -> SavedScores:
        """Save scores of stored texts; each `example_id` is an id of the store."""
        with self.writing() as session:
            save_code(session, signatures_of(outcomes), self.read_code)
            return save_outcomes(session, outcomes)

    def code(self, hash: str) -> CodeParts | None:
        """The parts of the code behind a hash in a signature; None where they are not kept here."""
        with read_session(self.engine) as session:
            return load_code(session, hash)

    def counts(self, *tables: str) -> dict[str, int]:
        """The number of rows of each of these tables; without a name of every table."""
        with read_session(self.engine) as session:
            return count_rows(session.connection(), tables)

    def save_draft(self, id: str, owner: str, payload: str) -> None:
        """Save a draft over the one of this id; deleted 30 days after its last change."""
        require_text("draft's id", id)
        require_storable("the draft", owner, payload, most=_MAX_DRAFT)
        with self.writing_without_sync() as session:
            upsert_draft(session, Draft(id=id, owner=owner, payload=payload, updated_at=datetime.now(UTC)))

    def draft(self, id: str) -> str | None:
        """The payload kept under an id."""
        with read_session(self.engine) as session:
            return session.exec(_SELECT_DRAFT, params={"id": id}).first()

    def recent_drafts(self, owner: str, most: int) -> list[str]:
        """The payloads that were last kept for an owner, the newest first."""
        query = select(Draft.payload).where(Draft.owner == owner).order_by(col(Draft.updated_at).desc()).limit(most)
        with read_session(self.engine) as session:
            return list(session.exec(query))

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A write transaction of this store. Raises ReadOnlyError in a store that keeps nothing."""
        self._require_writable()
        with write_session(self.engine, patience_s=self.patience_s) as session:
            yield session

    @contextmanager
    def writing_without_sync(self) -> Iterator[Session]:
        """A write transaction that does not wait for the disk, for what can be redone after a power cut: drafts and reservations."""
        self._require_writable()
        with write_session(self.engine, durable=False, patience_s=self.patience_s) as session:
            yield session

    def _require_writable(self) -> None:
        if self.read_only:
            raise ReadOnlyError(
                "This was NOT saved: Touchstone runs as a demonstration and keeps nothing. "
                "Start it without TOUCHSTONE_DEMO to keep what you do."
            )
