"""Devices that models run on, the size of their memory, and how to free it."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Condition, Lock

from core.errors import LoadError

SHARE_ALONE = 0.85
"""Part of a GPU's memory that models may take where no other process uses it; batches need the rest."""

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")
_COLLECTIONS = (10_000, 20, 10)  # new objects before a collection, and collections before one of older objects


def resolve_devices(setting: str) -> tuple[str, ...]:
    """The devices, all of one kind, that a setting names; imports torch only for "auto" and "all"."""
    if setting not in {"auto", "all"}:
        return tuple(setting.split(","))
    kind = _accelerator() or "cpu"
    return _all_gpus() if setting == "all" and kind == "cuda" else (kind,)


def kind_of(device: str) -> str:
    """The device without its number: cpu, cuda or mps."""
    return device.partition(":")[0]


def all_accelerators() -> tuple[str, ...]:
    """The devices beside the processor that torch finds; imports torch."""
    kind = _accelerator()
    return (kind, *_all_gpus()) if kind == "cuda" else (kind,) if kind else ()


def _all_gpus() -> tuple[str, ...]:
    import torch

    return tuple(f"cuda:{number}" for number in range(torch.cuda.device_count()))


def _accelerator() -> str | None:
    if find_spec("torch") is None:
        return None
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def free_memory(device: str) -> int:
    """The memory of a device that no program uses, in bytes; on a CPU of what the machine and its container allow."""
    if device.startswith("cuda"):
        import torch

        ours = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)  # of batches that are done
        return int(torch.cuda.mem_get_info(device)[0] + ours)
    if not _MEMINFO.is_file():  # macOS: what others use is not told
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    else:
        free = _amounts(_MEMINFO)["MemAvailable:"] * 1024
    limit = (_CGROUP / "memory.max").read_text().strip() if (_CGROUP / "memory.max").is_file() else "max"
    if limit == "max":
        return free
    used = int((_CGROUP / "memory.current").read_text())
    # files that were read make room
    return min(free, int(limit) - used + _amounts(_CGROUP / "memory.stat")["inactive_file"])


def _amounts(file: Path) -> dict[str, int]:
    return {name: int(amount) for name, amount, *_ in map(str.split, file.read_text().splitlines())}


def used_by_others(device: str) -> int:
    """The memory of a GPU that other programs use, in bytes; the context of this process is among it, some hundred megabytes."""
    import torch

    free, total = torch.cuda.mem_get_info(device)
    return int(total - free - torch.cuda.memory_reserved(device))


class Allocations:
    """The loads and passes that allocate memory of each device; safe among threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun = Counter[str]()
        self._under_way = Counter[str]()

    def begin(self, device: str) -> int:
        """Count one that begins; its number on the device, 0 where another is under way."""
        with self._lock:
            self._begun[device] += 1
            self._under_way[device] += 1
            return self._begun[device] if self._under_way[device] == 1 else 0

    def end(self, device: str, number: int) -> bool:
        """Count one that ends; True if it was alone from its beginning on."""
        with self._lock:
            self._under_way[device] -= 1
            return bool(number) and self._begun[device] == number


_ALLOCATIONS = Allocations()


@contextmanager
def allocating(device: str) -> Iterator[None]:
    """Memory that the block takes of a device is not that of a pass beside it."""
    number = _ALLOCATIONS.begin(device)
    try:
        yield
    finally:
        _ALLOCATIONS.end(device, number)


class MemoryPeak:
    """Peak of additional memory of a device's tensors in a pass, from its making until `nbytes`, which is called once.

    Unknown where torch does not tell, as on a CPU, and where weights were loaded or another pass was made meanwhile.
    """

    def __init__(self, device: str) -> None:
        self._device = device if kind_of(device) == "cuda" else ""
        if self._device:
            import torch

            self._number = _ALLOCATIONS.begin(device)
            if self._number:  # of another pass the peak would be lost
                torch.cuda.reset_peak_memory_stats(device)
            self._before = torch.cuda.memory_allocated(device)

    def nbytes(self) -> int:
        """In bytes; 0 where it is unknown."""
        if not self._device or not _ALLOCATIONS.end(self._device, self._number):
            return 0
        import torch

        return int(torch.cuda.max_memory_allocated(self._device) - self._before)


class MatrixPrecision:
    """Switch of the whole process: true if GPUs multiply float32 matrices in TF32, and false from the first block on else.

    An environment may have it on at the start, and a library may turn it: it is set and read back for each block. Blocks of one precision run side by side. One of the other waits until they have ended, and who comes later waits behind it.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: Counter[bool] = Counter()
        self._inside = 0
        self._tf32 = False

    @contextmanager
    def set_to(self, tf32: bool) -> Iterator[None]:
        with self._changed:
            self._waiting[tf32] += 1
            self._changed.wait_for(lambda: not self._inside or (self._tf32 == tf32 and not self._waiting[not tf32]))
            self._waiting[tf32] -= 1
            self._switch(tf32)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def _switch(self, tf32: bool) -> None:
        import torch

        self._tf32 = tf32
        switches = (torch.backends.cuda.matmul, torch.backends.cudnn)
        for switch in switches:
            if switch.allow_tf32 != tf32:
                switch.allow_tf32 = tf32  # type: ignore[union-attr]  # of modules that are properties
        if any(switch.allow_tf32 != tf32 for switch in switches):
            raise LoadError(
                f"PyTorch does not turn TF32 {'on' if tf32 else 'off'}: scores would not be what their signature says. Unset "
                "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE, and start again."
            )


def empty_cache() -> None:
    """Hand memory that no tensor uses back to the device; imports nothing."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch is not None and torch.backends.mps.is_available():
        torch.mps.empty_cache()


def freeze_objects() -> None:
    """After a load: keep the long-lived objects out of every later garbage collection, and collect less often.

    Streamlit scripts collect often, and walking the modules of torch takes a quarter of a second. Questions that wait are
    many and no garbage: looking for some after every 700 new objects took a tenth of the engine's own time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*map(max, zip(_COLLECTIONS, gc.get_threshold(), strict=True)))


def collect_garbage() -> None:
    """After an unload: find the cycles of a dropped model among the frozen objects, and free its memory."""
    gc.unfreeze()
    gc.collect()
    empty_cache()
    # the C library of most Linux would keep the memory of weights below 32 MB
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)
    gc.freeze()
