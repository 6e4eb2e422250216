"""The hash of the code changes with every file, word list and library that a number comes from, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.base.code_version import adapter_module, code_hash, code_parts

PRINT_PARTS = """
import sys
import own.metric
from core.base.code_version import code_parts
for name, value in code_parts(["own.metric"]).items():
    print(name, value)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A metric in a package of its own, with a word list, a neighbour, a relative import and two libraries."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "metric.py").write_text(
        "import numpy as np\nfrom own.words import (\n    WORDS,  # a list\n)\nfrom . import scale\nimport json, scipy\n"
    )
    (folder / "words.py").write_text(
        'from pathlib import Path\nWORDS = Path(__file__).with_name("words.txt").read_text()\n'
    )
    (folder / "words.txt").write_text("not no never")
    (folder / "scale.py").write_text("FACTOR = 2\n")
    (folder / "unrelated.py").write_text("")
    (folder / "unrelated.txt").write_text("")
    return folder


def parts_of(package: Path) -> dict[str, str]:
    """The parts as a process of its own sees them: what was read once in a process stays."""
    folders = [str(package.parent), str(Path(__file__).parents[2])]
    code = f"import sys; sys.path[:0] = {folders!r}\n{PRINT_PARTS}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(line.split() for line in ended.stdout.splitlines())


@pytest.mark.slow
def test_every_file_that_a_metric_reaches_is_a_part(package: Path) -> None:
    own = {name for name in parts_of(package) if name.startswith("own/")}
    assert own == {"own/__init__.py", "own/metric.py", "own/words.py", "own/words.txt", "own/scale.py"}


def test_libraries_stand_with_their_versions(package: Path) -> None:
    parts = parts_of(package)
    assert {name for name in parts if "/" not in name} == {"numpy", "scipy", "python"}
    assert parts["python"] == f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize(
    "file",
    ["metric.py", *(pytest.param(file, marks=pytest.mark.slow) for file in ("words.py", "words.txt", "scale.py"))],
)
def test_a_change_in_any_of_them_changes_the_hash_and_names_the_file(file: str, package: Path) -> None:
    before = parts_of(package)
    with (package / file).open("a") as opened:
        opened.write("\n# changed\n")
    after = parts_of(package)
    assert code_hash(after) != code_hash(before)
    assert {name for name in before if before[name] != after[name]} == {f"own/{file}"}


def test_a_file_that_it_does_not_reach_changes_nothing(package: Path) -> None:
    before = parts_of(package)
    (package / "unrelated.py").write_text("X = 1\n")
    (package / "unrelated.txt").write_text("x")
    assert parts_of(package) == before


def test_files_are_named_without_the_place_where_they_lie() -> None:
    assert not [name for name in code_parts(["core.scoring.metrics.summac"]) if name.startswith("/") or ".." in name]


def test_the_hash_does_not_depend_on_the_order_of_the_parts() -> None:
    assert code_hash({"a": "1", "b": "2"}) == code_hash({"b": "2", "a": "1"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("checkout", "installed"),
    [
        (
            "def f():\n    from core.text.text import sentences",
            "def f():\n    from touchstone.core.text.text import sentences",
        ),
        ('HELP = "Run: python cli.py train"', 'HELP = "Run: touchstone train"'),
    ],
)
def test_the_installed_package_has_the_hash_of_the_checkout(checkout: str, installed: str, package: Path) -> None:
    (package / "scale.py").write_text(checkout)
    before = parts_of(package)
    (package / "scale.py").write_text(installed)
    assert parts_of(package)["own/scale.py"] == before["own/scale.py"]


def test_an_adapter_is_found_where_the_package_lies() -> None:
    assert "core/models/adapters/bertscore.py" in code_parts([adapter_module("bertscore")])
