"""What a pool holds: models in memory, under way or failed, who uses them, and who wants to hear of changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.errors import TouchstoneError
from core.models.device import reclaim
from core.models.model import Model
from core.models.state import ModelState, Status
from core.types import Checkpoint


@dataclass(slots=True, eq=False)
class Entry:
    """One checkpoint, from the request to the drop. `model` or `error` is set in the end; `unwanted` ends with the leases."""

    state: ModelState
    model: Model | None = None
    error: TouchstoneError | None = None
    leases: int = 0
    used_at: float = 0.0
    unwanted: bool = False

    @property
    def idle(self) -> bool:
        return self.model is not None and not self.leases


class Shelf:
    """Entries by checkpoint. `changed` guards them: hold it over steps that belong together. Safe among threads."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.entries: dict[Checkpoint, Entry] = {}
        self._watchers: tuple[Callable[[], None], ...] = ()

    def states(self) -> Mapping[Checkpoint, ModelState]:
        with self.changed:
            return {checkpoint: entry.state for checkpoint, entry in self.entries.items()}

    def used_bytes(self) -> int:
        return sum(state.nbytes for state in self.states().values())

    def set(self, entry: Entry, state: ModelState) -> None:
        if state != entry.state:
            entry.state = state
            self.tell()

    def fill(self, entry: Entry, model: Model) -> None:
        with self.changed:
            entry.model, entry.used_at = model, time.monotonic()
        self.set(entry, ModelState(Status.READY, nbytes=model.nbytes))

    def fail(self, entry: Entry, error: TouchstoneError) -> None:
        entry.error = type(error)(str(error))  # without the traceback, which would keep a half-loaded model alive
        self.set(entry, ModelState(Status.FAILED, str(error)))

    def forget_failure(self, checkpoint: Checkpoint) -> None:
        with self.changed:
            entry = self.entries.get(checkpoint)
            if entry is not None and entry.error:
                del self.entries[checkpoint]

    def model_of(self, entry: Entry) -> Model:
        """The model once it is loaded; raises what its load failed with."""
        with self.changed:
            self.changed.wait_for(lambda: entry.model or entry.error)
        if entry.error:
            raise type(entry.error)(str(entry.error))  # a new one: an exception collects the traceback of its thread
        assert entry.model is not None  # leased, so nobody drops it
        return entry.model

    def give_back(self, entry: Entry) -> None:
        """End a lease."""
        with self.changed:
            entry.leases -= 1
            entry.used_at = time.monotonic()
            self.changed.notify_all()
        self.drop_unwanted()

    def idle(self) -> list[Checkpoint]:
        """What takes memory and is leased by nobody, the least recently used first."""
        found = [
            (entry.used_at, checkpoint)
            for checkpoint, entry in self.entries.items()
            if entry.idle and entry.state.nbytes
        ]
        return [checkpoint for _, checkpoint in sorted(found, key=lambda pair: pair[0])]

    def drop_oldest(self) -> bool:
        """Drop the least recently used idle model; False where there is none."""
        return self._drop(lambda: self.idle()[:1])

    def drop_unwanted(self) -> None:
        """Drop the idle models that somebody wants unloaded."""
        self._drop(lambda: [checkpoint for checkpoint, entry in self.entries.items() if entry.idle and entry.unwanted])

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        with self.changed:
            self._watchers = (*self._watchers, callback)
        return lambda: self._unwatch(callback)

    def tell(self) -> None:
        """Wake those who wait and call the watchers, these without holding the lock."""
        with self.changed:
            self.changed.notify_all()
        for callback in self._watchers:
            callback()

    def _drop(self, choose: Callable[[], list[Checkpoint]]) -> bool:
        with self.changed:
            dropped = [self.entries.pop(checkpoint) for checkpoint in choose()]
        for entry in dropped:
            entry.model = None  # whoever still holds the entry must not keep the weights
        if dropped:
            reclaim()
            self.tell()
        return bool(dropped)

    def _unwatch(self, callback: Callable[[], None]) -> None:
        with self.changed:
            self._watchers = tuple(watcher for watcher in self._watchers if watcher is not callback)
