"""The hash of the code changes with each definition, data file and library that a number comes from, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.base.code_version import (
    CARRIERS,
    DEFINITIONS,
    DefinitionCache,
    Root,
    adapter_code,
    code_hash,
    code_parts,
    script_parts,
)
from core.base.definitions import read_definitions
from core.scoring.metric import METRICS, metric_code

METRIC = '''
"""A metric."""
import json
import numpy as np
from own.scale import scaled
from own.errors import TextError
from own.records import Text
from own import words

class Metric:
    """What it measures."""

    def measure(self, text: Text) -> float:
        # each word counts
        if not text.words:
            raise TextError("This text has no word.")
        return float(np.mean([scaled(word) for word in text.words if word not in words.stop_words()]))
'''
FILES = {
    "__init__.py": "",
    "metric.py": METRIC,
    "scale.py": "from own.constants import FACTOR\n\ndef scaled(word):\n    return FACTOR * len(word)\n\ndef unused():\n    return 1\n",
    "constants.py": "FACTOR = 2\nOTHER = 3\n",
    "errors.py": "class TextError(Exception):\n    pass\n",
    "records.py": "from dataclasses import dataclass\n\n@dataclass\nclass Text:\n    words: list[str]\n    title: str = ''\n\n"
    "    def shout(self):\n        return self.title.upper()\n",
    "words.py": "from pathlib import Path\n\ndef list_lines(name):\n    return Path(__file__).with_name(f'{name}.txt').read_text().split()\n\n"
    "def stop_words():\n    return list_lines('stops')\n\ndef other_words():\n    return list_lines('others')\n",
    "stops.txt": "the a",
    "others.txt": "of",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A metric in a package of its own, with two word lists, of which it reads one."""
    folder = tmp_path / "own"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def parts_of(package: Path, module: str = "metric") -> dict[str, str]:
    return script_parts(package / f"{module}.py", package.parent, f"{package.name}.{module}")[0]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_what_the_metric_reaches_is_a_part_and_nothing_else(package: Path) -> None:
    parts = parts_of(package)
    assert set(parts) == {
        *(
            "Metric",
            "Metric.measure",
            "scaled",
            "FACTOR",
            "stop_words",
            "list_lines",
            "stops.txt",
            "Text.words",
            "numpy",
        ),
    }


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("metric.py", "# each word counts", "# each word that is no stop word counts"),
        ("metric.py", "What it measures.", "What it measures, in letters."),
        ("metric.py", "This text has no word.", "Give a text of at least one word."),
        ("metric.py", "text: Text", "text: 'Text'"),
        (
            "metric.py",
            "scaled(word) for word in text.words if word not",
            "scaled(term) for term in text.words if term not",
        ),
        ("metric.py", "import json\n", "\n\nimport json, logging\n"),
        ("errors.py", "pass", "code = 7"),
        ("constants.py", "OTHER = 3", "OTHER = 4"),
        ("scale.py", "return 1", "return 2"),
        ("records.py", "title: str = ''", "title: str = 'none'"),
        ("records.py", "upper", "lower"),
        ("others.txt", "of", "of to"),
    ],
)
def test_what_moves_no_number_moves_no_part(file: str, old: str, new: str, package: Path) -> None:
    before = parts_of(package)
    edit(package / file, old, new)
    assert parts_of(package) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "part"),
    [
        ("constants.py", "FACTOR = 2", "FACTOR = 3", "FACTOR"),  # two calls away
        ("scale.py", "len(word)", "len(word) + 1", "scaled"),
        ("metric.py", "if not text.words", "if text.words is None", "Metric.measure"),
        ("metric.py", "np.mean", "np.median", "Metric.measure"),
        ("stops.txt", "the a", "the a an", "stops.txt"),
    ],
)
def test_a_change_that_can_move_a_number_moves_the_part_that_it_is_in(
    file: str, old: str, new: str, part: str, package: Path
) -> None:
    before = parts_of(package)
    edit(package / file, old, new)
    after = parts_of(package)
    assert {name for name in before if before[name] != after.get(name)} == {part}
    assert code_hash(after) != code_hash(before)


def test_a_function_of_the_same_name_from_elsewhere_in_a_library_is_another(package: Path) -> None:
    (package / "scale.py").write_text("from math import sqrt\n\ndef scaled(word):\n    return sqrt(2)\n")
    before = parts_of(package)
    edit(package / "scale.py", "from math", "from cmath")
    assert parts_of(package)["scaled"] != before["scaled"]


def test_a_moved_function_and_a_renamed_module_keep_their_parts(package: Path) -> None:
    before = parts_of(package)
    (package / "lists").mkdir()
    (package / "lists" / "__init__.py").write_text("")
    for name in ("words.py", "stops.txt", "others.txt"):
        (package / name).rename(package / "lists" / name)
    edit(package / "metric.py", "from own import words", "from own.lists import words as listed")
    edit(package / "metric.py", "words.stop_words()", "listed.stop_words()")
    (package / "constants.py").unlink()
    edit(package / "scale.py", "from own.constants import FACTOR", "FACTOR = 2")
    (package / "scale.py").rename(package / "lengths.py")
    edit(package / "metric.py", "own.scale", "own.lengths")
    (package / "metric.py").rename(package / "measure.py")
    assert parts_of(package, "measure") == before


@pytest.mark.parametrize(
    "face",
    [
        "from .scale import scaled\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from own.scale import scaled\n\ndef __getattr__(name):\n    return 1\n",
        "_LAZY = {'scaled': 'own.scale'}\n\ndef __getattr__(name):\n    return _LAZY[name]\n",
        "_LAZY = {'scaled': '.scale'}\n\ndef __getattr__(name):\n    return _LAZY[name]\n",
        "from own.scale import *\n",
    ],
)
def test_a_name_is_followed_through_the_face_of_a_package(face: str, package: Path) -> None:
    before = parts_of(package)
    (package / "__init__.py").write_text(face)
    edit(package / "metric.py", "from own.scale import scaled", "from own import scaled")
    assert parts_of(package) == before


def test_a_name_that_a_function_binds_is_no_reference(package: Path) -> None:
    (package / "scale.py").write_text("def unused():\n    return 1\n\ndef scaled(word, unused=0):\n    return unused\n")
    assert "unused" not in parts_of(package)


def test_definitions_are_read_from_the_cache_folder_and_a_damaged_file_is_replaced(
    package: Path, tmp_path: Path
) -> None:
    first, second = DefinitionCache(), DefinitionCache()
    first.folder = second.folder = tmp_path / "definitions"
    source = first.read(package / "scale.py")
    [file] = first.folder.iterdir()
    assert second.read(package / "scale.py") == source
    file.write_text("{")
    third = DefinitionCache()
    third.folder = first.folder
    assert third.read(package / "scale.py") == source
    assert file.read_text() != "{"


def test_a_changed_file_is_read_again(package: Path, tmp_path: Path) -> None:
    cache = DefinitionCache()
    cache.folder = tmp_path / "definitions"
    before = cache.read(package / "constants.py")
    edit(package / "constants.py", "2", "5")
    assert cache.read(package / "constants.py") != before


NAMED = """
def f(rows, *, limit=1):
    good = [row for row in rows if row.a]
    for place, pair in enumerate(good):
        def shift():
            nonlocal pair
            pair = place
    with open(limit) as file:
        text = file.read()
    return [pair, text, (lambda q: q + pair)]
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("good", "kept", True),
        ("pair", "one", True),
        ("row ", "each ", False),  # its attribute is still read of a name that nothing binds
        ("limit", "most", False),  # callers may name it
        ("pair, text", "text, pair", False),
    ],
)
def test_a_local_variable_counts_by_its_place_and_a_parameter_by_its_name(old: str, new: str, same: bool) -> None:
    forms = [read_definitions(text).definitions["f"].form for text in (NAMED, NAMED.replace(old, new))]
    assert (forms[0] == forms[1]) is same


@pytest.mark.parametrize(
    ("checkout", "installed"),
    [
        (
            "def f():\n    from core.text.segmentation import g\n    g()",
            "def f():\n    from touchstone.core.text.text import g\n    g()",
        ),
        ('HELP = "Run: python cli.py train"', 'HELP = "Run: touchstone train"'),
    ],
)
def test_the_installed_package_has_the_form_of_the_checkout(checkout: str, installed: str, tmp_path: Path) -> None:
    cache = DefinitionCache()
    forms = []
    for text in (checkout, installed):
        (tmp_path / "module.py").write_text(text)
        source = cache.read(tmp_path / "module.py")
        assert source is not None
        forms.append([one.form for one in source.definitions.values()])
    assert forms[0] == forms[1]


def test_the_hash_does_not_depend_on_the_order_of_the_parts() -> None:
    assert code_hash({"a": "1", "b": "2"}) == code_hash({"b": "2", "a": "1"})


def test_no_part_has_a_path() -> None:
    assert not [name for name in code_parts([Root("core.scoring.metrics.summac", "SummaCConv")]) if "/" in name]


PRINT = """
import sys
from core.base.code_version import adapter_code
from core.scoring.metric import METRICS, metric_code_hash
print(metric_code_hash(METRICS.parse("rouge2")), adapter_code("sentence_embedding"))
"""


@pytest.mark.slow
def test_a_comment_in_errors_and_a_given_name_move_neither_signature_nor_cache_key(tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    subprocess.run(["cp", "-r", "core", str(tmp_path / "core")], check=True)
    copy.mkdir()
    (tmp_path / "core").rename(copy / "core")
    before = f"{code_hash(metric_code(METRICS.parse('rouge2')))} {adapter_code('sentence_embedding')}"
    with (copy / "core/errors.py").open("a") as opened:
        opened.write("\n# a comment\n")
    with (copy / "core/text/english/data/given_names.txt").open("a") as opened:
        opened.write("Quillonia\n")

    def printed() -> str:
        ended = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, text=True, check=True, cwd=copy)
        return ended.stdout.strip()

    assert printed() == before
    edit(copy / "core/scoring/metrics/rouge.py", "_MAX_UNSTEMMED = 3", "_MAX_UNSTEMMED = 4")
    rouge, embedding = printed().split()
    assert rouge != before.split()[0]
    assert embedding == before.split()[1]


def test_every_carrier_is_defined_in_core() -> None:
    defined: set[str] = set()
    for file in Path("core").rglob("*.py"):
        source = DEFINITIONS.read(file)
        defined |= set(source.definitions if source else ())
    assert defined >= CARRIERS


def test_a_folder_of_data_that_is_listed_counts_and_a_package_does_not(package: Path) -> None:
    for folder in ("lists", "scaled"):
        (package / folder).mkdir()
        (package / folder / "words.txt").write_text("one")
    (package / "scaled" / "__init__.py").write_text("")
    edit(
        package / "scale.py",
        "return FACTOR * len(word)",
        "return [list(Path(p).iterdir()) for p in ('lists', 'scaled')]",
    )
    (package / "lists" / "of.txt").write_text("two")
    assert "of.txt" in parts_of(package)
    before = parts_of(package)
    (package / "scaled" / "words.txt").write_text("two")
    assert parts_of(package) == before
