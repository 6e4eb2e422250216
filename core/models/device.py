"""Where models run, how much memory there is, and how to give it back."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from core.errors import BadSettingError

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def resolve_device(device: str) -> str:
    """The device that "auto" stands for: cuda, mps or cpu; imports torch only for "auto"."""
    return _accelerator() or "cpu" if device == "auto" else device


def require_device(device: str) -> None:
    """Raise BadSettingError for a device that is named and not here; imports torch only to look for cuda or mps."""
    if device not in {"auto", "cpu"} and device != _accelerator():
        raise BadSettingError(
            f"Models are to run on {device}, and torch finds none on this machine. Set TOUCHSTONE_DEVICE (or --device) to auto "
            f"or cpu, or install a build of torch for {device}."
        )


def _accelerator() -> str | None:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def memory_of(device: str) -> int:
    """All the memory that a device has, in bytes; on a CPU what the machine or its container allows."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[1])
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _CGROUP.read_text().strip() if _CGROUP.is_file() else "max"
    return physical if limit == "max" else min(physical, int(limit))


def empty_cache() -> None:
    """Hand memory that no tensor uses back to the device; imports nothing."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch is not None and torch.backends.mps.is_available():
        torch.mps.empty_cache()


def freeze_objects() -> None:
    """After a load: keep the long-lived objects out of every later garbage collection.

    Streamlit scripts collect often, and walking the modules of torch takes a quarter of a second.
    """
    gc.collect()
    gc.freeze()


def collect_garbage() -> None:
    """After an unload: find the cycles of a dropped model among the frozen objects, and free its memory."""
    gc.unfreeze()
    gc.collect()
    empty_cache()
    gc.freeze()
