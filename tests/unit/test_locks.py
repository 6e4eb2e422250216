"""Every package that the image installs is pinned with the hashes of its files, as `make lock` writes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sources import ROOT

LOCKS = {
    ".ci/requirements.lock": "requirements.txt",
    ".ci/requirements-cpu.lock": "requirements.txt",
    ".ci/build-requirements.lock": ".ci/build-requirements.txt",
}
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
_PIN = re.compile(r"^([\w.-]+)(?:\[[\w,]+\])?==([^\s;]+)", re.MULTILINE)


def pins(file: str) -> dict[str, set[str]]:
    """The versions of each package that a file pins; more than one where they differ between versions of Python."""
    versions: dict[str, set[str]] = {}
    for name, version in _PIN.findall((ROOT / file).read_text(encoding="utf-8")):
        versions.setdefault(re.sub(r"[-_.]+", "-", name.lower()), set()).add(version)
    return versions


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_is_one_version_with_hashes_and_names_no_server(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[A-Za-z])", text, flags=re.MULTILINE)[1:]
    assert len(entries) > 20
    assert [
        entry for entry in entries if not re.match(r"[\w.-]+==\S+.*\\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+$", entry)
    ] == []
    assert "://" not in text


@pytest.mark.parametrize(("lock", "source"), LOCKS.items())
def test_a_lock_has_every_pin_of_its_source(lock: str, source: str) -> None:
    locked = {name: {version.removesuffix("+cpu") for version in versions} for name, versions in pins(lock).items()}
    assert {name: locked.get(name) for name in pins(source)} == pins(source)


def test_the_image_for_cpus_has_the_same_packages_but_for_cuda() -> None:
    whole, cpu = pins(".ci/requirements.lock"), pins(".ci/requirements-cpu.lock")
    assert cpu.pop("torch") == {f"{version}+cpu" for version in whole.pop("torch")}
    cuda = {name for name in whole if name.startswith(("nvidia-", "cuda-")) or name == "triton"}
    assert {name: versions for name, versions in whole.items() if name not in cuda} == cpu


def test_the_image_installs_by_hashes_alone_and_lists_its_parts() -> None:
    installs = re.findall(r"pip install .*", DOCKERFILE)
    own_wheel = [line for line in installs if "/tmp/wheel/*.whl" in line]
    assert ["--no-deps" in line for line in own_wheel] == [True]
    assert all("--require-hashes" in line for line in installs if line not in own_wheel)
    named = {Path(name).name for name in re.findall(r"/tmp/(\S+\.lock)", DOCKERFILE)}
    assert named == {Path(name).name for name in LOCKS}
    assert "cyclonedx-py environment" in DOCKERFILE
