"""The core in an environment without torch and the app: it has the packages of `dependencies` in pyproject.toml and those that they need."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import httpx2
import pytest

import core.errors
from core.errors import explain_missing_module
from tests.sources import ROOT

packaging = pytest.importorskip("packaging.requirements", reason="pytest brings packaging")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = dict(
    re.findall(r"^([\w-]+)(?:\[\w+\])?==([^\s;]+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
)
KINDS = """
from importlib import import_module
from pathlib import Path
from core.model_reference import Checkpoint
from core.models import adapters, missing_package
for file in sorted(Path(adapters.__path__[0]).glob("[!_]*.py")):
    try:
        import_module(f"core.models.adapters.{file.stem}")
        loads = True
    except ModuleNotFoundError:
        loads = False
    if not file.stem.startswith("endpoint_"):
        print(file.stem, loads, bool(missing_package(Checkpoint("x", file.stem))))
"""


@dataclass(frozen=True)
class CoreInstall:
    """An environment with the core; `folder` is where its commands run."""

    folder: Path

    def python(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / "venv/bin/python", *map(str, arguments)],
            cwd=self.folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def touchstone(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.python(ROOT / "cli.py", *arguments)

    def variables(self) -> dict[str, str]:
        ours = {name: text for name, text in os.environ.items() if "TOUCHSTONE_" not in name}
        return ours | {
            "PYTHONPATH": str(ROOT),
            "TOUCHSTONE_CACHE_DIR": str(self.folder / "cache"),
            "TOUCHSTONE_DATABASE_URL": f"sqlite:///{self.folder / 'labels.db'}",
        }


def with_dependencies(requirements: list[str]) -> set[str]:
    """Distributions of requirements and of all that they need, by the metadata of those that are installed."""
    names: set[str] = set()
    waiting = [(packaging.Requirement(requirement), "") for requirement in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if requirement.name not in names:
            names.add(requirement.name)
            waiting += [
                (packaging.Requirement(needed), asked)
                for needed in metadata.requires(requirement.name) or []
                for asked in ("", *requirement.extras)
            ]
    return names


@pytest.fixture(scope="module")
def core_install(tmp_path_factory: pytest.TempPathFactory) -> CoreInstall:
    folder = tmp_path_factory.mktemp("core")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    [site] = (folder / "venv").glob("lib/python*/site-packages")
    for name in with_dependencies(PROJECT["dependencies"]):
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return CoreInstall(folder)


def test_the_core_needs_neither_torch_nor_the_app() -> None:
    names = {re.sub(r"[-_.]+", "-", name.lower()) for name in with_dependencies(PROJECT["dependencies"])}
    assert not names & {"torch", "transformers", "streamlit", "plotly", "pandas", "pyarrow"}


def test_every_range_has_a_floor_and_holds_the_version_that_is_pinned() -> None:
    extras = PROJECT["optional-dependencies"]
    ranges = [
        packaging.Requirement(line)
        for line in [*PROJECT["dependencies"], *extras["app"], *extras["models"], *extras["parquet"]]
    ]
    packages = [requirement for requirement in ranges if requirement.name != PROJECT["name"]]
    assert {requirement.name for requirement in packages} == {*PINS, "fsspec"}
    assert [
        str(requirement)
        for requirement in packages
        if PINS.get(requirement.name, "2026.9") not in requirement.specifier
    ] == []
    bounded = re.compile(r">=[\d.]+(,<[\d.]+)?|,?<[\d.]+,>=[\d.]+|==[\d.]+(\*)?")
    assert [str(requirement) for requirement in packages if not bounded.fullmatch(str(requirement.specifier))] == []


def test_every_module_that_only_an_extra_brings_is_named_with_it() -> None:
    extras = {
        name: {packaging.Requirement(line).name for line in lines}
        for name, lines in PROJECT["optional-dependencies"].items()
    }
    distributions = metadata.packages_distributions()
    for module, extra in core.errors._EXTRAS.items():
        assert {name.lower().replace("_", "-") for name in distributions[module]} & extras[extra], module
    assert explain_missing_module("numpy") == ""


@pytest.mark.slow
def test_it_scores_and_studies_as_the_whole_does(core_install: CoreInstall) -> None:
    assert core_install.touchstone("examples", ".").returncode == 0
    scored = core_install.touchstone(
        "score", "pairs.jsonl", "--metric", "rouge2", "--metric", "entity-overlap", "-o", "scores.jsonl"
    )
    assert (scored.returncode, scored.stderr) == (0, "")
    assert core_install.touchstone("import", "bundled").returncode == 0
    assert core_install.touchstone("score-dataset", "bundled", "--metric", "summary-length").returncode == 0
    studied = core_install.touchstone("study", "measures", "--dataset", "bundled", "--to", "measures.html")
    assert studied.returncode == 0, studied.stderr
    assert "<table" in (core_install.folder / "measures.html").read_text(encoding="utf-8")
    in_python = "import touchstone as ts; print(ts.score([ts.Example('a', 'The tug came at dawn.', 'The tug came.')], ['rouge2'])[0]['score'])"
    assert core_install.python("-c", in_python).stdout == "1.0\n"


@pytest.mark.slow
def test_it_serves_scores(core_install: CoreInstall) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        core_install.folder / "venv/bin/python",
        ROOT / "cli.py",
        "serve",
        "--metric",
        "rouge2",
        "--port",
        str(port),
    ]
    with subprocess.Popen(
        command, cwd=core_install.folder, env=core_install.variables(), stderr=subprocess.DEVNULL
    ) as server:
        try:
            with httpx2.Client(transport=httpx2.HTTPTransport(retries=8), timeout=120) as client:
                pair = {"document": "The tug came at dawn.", "summary": "The tug came."}
                answer = client.post(f"http://127.0.0.1:{port}/score", json=pair).json()
        finally:
            server.terminate()
    assert answer["score"] == 1.0


@pytest.mark.slow
def test_what_needs_more_names_the_extra(core_install: CoreInstall) -> None:
    pair = {"id": "tug", "document": "The tug came at dawn.", "summary": "The tug came."}
    (core_install.folder / "one.jsonl").write_text(json.dumps(pair), encoding="utf-8")
    for extra, arguments in (
        ("models", ("score", "one.jsonl", "--metric", "bertscore-minilm")),
        ("models", ("score", "one.jsonl", "--metric", "word-support")),
        ("models", ("score", "one.jsonl", "--metric", "bartscore")),  # nothing is downloaded for it
        ("models", ("score", "one.jsonl", "--metric", "rouge2", "--device", "cuda")),
        ("models", ("doctor", "word-support")),
        ("models", ("train", "bundled", "--to", "trained")),
        ("parquet", ("score", "one.jsonl", "--metric", "rouge2", "--to", "folder")),
        ("app", ("run",)),
    ):
        refused = core_install.touchstone(*arguments)
        assert refused.returncode in {1, 2}, arguments
        assert f"the extra {extra} brings it" in refused.stdout + refused.stderr, arguments
        assert "Traceback" not in refused.stderr, arguments
    listed = core_install.touchstone("metrics").stdout
    assert re.search(r"^word-support .* needs setup$", listed, re.MULTILINE)
    assert re.search(r"^rouge2 .* ready$", listed, re.MULTILINE)


@pytest.mark.slow
def test_a_kind_of_model_that_does_not_load_without_torch_says_so(core_install: CoreInstall) -> None:
    rows = [line.split() for line in core_install.python("-c", KINDS).stdout.splitlines()]
    assert len(rows) > 20
    assert [kind for kind, loads, is_missing in rows if loads == is_missing] == []
