"""The most memory that a piece of work took: of the device, or of the process where models run on the processor."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

_STATM = Path("/proc/self/statm")
_EVERY_S = 0.01


class Peak:
    """Watches while a block runs; `nbytes` is then by how much memory grew at most over what was in use before.

    Memory that was given back to the allocator and not to the system is used again without growth.
    """

    def __init__(self, device: str) -> None:
        self._read = _reader(device)
        self._over = threading.Event()
        self._before = self._most = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._before = self._most = self._read()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def nbytes(self) -> int:
        return self._most - self._before

    def _watch(self) -> None:
        while not self._over.wait(_EVERY_S):
            self._most = max(self._most, self._read())
        self._most = max(self._most, self._read())


def _reader(device: str) -> Callable[[], int]:
    """What tells the bytes in use; on CUDA the device's own high-water mark, which begins anew here."""
    if device.startswith("cuda"):
        import torch

        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.max_memory_allocated
    if device == "mps":
        import torch

        return torch.mps.driver_allocated_memory
    return _resident_now if _STATM.is_file() else _resident_most


def _resident_now() -> int:
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _resident_most() -> int:
    """Where the system does not tell what is resident now: bytes on macOS, kilobytes elsewhere."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
