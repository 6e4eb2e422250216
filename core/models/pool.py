"""Models in memory: loaded in the background, leased while in use, the least recently used dropped under a budget."""

from __future__ import annotations

import importlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.errors import LoadError, MemoryFullError, NotHereError, TouchstoneError
from core.models import device as devices
from core.models.download import download
from core.models.files import locate, memory_bytes
from core.models.fingerprints import Fingerprints
from core.models.model import Model
from core.models.state import ModelState, Status, state_on_disk
from core.models.worker import Worker
from core.types import Checkpoint

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Entry:
    """A checkpoint that is in memory, under way or failed; guarded by the pool's condition."""

    state: ModelState
    model: Model | None = None
    error: TouchstoneError | None = None
    leases: int = 0
    used_at: float = 0.0
    unwanted: bool = False

    @property
    def idle(self) -> bool:
        return self.model is not None and not self.leases


class ModelPool:
    """The models of one device, shared by all threads of a process.

    `device` is "auto" or a torch device; `budget_bytes` defaults to half of the device's memory; hashes of weights are
    kept in `cache_dir`; a load waits `patience_s` for memory that others use. `state`, `states`, `request`, `fetch` and
    `retry` return at once and load no torch.
    """

    def __init__(self, device: str, budget_bytes: int | None, cache_dir: Path, patience_s: float = 60.0) -> None:
        self._wanted_device = device
        self._wanted_budget = budget_bytes
        self._patience_s = patience_s
        self._fingerprints = Fingerprints(cache_dir)
        self._changed = threading.Condition()
        self._entries: dict[Checkpoint, _Entry] = {}
        self._watchers: tuple[Callable[[], None], ...] = ()
        self._loader = Worker("model-loader")
        self._downloader = Worker("model-downloader")

    @cached_property
    def device(self) -> str:
        """The device that models run on; for "auto" the first look imports torch."""
        return devices.resolve(self._wanted_device)

    @cached_property
    def budget_bytes(self) -> int:
        """Memory that models may take."""
        return devices.memory_of(self.device) // 2 if self._wanted_budget is None else self._wanted_budget

    def fingerprint(self, checkpoint: Checkpoint) -> str:
        """A hash of the contents that decide this checkpoint's numbers; reads the files once. Raises NotHereError."""
        return self._fingerprints.of(checkpoint)

    def state(self, checkpoint: Checkpoint) -> ModelState:
        entry = self._entries.get(checkpoint)
        return entry.state if entry else state_on_disk(checkpoint)

    def states(self) -> Mapping[Checkpoint, ModelState]:
        """The checkpoints that are in memory, under way or failed."""
        with self._changed:
            return {checkpoint: entry.state for checkpoint, entry in self._entries.items()}

    def fits(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint on disk could be loaded without dropping another; raises NotHereError."""
        return self._used() + memory_bytes(locate(checkpoint), checkpoint) <= self.budget_bytes

    def request(self, checkpoint: Checkpoint) -> ModelState:
        """Start loading a checkpoint that is on disk; one that failed stays failed until `retry`."""
        with self._changed:
            self._start(checkpoint)
        self._tell()
        return self.state(checkpoint)

    def fetch(self, checkpoint: Checkpoint) -> ModelState:
        """Download what is missing, then load; tries again what failed."""
        if state_on_disk(checkpoint).status is not Status.NEEDS_DOWNLOAD:
            return self.retry(checkpoint)
        with self._changed:
            known = self._entries.get(checkpoint)
            if known is None or known.state.status is Status.FAILED:
                entry = _Entry(ModelState(Status.DOWNLOADING, "waiting for its turn"))
                self._entries[checkpoint] = entry
                self._downloader.put(lambda: self._download(checkpoint, entry))
        self._tell()
        return self.state(checkpoint)

    def retry(self, checkpoint: Checkpoint) -> ModelState:
        """Forget a failure and start loading."""
        with self._changed:
            self._forget_failure(checkpoint)
        return self.request(checkpoint)

    def unload(self, checkpoint: Checkpoint) -> None:
        """Drop a model from memory as soon as nobody uses it, or forget its failure; a download goes on."""
        with self._changed:
            self._forget_failure(checkpoint)
            if entry := self._entries.get(checkpoint):
                entry.unwanted = True
        self._drop_unwanted()
        self._tell()

    @contextmanager
    def lease(self, checkpoint: Checkpoint) -> Iterator[Model]:
        """The model, loaded first where it is on disk, and kept in memory while the block runs.

        Waits for a load, not for a download. Do not lease a second model inside: two such threads wait for each other's
        memory until patience runs out. Raises NotHereError, LoadError, MemoryFullError.
        """
        entry = self._hold(checkpoint)
        try:
            yield self._loaded(entry)
        finally:
            with self._changed:
                entry.leases -= 1
                entry.used_at = time.monotonic()
                self._changed.notify_all()
            self._drop_unwanted()

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after every change of a state, from whichever thread made it; returns the way to stop.

        It is called outside the pool's lock, must return soon and must not raise.
        """
        with self._changed:
            self._watchers = (*self._watchers, callback)
        return lambda: self._unwatch(callback)

    def wait_for(self, checkpoint: Checkpoint, statuses: Collection[Status], timeout_s: float) -> ModelState:
        """Wait until a checkpoint is in one of the statuses; raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.state(checkpoint).status in statuses, timeout_s):
                raise TimeoutError(f"{checkpoint.source} is {self.state(checkpoint)} after {timeout_s} s.")
            return self.state(checkpoint)

    def wait_for_change(self, seen: Mapping[Checkpoint, ModelState], timeout_s: float) -> bool:
        """Wait until `states()` differs from what was seen; False when it did not in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self.states() != seen, timeout_s)

    def close(self) -> None:
        """Give up what waits, let a load in progress end, and drop all models."""
        with self._changed:
            waiting = [entry for entry in self._entries.values() if entry.model is None]
        for entry in waiting:
            self._fail(entry, LoadError("The model pool is closed."))
        self._loader.close(patience_s=30)
        self._downloader.close(patience_s=0.1)
        with self._changed:
            self._entries.clear()
        devices.reclaim()

    def _start(self, checkpoint: Checkpoint) -> None:
        if checkpoint in self._entries or state_on_disk(checkpoint).status is not Status.COLD:
            return
        entry = _Entry(ModelState(Status.LOADING, "waiting for its turn"))
        self._entries[checkpoint] = entry
        self._loader.put(lambda: self._load(checkpoint, entry))

    def _hold(self, checkpoint: Checkpoint) -> _Entry:
        with self._changed:
            self._start(checkpoint)
            entry = self._entries.get(checkpoint)
            if entry is None:
                locate(checkpoint)  # says why it is not here
                raise NotHereError(f"{checkpoint.source} appeared only now. Try again.")
            if entry.state.status is Status.DOWNLOADING:
                raise NotHereError(f"{checkpoint.source} is being downloaded.")
            entry.leases += 1
            entry.unwanted = False
        self._tell()
        return entry

    def _loaded(self, entry: _Entry) -> Model:
        with self._changed:
            self._changed.wait_for(lambda: entry.model or entry.error)
            if entry.error:
                raise type(entry.error)(str(entry.error))  # a new one: it collects the traceback of its thread
            assert entry.model is not None
            return entry.model

    def _download(self, checkpoint: Checkpoint, entry: _Entry) -> None:
        def report(share: float) -> None:
            self._set(entry, ModelState(Status.DOWNLOADING, progress=round(share, 2)))

        with self._failing(entry):
            report(0.0)
            download(checkpoint, report)
            self._set(entry, ModelState(Status.LOADING, "waiting for its turn"))
            self._loader.put(lambda: self._load(checkpoint, entry))

    def _load(self, checkpoint: Checkpoint, entry: _Entry) -> None:
        if entry.error:
            return
        with self._failing(entry):
            folder = locate(checkpoint)
            self._make_room(entry, memory_bytes(folder, checkpoint))
            if entry.error:
                return
            self._set(entry, ModelState(Status.LOADING, "loading"))
            kind = importlib.import_module(f"core.models.kinds.{checkpoint.kind}")
            model: Model = kind.load(folder, checkpoint, self.device)
            with self._changed:
                entry.model, entry.used_at = model, time.monotonic()
            self._set(entry, ModelState(Status.READY, nbytes=model.nbytes))
        devices.settle()
        self._drop_unwanted()

    @contextmanager
    def _failing(self, entry: _Entry) -> Iterator[None]:
        try:
            yield
        except TouchstoneError as error:
            self._fail(entry, error)
        except Exception as error:  # noqa: BLE001  # whatever a library raises spoils this model; the thread serves others
            _log.exception("A model does not load.")
            self._fail(entry, LoadError(f"The model does not load ({type(error).__name__}: {error}); see the log."))

    def _fail(self, entry: _Entry, error: TouchstoneError) -> None:
        entry.error = type(error)(str(error))  # without the traceback, which would keep a half-loaded model alive
        self._set(entry, ModelState(Status.FAILED, str(error)))

    def _make_room(self, entry: _Entry, need: int) -> None:
        """Drop idle models until `need` bytes fit; raises MemoryFullError."""
        if need > self.budget_bytes:
            raise MemoryFullError(
                f"The model needs {need / 1e9:.1f} GB and models may take {self.budget_bytes / 1e9:.1f} GB. "
                "Raise TOUCHSTONE_MEMORY_GB, set dtype=float16, or use a smaller model."
            )
        deadline = time.monotonic() + self._patience_s
        while self._used() + need > self.budget_bytes and not entry.error:
            if self._drop_oldest():
                continue
            self._set(entry, ModelState(Status.LOADING, "waiting for memory that other models use"))
            self._wait_for_idle(entry, deadline)

    def _wait_for_idle(self, entry: _Entry, deadline: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._idle() or entry.error, deadline - time.monotonic()):
                raise MemoryFullError("All the memory for models is in use. Unload one and try again.")

    def _used(self) -> int:
        with self._changed:
            return sum(entry.state.nbytes for entry in self._entries.values())

    def _idle(self) -> list[Checkpoint]:
        """What is loaded and leased by nobody, the least recently used first."""
        idle = [
            (entry.used_at, checkpoint)
            for checkpoint, entry in self._entries.items()
            if entry.idle and entry.state.nbytes
        ]
        return [checkpoint for _, checkpoint in sorted(idle, key=lambda pair: pair[0])]

    def _drop_oldest(self) -> bool:
        with self._changed:
            idle = self._idle()
            if idle:
                del self._entries[idle[0]]
        if idle:
            self._dropped()
        return bool(idle)

    def _drop_unwanted(self) -> None:
        with self._changed:
            leaving = [checkpoint for checkpoint, entry in self._entries.items() if entry.idle and entry.unwanted]
            for checkpoint in leaving:
                del self._entries[checkpoint]
        if leaving:
            self._dropped()

    def _dropped(self) -> None:
        devices.reclaim()
        self._tell()

    def _forget_failure(self, checkpoint: Checkpoint) -> None:
        entry = self._entries.get(checkpoint)
        if entry is not None and entry.error:
            del self._entries[checkpoint]

    def _set(self, entry: _Entry, state: ModelState) -> None:
        if state != entry.state:
            entry.state = state
            self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()
        for callback in self._watchers:
            callback()

    def _unwatch(self, callback: Callable[[], None]) -> None:
        with self._changed:
            self._watchers = tuple(watcher for watcher in self._watchers if watcher is not callback)
