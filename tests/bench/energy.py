"""Energy of this machine where it says so: of its processors by the counters of RAPL, of an NVIDIA GPU by its driver."""

from __future__ import annotations

import importlib
import math
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

import torch

_POWERCAP = Path("/sys/class/powercap")
_PACKAGES = "intel-rapl:?"  # one for each processor, AMD's too; "intel-rapl:0:0" and such are parts of them
_JOULES_OF_MICROJOULE, _JOULES_OF_MILLIJOULE = 1e-6, 1e-3


class EnergyMeter:
    """Watches while a block runs; `joules` is then what all processors or the GPU took, whoever used them.

    Not a number where the machine does not say: virtual machines mostly have no counters, those of Linux are read by root alone,
    and a GPU is asked through the package nvidia-ml-py.
    """

    def __init__(self, device: str, powercap: Path = _POWERCAP) -> None:
        self._counters = [Gpu()] if device.startswith("cuda") else packages(powercap)
        self._before: list[float] = []
        self.joules = math.nan

    def __enter__(self) -> EnergyMeter:
        self._before = [counter.read() for counter in self._counters]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._counters:
            pairs = zip(self._counters, self._before, strict=True)
            self.joules = sum(counter.since(before) for counter, before in pairs)


class Package:
    """Counter of one processor, which starts again at zero at the end of its range."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._range = int((folder / "max_energy_range_uj").read_text())

    def read(self) -> float:
        try:
            return int((self._folder / "energy_uj").read_text())
        except PermissionError:
            return math.nan

    def since(self, before: float) -> float:
        """Joules since a reading."""
        return ((self.read() - before) % self._range) * _JOULES_OF_MICROJOULE


class Gpu:
    """Counter of the NVIDIA GPU that PyTorch computes on."""

    def read(self) -> float:
        if not find_spec("pynvml"):
            return math.nan
        nvml = importlib.import_module("pynvml")
        try:
            nvml.nvmlInit()
            # by its id: the driver numbers GPUs that CUDA_VISIBLE_DEVICES hides, too
            handle = nvml.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties().uuid}")
            return float(nvml.nvmlDeviceGetTotalEnergyConsumption(handle))
        except nvml.NVMLError:  # older GPUs, and parts of one, have no counter
            return math.nan

    def since(self, before: float) -> float:
        """Joules since a reading."""
        return (self.read() - before) * _JOULES_OF_MILLIJOULE


def packages(powercap: Path) -> list[Package]:
    """The counters of the processors of this machine; none where the system has no such."""
    return [Package(folder) for folder in sorted(powercap.glob(_PACKAGES))]
