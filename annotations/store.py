"""The store: every write is one transaction, and its receipt is given after the commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from sqlalchemy import URL, Engine
from sqlmodel import Session

from annotations.database import connect, connect_read_only, in_memory, path_of, read, read_url, write
from annotations.datasets import DatasetRow, load_datasets, load_names
from annotations.errors import ReadOnlyError, StoreError
from annotations.importing import Counts, Imported, Provenance, spooled, write_spooled
from annotations.loading import count_rows, load_pair, load_saved
from annotations.migrate import require_current, upgrade
from annotations.records import (
    KeptPair,
    Receipt,
    Record,
    RunRow,
    SavedRow,
    StoredPair,
    require_storable,
    require_text,
)
from annotations.runs import append_lines, begin_run, load_lines, load_runs
from annotations.saving import old_drafts, put_draft, save_pair, save_record
from annotations.scores import add_outcomes
from annotations.tables import Draft
from core.types import Item, Outcome


@dataclass(frozen=True, slots=True)
class Store:
    """Pairs, scores, labels and judgements in a database; safe to share between threads.

    Every method raises StoreError with a sentence where the database fails; a write raises NotSavedError when nothing of
    it was saved and ReadOnlyError in a store that keeps nothing. After a NotSavedError the same write may be tried again.
    """

    engine: Engine
    read_only: bool

    @classmethod
    def open(cls, url: str, read_only: bool = False) -> Self:
        """Open a database, make it if it is not there, and bring it to the version of this code.

        A read-only store touches no file; where there is none, it is empty. Raises StoreError.
        """
        parsed = read_url(url)
        if read_only:
            return cls._open_read_only(parsed)
        store = cls._ready(connect(parsed), upgrade, read_only=False)
        with store.writing() as session:
            session.connection().execute(old_drafts())
        return store

    @classmethod
    def _open_read_only(cls, url: URL) -> Self:
        if url.get_backend_name() == "sqlite" and (in_memory(url) or not path_of(url).exists()):
            return cls._ready(connect(read_url("sqlite://")), upgrade, read_only=True)
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
        """Let go of the database."""
        self.engine.dispose()

    def keep_pair(self, pair: KeptPair) -> Receipt:
        """Keep a pair with its scores; the same pair again gives the same id and `fresh=False`."""
        with self.writing() as session:
            return save_pair(session, pair)

    def record(self, record: Record) -> Receipt:
        """Keep a label with all that was said beside it; a re-sent event gives the receipt of the first time."""
        with self.writing() as session:
            return save_record(session, record)

    def pair(self, id: str) -> StoredPair | None:
        """A kept or labelled item, edited or not, with all that is needed to restore it."""
        with read(self.engine) as session:
            return load_pair(session, id)

    def saved(self, limit: int = 50) -> list[SavedRow]:
        """What was kept and labelled, newest first."""
        with read(self.engine) as session:
            return load_saved(session, limit)

    def begin_run(self, name: str, owner: str, plan: str) -> str:
        """Keep what a stress run is to do; its id. Raises RecordError for a name that is empty or taken."""
        with self.writing() as session:
            return begin_run(session, name, owner, plan)

    def append_run(self, id: str, lines: Sequence[str]) -> None:
        """Keep what a stress run found, behind what it has found before."""
        with self.writing() as session:
            append_lines(session, id, lines)

    def run_lines(self, id: str) -> list[str]:
        """The plan of a stress run and then its lines in order; nothing for a run that is not there."""
        with read(self.engine) as session:
            return list(load_lines(session, id))

    def runs(self) -> list[RunRow]:
        """The stress runs, newest first."""
        with read(self.engine) as session:
            return load_runs(session)

    def import_dataset(self, provenance: Provenance, items: Iterable[Item], counts: Counts) -> Imported:
        """Keep the items of a file under the name of a dataset: all of them or, where reading them raises, none.

        The same file again adds nothing; another file of the same dataset adds to what is known of its samples. What
        `counts` gives after the last item is kept with the file.
        """
        self._require_writable()
        with spooled(provenance, items) as file, self.writing() as session:
            return write_spooled(session, provenance, counts(), file)

    def datasets(self) -> list[DatasetRow]:
        """The imported datasets by name."""
        with read(self.engine) as session:
            return load_datasets(session)

    def dataset_names(self) -> list[str]:
        """The names of the imported datasets in order."""
        with read(self.engine) as session:
            return load_names(session)

    def keep_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        """Keep what metrics said of stored texts; each `example_id` is an id of the store."""
        with self.writing() as session:
            add_outcomes(session, outcomes)

    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        with read(self.engine) as session:
            return count_rows(session)

    def save_draft(self, id: str, owner: str, payload: str) -> None:
        """Keep work in progress in place of what was under this id; forgotten 30 days after its last change."""
        require_text("draft's id", id)
        require_storable("the draft", owner, payload)
        with self.noting() as session:
            put_draft(session, Draft(id=id, owner=owner, payload=payload, updated_at=datetime.now(UTC)))

    def draft(self, id: str) -> str | None:
        """The payload kept under an id."""
        with read(self.engine) as session:
            draft = session.get(Draft, id)
            return draft.payload if draft else None

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A write transaction of this store. Raises ReadOnlyError in a store that keeps nothing."""
        self._require_writable()
        with write(self.engine) as session:
            yield session

    @contextmanager
    def noting(self) -> Iterator[Session]:
        """A write transaction for what can be done again after a power cut: drafts, and who has what in hand."""
        self._require_writable()
        with write(self.engine, lasting=False) as session:
            yield session

    def _require_writable(self) -> None:
        if self.read_only:
            raise ReadOnlyError(
                "This was NOT saved: Touchstone runs as a demonstration and keeps nothing. "
                "Start it without TOUCHSTONE_DEMO to keep what you do."
            )
