"""What docs/develop/plugins.md promises: its examples, copied to the paths they name, pass lint and every contract test."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.contributing import EXAMPLES
from tests.doubles.process import ROOT
from tests.reference import outdated_rows

NAMES = [Path(path).stem for path in EXAMPLES]
CONTRACTS = [
    "tests/unit/core/scoring/metrics/test_metric_contract.py",
    "tests/unit/core/edits/perturbations/test_perturbation_contract.py",
    "tests/unit/core/data/datasets/test_importer_contract.py",
    "tests/unit/core/evaluation/studies/test_study_contract.py",
]
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
TREE = [
    "core",
    "annotations",
    "pages",
    "tests",
    "app.py",
    "cli.py",
    "touchstone.py",
    "pyproject.toml",
    "Makefile",
    "README.md",
    "CONTRIBUTING.md",
    "docs",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the four examples."""
    folder = tmp_path_factory.mktemp("project")
    for name in TREE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
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


def test_the_examples_are_one_of_each_kind_of_plug_in() -> None:
    folders = ["core/scoring/metrics", "core/edits/perturbations", "core/evaluation/studies", "core/data/datasets"]
    folders.append("core/data/datasets/tool_exports")
    assert [str(Path(path).parent) for path in EXAMPLES] == folders


def test_the_examples_pass_the_lint(tree: Path) -> None:
    run(tree, sys.executable, "-m", "ruff", "check", "--no-cache", *EXAMPLES)
    run(tree, sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *EXAMPLES)


@pytest.mark.slow
def test_the_examples_pass_every_contract_test(tree: Path) -> None:
    told = run(tree, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", " or ".join(NAMES), *CONTRACTS)
    assert re.search(r"\d{2} passed", told), told


@pytest.mark.slow
@needs_make
def test_make_reference_puts_a_new_metric_into_the_table(tree: Path) -> None:
    outdated = "from tests.reference import ROOT, outdated_rows; print(outdated_rows(ROOT))"
    assert run(tree, sys.executable, "-c", outdated) == "[]\n"  # a new metric is one file: the table may follow later
    run(tree, "make", "reference", "-o", ".venv/.run", f"BIN={Path(sys.executable).parent}")
    assert "| `quotes` | Surface |" in (tree / "docs" / "reference" / "metrics.md").read_text("utf-8")
    assert not list(tree.rglob(".*.new"))


@pytest.mark.slow
def test_a_row_that_is_not_so_is_found(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    copied = tmp_path / "docs" / "reference" / "metrics.md"
    chapter = copied.read_text("utf-8")
    copied.write_text(chapter.replace("| `rouge2` | Overlap |", "| `rouge2` | Surface |"), "utf-8")
    assert [row.split("|")[1:3] for row in outdated_rows(tmp_path)] == [[" `rouge2` ", " Surface "]]
    copied.write_text(chapter.replace("metrics: make reference", "metric: make reference"), "utf-8")
    with pytest.raises(ValueError, match=r"and .*'metrics', .* can be made"):
        outdated_rows(tmp_path)


@pytest.mark.slow
@needs_make
def test_make_reference_fails_and_leaves_the_documents_whole_where_a_table_cannot_be_made(tree: Path) -> None:
    chapter = (tree / "docs" / "reference" / "metrics.md").read_bytes()
    (tree / "core" / "metrics" / "broken.py").write_text("raise SystemExit('no table')\n", encoding="utf-8")
    command = ["make", "reference", "-o", ".venv/.run", f"BIN={Path(sys.executable).parent}"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    (tree / "core" / "metrics" / "broken.py").unlink()
    assert done.returncode != 0
    assert "no table" in done.stderr
    assert (tree / "docs" / "reference" / "metrics.md").read_bytes() == chapter
