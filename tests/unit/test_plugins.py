"""What CONTRIBUTING promises: its examples, copied to the paths they name, pass lint and every contract test."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.contributing import EXAMPLES
from tests.doubles.process import ROOT

NAMES = [Path(path).stem for path in EXAMPLES]
CONTRACTS = [
    "tests/unit/metrics/test_metric_contract.py",
    "tests/unit/perturbations/test_perturbation_contract.py",
    "tests/unit/datasets/test_importer_contract.py",
]
TREE = [
    "core",
    "annotations",
    "pages",
    "tests",
    "app.py",
    "cli.py",
    "pyproject.toml",
    "Makefile",
    "README.md",
    "CONTRIBUTING.md",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the three examples."""
    folder = tmp_path_factory.mktemp("project")
    for name in TREE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    for path, content in EXAMPLES.items():
        (folder / path).write_text(content, encoding="utf-8")
    return folder


def run(folder: Path, *command: str) -> str:
    """What a command says; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_examples_are_a_metric_a_perturbation_and_an_importer() -> None:
    assert [str(Path(path).parent) for path in EXAMPLES] == ["core/metrics", "core/perturbations", "core/datasets"]


def test_the_examples_pass_the_lint(tree: Path) -> None:
    run(tree, sys.executable, "-m", "ruff", "check", "--no-cache", *EXAMPLES)
    run(tree, sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *EXAMPLES)


def test_the_examples_pass_every_contract_test(tree: Path) -> None:
    told = run(tree, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", " or ".join(NAMES), *CONTRACTS)
    assert re.search(r"\d{2} passed", told), told


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_readme_puts_a_new_metric_into_the_table(tree: Path) -> None:
    table = "tests/unit/test_prose.py::test_the_table_of_metrics_in_the_readme_is_current"
    (tree / "bin").mkdir()
    (tree / "bin" / "python").symlink_to(sys.executable)
    run(tree, "make", "readme", "-o", ".venv/.run", "BIN=bin")
    assert "| `quotes` | Surface |" in (tree / "README.md").read_text("utf-8")
    run(tree, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", table)
