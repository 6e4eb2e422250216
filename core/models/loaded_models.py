"""The checkpoints that are in memory, under way or failed, with their leases; and the device of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Condition

from core.errors import TouchstoneError
from core.model_reference import Checkpoint
from core.models import device as devices
from core.models.networks.model import Model
from core.models.weights.locations import ModelState, ModelStatus


@dataclass(slots=True, eq=False)
class PoolEntry:
    """One checkpoint, from the request to the drop. Either `model` or `error` is set in the end."""

    state: ModelState
    """State that the pool shows: waiting, loaded or failed, and its bytes."""

    device: str
    """The device that it was requested on."""

    reserved: int = 0
    """Bytes that are kept free for it while it is being loaded; 0 afterwards."""

    model: Model | None = None
    """None until it is loaded."""

    fingerprint: str = ""
    """Hash of the files that the model was loaded from; "" until it is loaded."""

    error: TouchstoneError | None = None
    """Reason why it could not be loaded; None if it could."""

    leases: int = 0
    """Number of users now; it is dropped only at 0."""

    used_at: float = 0.0
    """Monotonic time of its last use, in seconds."""

    unwanted: bool = False
    """True if it is to be dropped when its last lease ends."""

    @property
    def idle(self) -> bool:
        return self.model is not None and not self.leases


class Placement:
    """The device of each checkpoint, from the first question to the end: the one with the most memory not given away.

    Not safe for threads.
    """

    def __init__(self, budgets: Mapping[str, int]) -> None:
        self._free = dict(budgets)
        self._devices: dict[Checkpoint, str] = {}

    def of(self, checkpoint: Checkpoint, nbytes: Callable[[], int]) -> str:
        """Its device; `nbytes` tells what it will take."""
        if checkpoint not in self._devices:
            device = self._devices[checkpoint] = max(self._free, key=self._free.__getitem__)
            self._free[device] -= nbytes()
        return self._devices[checkpoint]


class LoadedModels:
    """Entries by checkpoint. `changed` guards them: hold it over steps that belong together. Safe among threads."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.entries: dict[Checkpoint, PoolEntry] = {}
        self._replaced: list[PoolEntry] = []  # leased still, so their memory is in use
        self._watchers: tuple[Callable[[], None], ...] = ()

    def states(self) -> Mapping[Checkpoint, ModelState]:
        with self.changed:
            return {checkpoint: entry.state for checkpoint, entry in self.entries.items()}

    def used_bytes(self, device: str) -> int:
        with self.changed:
            held = (*self.entries.values(), *self._replaced)
            return sum(entry.reserved or entry.state.nbytes for entry in held if entry.device == device)

    def reserved_bytes(self, device: str) -> int:
        """Bytes that loads under way will take."""
        with self.changed:
            return sum(entry.reserved for entry in self.entries.values() if entry.device == device)

    def set(self, entry: PoolEntry, state: ModelState) -> None:
        if state != entry.state:
            entry.state = state
            self.tell()

    def fill(self, entry: PoolEntry, model: Model, fingerprint: str) -> None:
        with self.changed:
            entry.model, entry.fingerprint, entry.used_at = model, fingerprint, time.monotonic()
            entry.reserved = 0
        self.set(entry, ModelState(ModelStatus.READY, nbytes=model.nbytes))

    def fail(self, entry: PoolEntry, error: TouchstoneError) -> None:
        entry.reserved = 0
        entry.error = type(error)(str(error))  # without the traceback, which would keep a half-loaded model alive
        self.set(entry, ModelState(ModelStatus.FAILED, str(error)))

    def forget_failure(self, checkpoint: Checkpoint) -> None:
        with self.changed:
            entry = self.entries.get(checkpoint)
            if entry is not None and entry.error:
                del self.entries[checkpoint]

    def model_of(self, entry: PoolEntry) -> Model:
        """The model once it is loaded; raises what its load failed with."""
        with self.changed:
            self.changed.wait_for(lambda: entry.model or entry.error)
        if entry.error:
            raise type(entry.error)(str(entry.error))  # a new one: an exception collects the traceback of its thread
        assert entry.model is not None  # leased, so nobody drops it
        return entry.model

    def give_back(self, entry: PoolEntry) -> None:
        """End a lease."""
        with self.changed:
            entry.leases -= 1
            entry.used_at = time.monotonic()
            self._replaced = [other for other in self._replaced if other.leases]
            self.changed.notify_all()
        self.drop_unwanted()

    def idle(self, device: str) -> list[Checkpoint]:
        """Checkpoints that take memory of a device and are leased by nobody, the least recently used first."""
        candidates = [
            (entry.used_at, checkpoint)
            for checkpoint, entry in self.entries.items()
            if entry.device == device and entry.idle and entry.state.nbytes
        ]
        return [checkpoint for _, checkpoint in sorted(candidates, key=lambda pair: pair[0])]

    def drop_oldest(self, device: str) -> bool:
        """Drop the least recently used idle model of a device; False where there is none."""
        return self._drop(lambda: self.idle(device)[:1])

    def drop_unwanted(self) -> None:
        """Drop the idle models that somebody wants unloaded."""
        self._drop(lambda: [checkpoint for checkpoint, entry in self.entries.items() if entry.idle and entry.unwanted])

    def replace(self, checkpoint: Checkpoint, fingerprint: str) -> None:
        """Forget a model that was loaded from files of this fingerprint; whoever leases it keeps it to the end."""
        with self.changed:
            entry = self.entries.get(checkpoint)
            if entry is None or entry.fingerprint != fingerprint:
                return
            if entry.leases:
                self._replaced.append(self.entries.pop(checkpoint))
        self._drop(lambda: [checkpoint] if self.entries.get(checkpoint) is entry else [])
        self.tell()

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
            devices.collect_garbage()
            self.tell()
        return bool(dropped)

    def _unwatch(self, callback: Callable[[], None]) -> None:
        with self.changed:
            self._watchers = tuple(watcher for watcher in self._watchers if watcher is not callback)
