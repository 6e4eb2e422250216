"""What CONTRIBUTING promises: its examples, copied to the paths they name, pass lint and every contract test."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.process import ROOT

EXAMPLES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL))
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
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


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


@needs_make
def test_make_readme_puts_a_new_metric_into_the_table(tree: Path) -> None:
    table = "tests/unit/test_prose.py::test_the_table_of_metrics_in_the_readme_is_current"
    run(tree, "make", "readme", "-o", ".venv/.run", f"BIN={Path(sys.executable).parent}")
    assert "| `quotes` | Surface |" in (tree / "README.md").read_text("utf-8")
    run(tree, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", table)


@needs_make
def test_make_readme_leaves_the_readme_as_it_was_where_its_command_fails(tmp_path: Path) -> None:
    for name in ("Makefile", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "cli.py").write_text("print('| a row |')\nraise SystemExit('no table')\n", encoding="utf-8")
    command = ["make", "readme", "-o", ".venv/.run", f"BIN={Path(sys.executable).parent}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no table" in done.stderr
    assert (tmp_path / "README.md").read_bytes() == (ROOT / "README.md").read_bytes()
