"""A GPU that is there and not used is named with its reason, as machines, containers and drivers make it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from core.errors import BadSettingError
from core.models.hardware import TorchBuild, driver_version, read_hardware, require_devices, unused_gpu
from tests.unit.command_line import run

OLD_KIND = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Tue Oct  1 05:50:29 UTC 2025\nGCC version:  gcc 12.2.0\n"
)
OPEN_KIND = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (dvs-builder@U22)\n"
CUDA_13, CUDA_12 = TorchBuild("2.13.0+cu130", "13.0", False), TorchBuild("2.13.0+cu126", "12.6", False)
CPU = TorchBuild("2.13.0+cpu", "", False)


def machine(
    folder: Path, *, card: str = "0x10de", kind: str = "0x030200", driver: str = "", opened: bool = True
) -> Path:
    """The files that Linux shows of a machine with one card."""
    slot = folder / "sys/bus/pci/devices/0000:01:00.0"
    slot.mkdir(parents=True)
    (slot / "vendor").write_text(f"{card}\n")
    (slot / "class").write_text(f"{kind}\n")
    if driver:
        (folder / "proc/driver/nvidia").mkdir(parents=True)
        (folder / "proc/driver/nvidia/version").write_text(OPEN_KIND.format(driver))
    if opened:
        (folder / "dev").mkdir()
        (folder / "dev/nvidiactl").touch()
    return folder


@pytest.mark.parametrize(
    ("build", "driver", "opened", "visible", "said"),
    [
        (CPU, "580.65.06", True, None, r"torch 2\.13\.0\+cpu is a build for CPUs, and the driver is 580\.65\.06\. make run DEVICE=auto"),
        (CUDA_13, "570.86.10", True, None, r"CUDA 13\.0, which takes driver 580\.65 or newer, and the driver is 570\.86\.10\. Update it"),
        (CUDA_13, "580.65.06", False, None, "no /dev/nvidiactl.*docker run --gpus all"),
        (CUDA_13, "", False, None, "no driver of NVIDIA is loaded"),
        (CUDA_13, "580.65.06", True, "", "CUDA_VISIBLE_DEVICES hides it"),
        (CUDA_13, "580.65.06", True, "-1", "CUDA_VISIBLE_DEVICES hides it"),
        (CUDA_12, "570.86.10", True, None, r"does not find it, with driver 570\.86\.10"),
    ],
)  # fmt: skip
def test_a_gpu_that_is_not_used_is_named_with_its_reason(
    build: TorchBuild, driver: str, opened: bool, visible: str | None, said: str, tmp_path: Path
) -> None:
    root = machine(tmp_path, driver=driver, opened=opened)
    warning = unused_gpu(build, root, visible)
    assert warning.startswith("This machine has an NVIDIA GPU that is not used: ")
    assert warning.endswith("TOUCHSTONE_DEVICE=cpu says that this is meant.")
    assert re.search(said, warning)


def test_nothing_is_said_where_there_is_no_gpu_or_torch_finds_it(tmp_path: Path) -> None:
    assert unused_gpu(CPU, tmp_path / "none", None) == ""
    assert unused_gpu(CPU, machine(tmp_path / "other", card="0x1234"), None) == ""
    assert unused_gpu(CPU, machine(tmp_path / "bridge", kind="0x068000"), None) == ""
    used = machine(tmp_path / "used", driver="580.65.06")
    assert unused_gpu(TorchBuild("2.13.0+cu130", "13.0", True), used, None) == ""


def test_both_kinds_of_driver_tell_their_version(tmp_path: Path) -> None:
    root = machine(tmp_path, driver="575.57.08")
    assert driver_version(root) == "575.57.08"
    (root / "proc/driver/nvidia/version").write_text(OLD_KIND.format("535.104.05"))
    assert driver_version(root) == "535.104.05"
    assert driver_version(tmp_path / "none") == ""


def test_the_first_line_of_doctor_is_what_models_run_on() -> None:
    hardware = read_hardware(["cpu"])
    assert run("doctor", "rouge2").stdout.splitlines()[0].partition(",")[0] == hardware.summary.partition(",")[0]


def test_a_device_that_is_asked_for_and_not_used_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if torch.cuda.is_available():
        pytest.skip("This machine has a GPU.")
    with pytest.raises(BadSettingError, match=r"torch finds none on this machine.*or there is no such device"):
        require_devices("cuda")
    root = machine(tmp_path, driver="470.256.02")
    monkeypatch.setattr("core.models.hardware._ROOT", root)
    with pytest.raises(BadSettingError, match=r"This machine has an NVIDIA GPU that is not used: .*470\.256\.02"):
        require_devices("cuda:0")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "hides it" in read_hardware(["cpu"]).warning
