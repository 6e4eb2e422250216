"""Installs the build of torch that this machine runs, of the version that requirements.txt pins; run it before `pip install -r requirements.txt`.

    python .ci/torch_build.py [auto|cpu|cuda]

auto looks for the driver of an NVIDIA card. TORCH_INDEX is the address of a mirror of PyTorch's indexes. What will be downloaded is
said first. The package index has torch with CUDA 13.0 for Linux, and without CUDA for macOS and Windows; PyTorch's has the others.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

INDEX = "https://download.pytorch.org/whl"
REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
GIGABYTES = {
    "Linux": {"cpu": "0.54 GB", "cu126": "about 3 GB", "cu130": "3.1 GB"},
    "Darwin": {"cpu": "0.40 GB"},
    "Windows": {"cpu": "0.42 GB", "cu126": "about 3 GB", "cu130": "about 3 GB"},
}
"""All wheels that an installation downloads on Python 3.11, by system and build: docs/start/install.md has how they were measured."""
ON_PACKAGE_INDEX = {"Linux": "cu130", "Darwin": "cpu", "Windows": "cpu"}
# the driver and the compute capability that a build needs: PyTorch's support matrix of 2.13, and NVIDIA's minor-version compatibility
CUDA_13 = (580, 7.5)
CUDA_12 = (525, 5.0)
NEWEST_OF_CUDA_12 = 9.0


class Card(NamedTuple):
    """An NVIDIA card: the major version of its driver, and its compute capability."""

    driver: int
    capability: float


def read_cards() -> list[Card]:
    """The cards that the driver lists; empty where there is no driver, or where it does not answer."""
    query = ["nvidia-smi", "--query-gpu=driver_version,compute_cap", "--format=csv,noheader"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [
        Card(int(driver), float(capability))
        for driver, capability in re.findall(r"^(\d+)\S*, *(\d+\.\d+)$", listed, re.MULTILINE)
    ]


def fitting_build(system: str, device: str, cards: list[Card]) -> tuple[str, str]:
    """The build, one of GIGABYTES, and the reason in words.

    Raises ValueError for a device that is none.
    """
    if device not in {"auto", "cpu", "cuda"}:
        raise ValueError(f"DEVICE is {device!r}: it is auto, cpu or cuda.")
    if device == "cpu":
        return "cpu", "as DEVICE=cpu says"
    if system == "Darwin":
        return "cpu", "which has Metal (mps) in it" if device == "auto" else "as there is no CUDA on macOS"
    if not cards:
        if device == "cuda":
            return (
                "cu130",
                "as DEVICE=cuda says; it needs driver 580 or newer, and none tells its card's compute capability here",
            )
        return (
            "cpu",
            "as no NVIDIA driver tells a compute capability, which old ones do not; DEVICE=cuda takes CUDA all the same",
        )
    return cuda_build(cards)


def cuda_build(cards: list[Card]) -> tuple[str, str]:
    """The newest build whose CUDA every card runs, or that for CPUs, and the reason in words."""
    driver = min(card.driver for card in cards)
    oldest, newest = min(card.capability for card in cards), max(card.capability for card in cards)
    seen = f"for driver {driver} and compute capability {oldest}"
    if driver >= CUDA_13[0] and oldest >= CUDA_13[1]:
        return "cu130", seen
    if driver >= CUDA_12[0] and oldest >= CUDA_12[1] and newest <= NEWEST_OF_CUDA_12:
        return "cu126", seen
    if oldest < CUDA_12[1] or (oldest < CUDA_13[1] and newest > NEWEST_OF_CUDA_12):
        return "cpu", f"as no build runs on cards of compute capability {oldest} to {newest}, with any driver"
    needed = CUDA_13[0] if newest > NEWEST_OF_CUDA_12 else CUDA_12[0]
    return (
        "cpu",
        f"as no build runs with driver {driver} and compute capability {oldest}: install driver {needed} or newer",
    )


def pip_arguments(system: str, build: str, version: str, index: str) -> list[str]:
    """The arguments of `pip install` for a build; the packages that torch needs are those of requirements.txt, from the package index alone."""
    if build == ON_PACKAGE_INDEX[system]:
        return ["--no-deps", f"torch=={version}" if build == "cpu" else f"torch==={version}"]
    # with three signs pip takes no other build of the version that it has at hand
    return ["--no-deps", "--retries", "1", "--extra-index-url", f"{index}/{build}", f"torch==={version}+{build}"]


def fits(system: str, build: str, version: str, installed: str) -> bool:
    """Is what is installed the build already? Empty where torch is not."""
    public = {version} if build == ON_PACKAGE_INDEX[system] else set()
    return installed in {f"{version}+{build}", *public}


def read_installed() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def main(device: str) -> None:
    system = platform.system()
    if system not in GIGABYTES:
        sys.exit(f"torch has no build for {system}. Take the container: docs/start/install.md.")
    if system == "Darwin" and (platform.machine() != "arm64" or int(platform.mac_ver()[0].split(".")[0]) < 14):
        sys.exit(
            "torch has builds for macOS 14 or newer on Apple silicon only. Take the container: docs/start/install.md."
        )
    [version] = re.findall(r"^torch==(\S+)$", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    try:
        build, reason = fitting_build(system, device, read_cards())
    except ValueError as error:
        sys.exit(str(error))
    installed = read_installed()
    if fits(system, build, version, installed):
        return
    name = "CPUs" if build == "cpu" else f"CUDA {build[2:4]}.{build[4]}"
    print(
        f"torch {version} for {name}, {reason}. All packages together are {GIGABYTES[system][build]} to download.",
        flush=True,
    )
    arguments = pip_arguments(system, build, version, (os.environ.get("TORCH_INDEX") or INDEX).rstrip("/"))
    # what is there goes only once the other is at hand
    options = ["--disable-pip-version-check", "--no-compile", "--force-reinstall", "--quiet"]
    if subprocess.run([sys.executable, "-m", "pip", "install", *options, *arguments], check=False).returncode == 0:
        return
    if build == ON_PACKAGE_INDEX[system]:
        sys.exit(1)
    other = f"the package index's comes in its place, with which all is {GIGABYTES[system][ON_PACKAGE_INDEX[system]]}"
    in_place = f"torch {installed} stays" if installed.partition("+")[0] == version else other
    print(
        f"This build could not be had, as the lines above say: {in_place}. TORCH_INDEX=https://… names a mirror of {INDEX}.",
        flush=True,
    )


if __name__ == "__main__":
    main(next(iter(sys.argv[1:]), "") or "auto")
