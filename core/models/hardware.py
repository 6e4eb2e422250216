"""Hardware that models run on, in words, and the reason why a GPU that is there is not used."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from core.errors import BadSettingError, explain_missing_module
from core.models.device import all_accelerators, free_memory, kind_of

_ROOT = Path("/")
_NVIDIA, _DISPLAY = "0x10de", "0x03"
"""The number of a vendor, and the beginning of a class, of devices on the PCI bus."""
_LEAST_DRIVER = {12: (525, 60), 13: (580, 65)}
"""Oldest driver for Linux of each version of CUDA, by NVIDIA's table of minor version compatibility."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """`summary` is one line; `warning` says why a GPU of the machine is not used and what to do, "" where there is nothing to say."""

    summary: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """A build of torch: its version, the version of CUDA that it was made for, "" for a CPU build, and if it finds a GPU."""

    version: str
    cuda: str
    finds_gpu: bool


def read_hardware(devices: Sequence[str]) -> Hardware:
    """The hardware behind devices of one kind; imports torch.

    Each is cpu, mps, cuda or cuda:N. Only Linux tells which GPUs there are without torch.
    """
    if find_spec("torch") is None:
        return Hardware(f"No local model runs here. {explain_missing_module('torch')}")
    import torch

    build = _build()
    kind = kind_of(devices[0])
    if kind == "cuda":
        cards = [torch.cuda.get_device_properties(device) for device in devices]
        names = ", ".join(f"{card.name} ({card.total_memory / 1e9:.0f} GB)" for card in cards)
        driver = f", driver {number}" if (number := driver_version(_ROOT)) else ""
        return Hardware(f"Models run on {names}{driver}, torch {build.version}.")
    if kind == "mps":
        return Hardware(f"Models run on the GPU of this Mac, torch {build.version}.")
    count, memory = os.cpu_count() or 1, f"{free_memory('cpu') / 1e9:.0f} GB"
    processors = "1 processor" if count == 1 else f"{count} processors"
    return Hardware(f"Models run on {processors}, {memory} free, torch {build.version}.", _unused_gpu_here(build))


def require_devices(setting: str) -> None:
    """Raise BadSettingError for devices that are named and not here; imports torch only to look for cuda or mps."""
    named = [] if setting in {"auto", "all"} else [name for name in setting.split(",") if kind_of(name) != "cpu"]
    absent = [name for name in named if name not in all_accelerators()]
    if absent and find_spec("torch") is None:
        raise BadSettingError(f"Models are to run on {', '.join(absent)}. {explain_missing_module('torch')}")
    if absent:
        here = all_accelerators()
        missing = (
            f" No build of torch for {kind_of(absent[0])} is installed, or there is no such device." if not here else ""
        )
        raise BadSettingError(
            f"Models are to run on {', '.join(absent)}, and torch finds {', '.join(here) or 'none'} on this machine. Set "
            f"TOUCHSTONE_DEVICE (or --device) to auto, all or cpu.{f' {reason}' if (reason := _unused_gpu_here(_build())) else missing}"
        )


def tf32_is_off() -> bool:
    """True where a variable of NVIDIA's libraries keeps them from TF32, whatever a program asks for."""
    return os.environ.get("NVIDIA_TF32_OVERRIDE") == "0"


def _build() -> TorchBuild:
    import torch

    return TorchBuild(torch.__version__, torch.version.cuda or "", torch.cuda.is_available())


def _unused_gpu_here(build: TorchBuild) -> str:
    return unused_gpu(build, _ROOT, os.environ.get("CUDA_VISIBLE_DEVICES"))


def unused_gpu(build: TorchBuild, root: Path, visible: str | None) -> str:
    """The reason why an NVIDIA GPU of a Linux machine with this root folder is not used; "" where torch finds it, or there is none.

    `visible` is CUDA_VISIBLE_DEVICES, None where it is not set.
    """
    driver = driver_version(root)
    if build.finds_gpu or not (driver or any(_gpus(root))):
        return ""
    reason = _reason(build, driver, (root / "dev/nvidiactl").exists(), visible)
    return f"This machine has an NVIDIA GPU that is not used: {reason} TOUCHSTONE_DEVICE=cpu says that this is meant."


def _reason(build: TorchBuild, driver: str, opened: bool, visible: str | None) -> str:
    if visible is not None and visible.strip() in {"", "-1"}:
        return "CUDA_VISIBLE_DEVICES hides it. Unset that variable to use it."
    if not driver:
        return "no driver of NVIDIA is loaded. Install one to use it."
    if not opened:
        return (
            "there is no /dev/nvidiactl. Start a container with GPUs (docker run --gpus all, or the profile gpu of compose.yaml), "
            "which takes the NVIDIA Container Toolkit on the host; on a host run nvidia-smi once."
        )
    fitting = "make run DEVICE=auto takes the build that this driver runs, or says why there is none."
    if not build.cuda:
        return f"torch {build.version} is a build for CPUs, and the driver is {driver}. {fitting}"
    least = _LEAST_DRIVER.get(int(build.cuda.partition(".")[0]), (0, 0))
    if tuple(map(int, driver.split(".")[:2])) < least:
        return (
            f"torch {build.version} is for CUDA {build.cuda}, which takes driver {least[0]}.{least[1]} or newer, and the driver is "
            f"{driver}. Update it, or take another build: {fitting}"
        )
    return f"torch {build.version} does not find it, with driver {driver}. To see why: python -c 'import torch; torch.cuda.init()'"


def driver_version(root: Path) -> str:
    """Version of the NVIDIA driver that is loaded, as 580.65.06; "" where there is none, or not on Linux."""
    file = root / "proc/driver/nvidia/version"
    number = re.search(r"\b\d{3}\.\d+(\.\d+)?\b", file.read_text(encoding="utf-8")) if file.is_file() else None
    return number[0] if number else ""


def _gpus(root: Path) -> Iterator[Path]:
    """The NVIDIA GPUs on the PCI bus, which a container sees too."""
    for device in (root / "sys/bus/pci/devices").glob("*"):
        vendor, kind = device / "vendor", device / "class"
        numbers = [file.read_text(encoding="utf-8").strip() if file.is_file() else "" for file in (vendor, kind)]
        if numbers[0] == _NVIDIA and numbers[1].startswith(_DISPLAY):
            yield device
