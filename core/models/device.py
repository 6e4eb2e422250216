"""Where models run, how much memory there is, and how to give it back."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from core.errors import BadSettingError

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def resolve_devices(wanted: str) -> tuple[str, ...]:
    """The devices, all of one kind, that a setting names; imports torch only for "auto" and "all"."""
    if wanted not in {"auto", "all"}:
        return tuple(wanted.split(","))
    kind = _accelerator() or "cpu"
    return _all_gpus() if wanted == "all" and kind == "cuda" else (kind,)


def kind_of(device: str) -> str:
    """The device without its number: cpu, cuda or mps."""
    return device.partition(":")[0]


def require_devices(wanted: str) -> None:
    """Raise BadSettingError for devices that are named and not here; imports torch only to look for cuda or mps."""
    named = [] if wanted in {"auto", "all"} else [name for name in wanted.split(",") if kind_of(name) != "cpu"]
    absent = [name for name in named if name not in _all_accelerators()]
    if absent:
        raise BadSettingError(
            f"Models are to run on {', '.join(absent)}, and torch finds {_found_accelerators()} on this machine. Set "
            f"TOUCHSTONE_DEVICE (or --device) to auto, all or cpu, or install a build of torch for {kind_of(absent[0])}."
        )


def _found_accelerators() -> str:
    return ", ".join(_all_accelerators()) or "none"


def _all_accelerators() -> tuple[str, ...]:
    kind = _accelerator()
    return (kind, *_all_gpus()) if kind == "cuda" else (kind,) if kind else ()


def _all_gpus() -> tuple[str, ...]:
    import torch

    return tuple(f"cuda:{number}" for number in range(torch.cuda.device_count()))


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
