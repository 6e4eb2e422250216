"""An import in the background: the files are got, read and kept in a thread, and what came of it can be looked at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotations.importing import Imported, Provenance
from annotations.store import Store
from core.dataset import DATASETS, Refusal
from core.intake import Tally, readable, sha256, whole
from core.models.released import called
from core.trouble import Trouble, attempt
from core.types import Item

Reading = Callable[[Path], Iterator[Item | Refusal]]
"""Begins to read a file or folder."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to import under which name: `place` says where it lies, and may fetch it first.

    `file` is what was uploaded, "" where the dataset comes from where it lives.
    """

    dataset: str
    importer: str
    file: str
    by: str
    place: Callable[[], Path]
    reading: Reading
    skip_broken: bool

    def origin(self, place: Path) -> Provenance:
        plugin = DATASETS.get(self.importer)
        file = self.file or called(plugin(), place)
        return Provenance(self.dataset, self.importer, file, sha256(place), plugin.licence, plugin.release, self.by)


@dataclass(eq=False)
class Intake:
    """An import under way in a thread: what was read so far, and how it ended."""

    wish: Wish
    tally: Tally = field(default_factory=Tally)
    imported: Imported | None = None
    trouble: str = ""

    @property
    def running(self) -> bool:
        return self.imported is None and not self.trouble

    def begin(self, store: Store) -> None:
        threading.Thread(target=self._run, args=(store,), daemon=True).start()

    def _run(self, store: Store) -> None:
        # whatever happens must end the waiting of the page
        outcome = attempt(lambda: self._imported(store))
        if isinstance(outcome, Trouble):
            self.trouble = outcome.message
        else:
            self.imported = outcome

    def _imported(self, store: Store) -> Imported:
        taken, place = readable if self.wish.skip_broken else whole, self.wish.place()
        items = taken(self.wish.reading(place), self.tally)
        return store.import_dataset(self.wish.origin(place), items, self.tally.counts)
