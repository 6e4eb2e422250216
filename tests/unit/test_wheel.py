"""The wheel in an environment of its own: one top-level name, and the example of docs/guides/python.md, whose results are those of the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT
from tests.unit.command_line import done as command_line

pytest.importorskip("hatchling", reason="the group dev of pyproject.toml has hatchling, which builds the wheel")

CHAPTER = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
[EXAMPLE] = re.findall(r"```python\n(import pandas.*?)```", CHAPTER, re.DOTALL)
PAIRS = (
    {
        "id": "tug",
        "document": "The pilot asked for the tug. It came at dawn.",
        "summary": "The pilot requested the tug. It came at noon.",
    },
    {"id": "rain", "document": "It rained in York all night.", "summary": "It rained in York."},
)
SCRIPT = """
import json, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import attrgetter

started = time.perf_counter()
import touchstone as ts
seconds, at_once = time.perf_counter() - started, set(sys.modules)

if __name__ == "__main__":
    from touchstone.core.settings import Settings

    source = open(sys.argv[1], encoding="utf-8").read()
    shared = {}
    exec(compile(source, "python.md", "exec"), shared)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        elsewhere = pool.submit(attrgetter("summary"), ts.Example("tug", "A tug came.", "A tug.")).result()
    found = {name: shared[name] for name in ("scores", "variants")} | {"report": shared["report"].record()}
    found |= {"labels": Settings.read().database_url, "ids": list(shared["table"].index), "trust": len(shared["trust"]), "elsewhere": elsewhere}
    names = {name.split(".")[0] for name in sys.modules}
    print(json.dumps({**found, "heavy": sorted(at_once & {"torch", "transformers", "pandas", "streamlit"}),
        "seconds": seconds, "ours": sorted(names & {"annotations", "core", "pages", "cli", "app"})}))
"""


@dataclass(frozen=True)
class Installed:
    """The wheel and the environment that it is installed in; `folder` is where its programs run."""

    wheel: Path
    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "venv" / "bin"

    def run(self, *command: object) -> str:
        """What it prints, without anything of the checkout in reach."""
        clean = {
            name: value for name, value in os.environ.items() if name != "PYTHONPATH" and "TOUCHSTONE_" not in name
        }
        settings = {"HOME": str(self.folder), "TOUCHSTONE_DEVICE": "cpu"}
        arguments = [str(one) for one in command]
        done = subprocess.run(
            arguments,
            cwd=self.folder,
            env={**clean, **settings},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    made = Installed(folder / "touchstone_bench-0.2.0-py3-none-any.whl", folder)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = made.programs / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--no-compile", made.wheel], check=True)
    # the packages that the tests run with; nothing is downloaded
    [site] = (folder / "venv").glob("lib/python*/site-packages")
    (site / "packages.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return made


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def without_times(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was asked and how long it took differs, as the command line found the answers in the cache or did not."""
    return [{name: value for name, value in one.items() if name not in {"seconds", "questions"}} for one in records]


@pytest.mark.slow
def test_the_wheel_has_one_top_level_name_and_every_file_of_the_folders(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
        metadata = wheel.read("touchstone_bench-0.2.0.dist-info/METADATA").decode()
    assert {name.split("/")[0] for name in names} == {"touchstone", "touchstone_bench-0.2.0.dist-info"}
    tracked = subprocess.run(
        ["git", "ls-files", "annotations", "core", "docs", "pages", ".streamlit"], cwd=ROOT, capture_output=True
    )
    assert {f"touchstone/{name}" for name in tracked.stdout.decode().split()} <= set(names)
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert len(required) == len(
        [line for line in metadata.splitlines() if re.match(r"Requires-Dist: (?!.*extra ==)", line)]
    )
    assert "Requires-Dist: torch<2.14,>=2.13; extra == 'models'" in metadata
    assert "Requires-Dist: ray>=2.50; extra == 'ray'" in metadata
    assert re.search(r"Requires-Dist: spacy==\S+; extra == 'parsers'", metadata)


@pytest.mark.slow
def test_the_example_of_the_chapter_on_python_gives_what_the_command_line_gives(
    installed: Installed, weights: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.parity.tiny_entailment import albert_nli  # which imports torch

    folder = installed.folder
    (folder / "models").mkdir()
    (folder / "models" / "nli").symlink_to(weights(albert_nli))
    for name, text in (("example.py", EXAMPLE), ("script.py", SCRIPT)):
        (folder / name).write_text(text, encoding="utf-8")
    found = json.loads(installed.run(installed.programs / "python", "script.py", "example.py"))
    assert found["heavy"] == []
    assert found["ours"] == []  # nothing of ours is imported under a name that may be another's
    assert (
        found["labels"] == f"sqlite:///{folder}/.touchstone/touchstone.db"
    )  # pip would lose what lies beside the code
    assert (found["ids"], found["trust"]) == (["rain", "tug"], 1)
    assert found["elsewhere"] == "A tug."  # a worker process knows its class

    monkeypatch.chdir(folder)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.db'}")
    pairs, scores, variants = (tmp_path / name for name in ("pairs.jsonl", "scores.jsonl", "variants.jsonl"))
    pairs.write_text("\n".join(map(json.dumps, PAIRS)), encoding="utf-8")
    command_line("score", pairs, "--metric", "rouge2", "--metric", "summac-zs[checkpoint=models/nli]", "-o", scores)
    assert without_times(found["scores"]) == without_times(lines_of(scores))
    installed.run(installed.programs / "touchstone", "score", pairs, "--metric", "rouge2", "-o", "rouge.jsonl")
    assert lines_of(folder / "rouge.jsonl")[0]["score"] == found["scores"][0]["score"]
    command_line("perturb", pairs, "--kind", "negation", "--kind", "shuffled", "--seed", 1, "-o", variants)
    assert found["variants"] == [one for one in lines_of(variants) if one["edited"]]
    command_line("import", "pairs", variants, "--name", "variants")
    command_line("score-dataset", "variants", "--metric", "rouge2")
    printed = json.loads(command_line("study", "measures", "--dataset", "variants", "--json"))
    assert found["report"]["tables"] == printed["tables"]
