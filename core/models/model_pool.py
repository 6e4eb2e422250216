"""The models of the devices: downloaded and loaded in the background, leased, dropped for memory, loaded again where files changed."""

from __future__ import annotations

import importlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from pathlib import Path

from core.errors import LoadError, MemoryFullError, MissingWeightsError, Problem, TouchstoneError, attempt
from core.model_reference import TF32, Checkpoint
from core.models import device as devices
from core.models.hardware import read_hardware
from core.models.loaded_models import LoadedModels, Placement, PoolEntry
from core.models.model_packages import missing_package
from core.models.networks.model import Model
from core.models.precision import EXACT, Precision, loaded_as, mark_fingerprint, marked_dtype
from core.models.weights.download import download
from core.models.weights.integrity import Fingerprints, check_files
from core.models.weights.locations import ModelState, ModelStatus, locate, state_on_disk
from core.models.weights.weight_files import memory_bytes
from core.models.worker_threads import WorkerThreads
from core.settings import Settings

_log = logging.getLogger(__name__)
ADAPTERS = f"{__package__}.adapters"
_LOAD_ATTEMPTS = 3
IMPORTING = threading.Lock()
"""Held while parts of transformers are imported: two threads that do so at once find it half imported."""
_LOADS_AT_ONCE = 2  # one reads files while the other copies its weights
_SHARE = 0.5  # of the memory that is free, for models; batches need some too
_CONTEXT_BYTES = 1_500_000_000  # at most, of what CUDA and its libraries take for this process beside its tensors
_NO_ROOM = "loading again: it has made room for another model. Raise TOUCHSTONE_MEMORY, or choose fewer metrics, and all stay in memory"
_UNEXPECTED = (
    "The model does not load, for a reason that is in the log. Get all its files again from one repository, or name "
    "a model made for this metric."
)


class ModelPool:
    """The models of one or several devices of one kind, shared by all threads of a process.

    `device` is as in the settings; `budget`, of each device, is in bytes, or as a float the share of what is free while none
    of ours is loaded, by default half, and .85 of a GPU that no other process uses; hashes of weights are kept in `cache_dir`; a
    load waits `patience_s` for memory that others use; `adapters` is the package of the kinds of models. `precision`
    is that of models whose metric names no number type. `state`, `states`, `request`, `fetch` and `retry` return at once and load no torch.
    """

    def __init__(
        self,
        device: str,
        budget: int | float | None,
        cache_dir: Path,
        patience_s: float = 60.0,
        adapters: str = ADAPTERS,
    ) -> None:
        self.precision: Precision = EXACT
        self._wanted_device = device
        self._wanted_budget = budget
        self._patience_s = patience_s
        self._adapters = adapters
        self._free_bytes: dict[str, int] = {}  # at the last look while none of our models was there
        self._dropped: set[Checkpoint] = set()  # for another
        self._fingerprints = Fingerprints(cache_dir)
        self._loaded = LoadedModels()
        self._matrices = devices.MatrixPrecision()
        self._loader = WorkerThreads("model-loader", _LOADS_AT_ONCE)
        self._downloader = WorkerThreads("model-downloader", 1)

    @classmethod
    def open(cls, settings: Settings) -> ModelPool:
        """The pool that the settings describe."""
        pool = cls(settings.device, settings.memory_budget, settings.cache_dir)
        pool.precision = settings.precision
        return pool

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The devices that models run on; for "auto" and "all" the first look imports torch."""
        resolved = devices.resolve_devices(self._wanted_device)
        if self._wanted_device in {"auto", "all"} and (warning := read_hardware(resolved).warning):
            _log.warning(warning)
        return resolved

    @property
    def device(self) -> str:
        """Their kind: cpu, cuda or mps. Scores do not depend on which of them answered."""
        return devices.kind_of(self.devices[0])

    @property
    def budgets(self) -> Mapping[str, int]:
        """Memory that models may take on each device; a share is of what is free now where none is loaded."""
        if isinstance(self._wanted_budget, int):
            return dict.fromkeys(self.devices, self._wanted_budget)
        return {device: self._share_of(device) for device in self.devices}

    def _share_of(self, device: str) -> int:
        if device not in self._free_bytes or not self._loaded.used_bytes(device):
            self._free_bytes[device] = devices.free_memory(device)
        share = self._wanted_budget
        if share is None:
            is_alone = self.device == "cuda" and devices.used_by_others(device) < _CONTEXT_BYTES
            share = devices.SHARE_ALONE if is_alone else _SHARE
        # CPUs are one memory
        return int(self._free_bytes[device] * share / (len(self.devices) if self.device == "cpu" else 1))

    @property
    def budget_bytes(self) -> int:
        """Memory that models may take on all devices together."""
        return sum(self.budgets.values())

    @cached_property
    def _placement(self) -> Placement:
        return Placement(self.budgets)

    def place(self, checkpoint: Checkpoint) -> str:
        """The device on which a checkpoint answers, as long as the process lives."""
        if len(self.devices) == 1:
            return self.devices[0]
        with self._loaded.changed:
            return self._placement.of(checkpoint, lambda: self._bytes_on_disk(checkpoint))

    def fingerprint(self, checkpoint: Checkpoint) -> str:
        """A hash of the contents that decide this checkpoint's numbers, with the number type where the precision decides it.

        Reads the files once. Raises NotHereError.

        A model that was loaded before the files changed is dropped.
        """
        fingerprint = mark_fingerprint(self._fingerprints.of(checkpoint), checkpoint, self.precision)
        entry = self._loaded.entries.get(checkpoint)
        if entry and entry.fingerprint not in {"", fingerprint}:
            self._loaded.replace(checkpoint, entry.fingerprint)
        return fingerprint

    def compute_in(self, precision: Precision) -> None:
        """Compute in another precision from the next question on; models that were loaded in the former are dropped."""
        self.precision = precision
        for checkpoint in list(self._loaded.entries):
            attempt(partial(self.fingerprint, checkpoint))

    def unchanged(self, checkpoint: Checkpoint, fingerprint: str) -> bool:
        """True if the files of a checkpoint are known to have this fingerprint still; returns at once."""
        plain = fingerprint.partition(" ")[0]
        is_same = fingerprint == mark_fingerprint(plain, checkpoint, self.precision)
        return is_same and self._fingerprints.unchanged(checkpoint, plain)

    def state(self, checkpoint: Checkpoint) -> ModelState:
        entry = self._loaded.entries.get(checkpoint)
        return entry.state if entry else state_on_disk(checkpoint)

    def states(self) -> Mapping[Checkpoint, ModelState]:
        """The checkpoints that are in memory, under way or failed."""
        return self._loaded.states()

    def fits(self, checkpoint: Checkpoint) -> bool:
        """True if a checkpoint on disk could be loaded without dropping another; raises NotHereError."""
        device = self.place(checkpoint)
        return self._loaded.used_bytes(device) + self._memory_bytes(checkpoint) <= self.budgets[device]

    def _memory_bytes(self, checkpoint: Checkpoint) -> int:
        return memory_bytes(locate(checkpoint), loaded_as(checkpoint, self.precision))

    def _bytes_on_disk(self, checkpoint: Checkpoint) -> int:
        """Bytes that a checkpoint takes once loaded; 0 where its files do not tell, which its load then says."""
        nbytes = attempt(partial(self._memory_bytes, checkpoint))
        return 0 if isinstance(nbytes, Problem) else nbytes

    def request(self, checkpoint: Checkpoint) -> ModelState:
        """Start loading a checkpoint that is on disk; one that failed stays failed until `retry`."""
        with self._loaded.changed:
            self._start(checkpoint)
        self._loaded.tell()
        return self.state(checkpoint)

    def fetch(self, checkpoint: Checkpoint) -> ModelState:
        """Download what is missing, then load; tries again what failed."""
        if state_on_disk(checkpoint).status is not ModelStatus.NEEDS_DOWNLOAD:
            return self.retry(checkpoint)
        with self._loaded.changed:
            self._loaded.forget_failure(checkpoint)
            if checkpoint not in self._loaded.entries:
                entry = PoolEntry(ModelState(ModelStatus.DOWNLOADING, "waiting for its turn"), "")
                self._loaded.entries[checkpoint] = entry
                self._downloader.put(lambda: self._download(checkpoint, entry))
        self._loaded.tell()
        return self.state(checkpoint)

    def retry(self, checkpoint: Checkpoint) -> ModelState:
        """Forget a failure and start loading."""
        self._loaded.forget_failure(checkpoint)
        return self.request(checkpoint)

    def unload(self, checkpoint: Checkpoint) -> None:
        """Drop a model from memory as soon as nobody uses it, or forget its failure; a download goes on."""
        self._loaded.forget_failure(checkpoint)
        with self._loaded.changed:
            if entry := self._loaded.entries.get(checkpoint):
                entry.unwanted = True
        self._loaded.drop_unwanted()
        self._loaded.tell()

    @contextmanager
    def lease(self, checkpoint: Checkpoint) -> Iterator[Model]:
        """The model, loaded first where it is on disk, and kept in memory while the block runs.

        Loaded again where its files have changed. Waits for a load, not for a download. Do not lease a second model
        inside: two such threads wait for each other's memory until patience runs out. Raises NotHereError, LoadError,
        MemoryFullError.
        """
        with self.lease_signed(checkpoint) as (model, _):
            yield model

    @contextmanager
    def lease_signed(self, checkpoint: Checkpoint) -> Iterator[tuple[Model, str]]:
        """The same with the fingerprint of the files that the model was loaded from."""
        entry = self._hold(checkpoint)
        try:
            model = self._loaded.model_of(entry)
            dtype = marked_dtype(entry.fingerprint) or checkpoint.dtype
            with self._matrices.set_to(dtype == TF32) if self.device == "cuda" else nullcontext():
                yield model, entry.fingerprint
        finally:
            self._loaded.give_back(entry)

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after every change of a state, from whichever thread made it; returns the way to stop.

        It is called outside the pool's lock, must return soon and must not raise.
        """
        return self._loaded.watch(callback)

    def wait_for(self, checkpoint: Checkpoint, statuses: Collection[ModelStatus], timeout_s: float) -> ModelState:
        """Wait until a checkpoint is in one of the statuses; raises TimeoutError."""
        with self._loaded.changed:
            if not self._loaded.changed.wait_for(lambda: self.state(checkpoint).status in statuses, timeout_s):
                raise TimeoutError(f"{checkpoint.source} is {self.state(checkpoint)} after {timeout_s} s.")
            return self.state(checkpoint)

    def wait_for_change(self, seen: Mapping[Checkpoint, ModelState], timeout_s: float) -> bool:
        """Wait until `states()` differs from what was seen; False when it did not in time."""
        with self._loaded.changed:
            return self._loaded.changed.wait_for(lambda: self.states() != seen, timeout_s)

    def close(self) -> None:
        """Give up what waits, let a load in progress end, and drop all models."""
        with self._loaded.changed:
            waiting = [entry for entry in self._loaded.entries.values() if entry.model is None]
        for entry in waiting:
            self._loaded.fail(entry, LoadError("The model pool is closed."))
        self._loader.close(patience_s=30)
        self._downloader.close(patience_s=0.1)
        with self._loaded.changed:
            models = len(self._loaded.entries)
            self._loaded.entries.clear()
        if models:  # all objects are walked, which takes longer than a hundred questions to an endpoint
            devices.collect_garbage()

    def _start(self, checkpoint: Checkpoint) -> bool:
        """Begin to load what is on disk; False where there is nothing to begin."""
        if checkpoint in self._loaded.entries or state_on_disk(checkpoint).status is not ModelStatus.COLD:
            return False
        entry = PoolEntry(ModelState(ModelStatus.LOADING, "waiting for its turn"), "")
        self._loaded.entries[checkpoint] = entry
        self._loader.put(lambda: self._load(checkpoint, entry))
        return True

    def _hold(self, checkpoint: Checkpoint) -> PoolEntry:
        loaded = self._loaded.entries.get(checkpoint)
        if loaded and loaded.fingerprint:
            self.fingerprint(checkpoint)
        with self._loaded.changed:
            started = self._start(checkpoint)
            entry = self._loaded.entries.get(checkpoint)
            if entry is None:
                if message := missing_package(checkpoint):
                    raise LoadError(message)
                locate(checkpoint)  # says why it is not here
                raise MissingWeightsError(f"{checkpoint.source} came to this machine just now. Try again.")
            if entry.state.status is ModelStatus.DOWNLOADING:
                raise MissingWeightsError(f"{checkpoint.source} is being downloaded. Try again when it is here.")
            entry.leases += 1
            entry.unwanted = False
        if started:  # a lease alone is nothing to show: it is taken for every forward pass
            self._loaded.tell()
        return entry

    def _download(self, checkpoint: Checkpoint, entry: PoolEntry) -> None:
        def report(share: float) -> None:
            self._loaded.set(entry, ModelState(ModelStatus.DOWNLOADING, progress=round(share, 2)))

        with self._failing(entry):
            report(0.0)
            download(checkpoint, report)
            self._loaded.set(entry, ModelState(ModelStatus.LOADING, "waiting for its turn"))
            self._loader.put(lambda: self._load(checkpoint, entry))

    def _load(self, checkpoint: Checkpoint, entry: PoolEntry) -> None:
        with self._failing(entry):
            if message := missing_package(checkpoint):
                raise LoadError(message)
            check_files(checkpoint)
            entry.device = self.place(checkpoint)
            self._make_room(entry, self._memory_bytes(checkpoint))
            if entry.error:  # the pool was closed meanwhile
                return
            again = checkpoint in self._dropped
            self._loaded.set(entry, ModelState(ModelStatus.LOADING, _NO_ROOM if again else "loading"))
            self._loaded.fill(entry, *self._load_unchanging(checkpoint, entry.device))
        devices.freeze_objects()
        self._loaded.drop_unwanted()

    def _load_unchanging(self, checkpoint: Checkpoint, device: str) -> tuple[Model, str]:
        """A model and the fingerprint of its files, which did not change while it was loaded."""
        with IMPORTING:
            kind = importlib.import_module(f"{self._adapters}.{checkpoint.kind}")
        for _ in range(_LOAD_ATTEMPTS):
            before, precision = self._fingerprints.version(checkpoint), self.precision
            with devices.allocating(device):
                model: Model = kind.load(locate(checkpoint), loaded_as(checkpoint, precision), device)
            if self._fingerprints.version(checkpoint) == before and self.precision == precision:
                return model, mark_fingerprint(before.fingerprint, checkpoint, precision)
        raise LoadError(
            f"The files of {checkpoint.source} change while they are read. Try again when they are complete."
        )

    def _make_room(self, entry: PoolEntry, need: int) -> None:
        """Drop idle models until `need` bytes fit; raises MemoryFullError."""
        budget = self.budgets[entry.device]
        if need > budget:
            raise MemoryFullError(
                f"The model needs {need / 1e9:.1f} GB and models may take {budget / 1e9:.1f} GB. "
                "Raise TOUCHSTONE_MEMORY, set dtype=float16, or use a smaller model."
            )
        deadline = time.monotonic() + self._patience_s
        while not self._reserve(entry, need) and not entry.error:
            self._dropped.update(self._loaded.idle(entry.device)[:1])
            if not self._loaded.drop_oldest(entry.device):
                self._loaded.set(entry, ModelState(ModelStatus.LOADING, "waiting for memory that other models use"))
                self._wait_for_room(entry, need, deadline)

    def _reserve(self, entry: PoolEntry, need: int) -> bool:
        """Keep memory for a load if there is enough; what other programs use is none."""
        with self._loaded.changed:
            if entry.reserved:
                return True
            used = self._loaded.used_bytes(entry.device)
            free = devices.free_memory(entry.device) - self._loaded.reserved_bytes(entry.device)
            if need > free and not used:
                raise MemoryFullError(
                    f"The model needs {need / 1e9:.1f} GB and {free / 1e9:.1f} GB of {entry.device} are free: other programs "
                    "use the rest. End some, or use a smaller model."
                )
            if used + need > self.budgets[entry.device] or need > free:
                return False
            entry.reserved = need
            return True

    def _wait_for_room(self, entry: PoolEntry, need: int, deadline: float) -> None:
        with self._loaded.changed:
            over = self._loaded.changed.wait_for(
                lambda: self._loaded.idle(entry.device) or self._reserve(entry, need) or entry.error,
                deadline - time.monotonic(),
            )
        if not over:
            raise MemoryFullError("All the memory for models is in use. Unload one and try again.")

    @contextmanager
    def _failing(self, entry: PoolEntry) -> Iterator[None]:
        """Whatever is raised inside spoils this model only: the thread goes on with the others."""
        try:
            yield
        except TouchstoneError as error:
            self._loaded.fail(entry, error)
        except Exception as error:  # noqa: BLE001  # libraries raise anything for files they do not expect
            if isinstance(error, MemoryError):
                self._loaded.fail(entry, MemoryFullError("This machine has no memory left for the model. Free some."))
                return
            if isinstance(error, OSError) and error.errno:  # of the system; libraries raise it without a number
                self._loaded.fail(
                    entry, LoadError(f"The model cannot be read: {error.strerror}. Try again in a while.")
                )
                return
            _log.exception("A model does not load.")
            self._loaded.fail(entry, LoadError(_UNEXPECTED))
