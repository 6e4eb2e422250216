"""The build of torch that `make run` installs, on machines of each kind."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT

SCRIPT = ROOT / ".ci" / "torch_build.py"


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("torch_build", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


torch_build = load_script()


def build(system: str, device: str = "auto", *cards: tuple[int, float]) -> str:
    name, _ = torch_build.fitting_build(system, device, [torch_build.Card(*card) for card in cards])
    assert name in torch_build.GIGABYTES[system]
    return str(name)


def test_without_a_driver_no_machine_downloads_cuda() -> None:
    assert {build(system) for system in ("Linux", "Darwin", "Windows")} == {"cpu"}


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ([(580, 7.5)], "cu130"),
        ([(581, 12.0), (581, 9.0)], "cu130"),
        ([(550, 8.0)], "cu126"),
        ([(580, 6.1)], "cu126"),  # CUDA 13 has no code for cards before Turing
        ([(580, 9.0), (580, 7.0)], "cu126"),
        ([(570, 12.0)], "cpu"),  # and CUDA 12.6 none for Blackwell
        ([(470, 8.0)], "cpu"),
    ],
)
def test_a_driver_gets_the_cuda_that_it_runs(cards: list[tuple[int, float]], expected: str) -> None:
    assert build("Linux", "auto", *cards) == expected


def test_a_driver_that_is_too_old_is_named_with_the_one_that_is_needed() -> None:
    _, reason = torch_build.fitting_build("Linux", "cuda", [torch_build.Card(470, 8.0)])
    assert "driver 470" in reason
    assert "driver 525 or newer" in reason


@pytest.mark.parametrize("cards", [[(470, 3.7)], [(580, 6.1), (580, 12.0)]])
def test_no_driver_is_advised_for_cards_that_none_helps(cards: list[tuple[int, float]]) -> None:
    name, reason = torch_build.fitting_build("Linux", "auto", [torch_build.Card(*card) for card in cards])
    assert name == "cpu"
    assert "with any driver" in reason
    assert "install" not in reason


def test_a_build_that_cannot_be_had_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / ("Scripts" if os.name == "nt" else "bin") / "python"
    [version] = re.findall(r"^torch==(\S+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    pure = subprocess.check_output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True)
    installed = Path(pure.strip()) / f"torch-{version}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n", encoding="utf-8")
    (installed / "RECORD").write_text(f"{installed.name}/METADATA,,\n{installed.name}/RECORD,,\n", encoding="utf-8")
    offline = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    offline |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "TORCH_INDEX": "http://127.0.0.1:9"}
    ended = subprocess.run([python, SCRIPT, "cpu"], capture_output=True, text=True, check=True, env=offline)
    assert f"torch {version} stays" in ended.stdout
    assert (installed / "METADATA").is_file()


def test_a_device_by_name_overrules_what_the_machine_has() -> None:
    assert build("Linux", "cuda") == "cu130"
    assert build("Linux", "cpu", (580, 9.0)) == "cpu"
    with pytest.raises(ValueError, match="auto, cpu or cuda"):
        build("Linux", "gpu")


def test_what_nvidia_smi_lists_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = tmp_path / "nvidia-smi"
    listing.write_text("#!/bin/sh\necho '580.65.06, 9.0'\necho '580.65.06, 12.0'\n", encoding="utf-8")
    listing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert torch_build.read_cards() == [(580, 9.0), (580, 12.0)]
    listing.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed' >&2\nexit 9\n", encoding="utf-8")
    assert torch_build.read_cards() == []


def test_only_torch_is_asked_of_another_index() -> None:
    arguments = torch_build.pip_arguments("Linux", "cpu", "2.13.0", "https://mirror.example/whl")
    assert arguments[-3:] == ["--extra-index-url", "https://mirror.example/whl/cpu", "torch===2.13.0+cpu"]
    assert "--no-deps" in arguments
    assert torch_build.pip_arguments("Linux", "cu130", "2.13.0", "x") == ["--no-deps", "torch===2.13.0"]


@pytest.mark.parametrize(("installed", "expected"), [("2.13.0+cpu", True), ("2.13.0", False), ("2.12.1+cpu", False)])
def test_a_build_that_is_there_is_not_installed_again(installed: str, expected: bool) -> None:
    assert torch_build.fits("Linux", "cpu", "2.13.0", installed) == expected
    assert not torch_build.fits("Linux", "cu130", "2.13.0", "2.13.0+cpu")


def test_a_device_that_is_none_ends_in_one_line() -> None:
    ended = subprocess.run([sys.executable, SCRIPT, "gpu"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "DEVICE is 'gpu': it is auto, cpu or cuda.\n")


def test_the_instructions_name_the_pinned_version_and_the_index_of_the_script() -> None:
    pin = re.findall(r"^torch==\S+$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    lines = [line for path in documents for line in path.read_text("utf-8").splitlines() if "pip install torch" in line]
    assert lines
    assert [line for line in lines if f"{pin[0]} --index-url {torch_build.INDEX}/cpu" not in line] == []


def test_every_figure_of_the_script_is_in_the_chapter_on_installing() -> None:
    chapter = (ROOT / "docs" / "start" / "install.md").read_text("utf-8")
    figures = {figure for builds in torch_build.GIGABYTES.values() for figure in builds.values()}
    assert [figure for figure in figures if f"| {figure} |" not in chapter] == []
