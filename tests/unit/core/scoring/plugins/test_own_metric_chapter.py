"""The examples of docs/guides/own-metric.md, as a reader saves them: they load without a remark and score."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.evaluation.study import StudyData
from core.registry import settings_of
from core.scoring.engine.engine import Engine
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_classes
from core.scoring.plugins.processes.loading import load_plugin
from core.scoring.plugins.service_metric import service_classes
from core.settings import Settings
from core.text import edits as text_edits
from core.types import Example, Item, Result
from tests.sources import ROOT

CHAPTER = (ROOT / "docs" / "guides" / "own-metric.md").read_text(encoding="utf-8")
TABLES = dict(re.findall(r"```toml\n# (\w+\.toml)\n(.*?)```", CHAPTER, re.DOTALL))
[PACKAGE] = re.findall(r"```python\n# ours\.py\n(.*?)```", CHAPTER, re.DOTALL)
FILES = dict(re.findall(r"```python\n# (?!ours)(\w+\.py)\n(.*?)```", CHAPTER, re.DOTALL))
TUG = Example("tug", "The pilot asked for the tug.", "The pilot asked. The tug never came.", question="Who asked?")
EXPECTED = {"capitals": 1.0, "shared": 0.0, "lengths": 1.0, "answered": 0.0}


@pytest.mark.parametrize("name", FILES)
def test_an_example_loads_and_scores(name: str, tmp_path: Path, engine: Engine) -> None:
    file = tmp_path / name
    file.write_text(FILES[name], encoding="utf-8")
    loaded = load_plugin(str(file), Settings.read())
    assert not any("ended" in remark or "Error" in remark for remarks in loaded.remarks.values() for remark in remarks)
    outcomes = [outcome for _, outcome in engine.run([metric() for metric in loaded.metrics], [TUG])]
    assert all(isinstance(one, Result) for one in outcomes), outcomes
    assert {one.metric: one.score for one in outcomes if isinstance(one, Result)}.items() <= EXPECTED.items()


@pytest.mark.parametrize(("name", "metric"), [("services.toml", "our-metric"), ("checkpoints.toml", "our-nli")])
def test_a_table_of_the_chapter_is_a_metric(name: str, metric: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(TABLES[name], encoding="utf-8")
    assert [one.name for one in [*service_classes(str(file)), *checkpoint_classes(str(file))]] == [metric]


def test_the_chapter_has_both_files() -> None:
    assert sorted(FILES) == ["forms.py", "my_metric.py"]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the package of the chapter."""
    module = ModuleType("ours")
    monkeypatch.setitem(sys.modules, "ours", module)
    exec(compile(PACKAGE, "ours.py", "exec"), module.__dict__)
    return module


def test_a_package_of_the_chapter_imports_touchstone_alone() -> None:
    ours = {"core", "annotations", "pages"}
    assert not [
        line
        for line in PACKAGE.splitlines()
        if re.match(r"(from|import) (\w+)", line) and ours & set(re.split(r"\W", line))
    ]


def test_the_perturbation_of_the_chapter_edits(package: Any) -> None:
    edits = package.Shout().edits(TUG, random.Random(0))
    assert text_edits.apply(TUG.summary, edits) == "THE pilot asked. The tug never came."


def test_the_importer_of_the_chapter_reads(package: Any, tmp_path: Path) -> None:
    source = tmp_path / "pairs.txt"
    source.write_text("A text.\tA summary.\nno tab\n", encoding="utf-8")
    item, refusal = package.Tabbed().read(source)
    assert item.example.summary == "A summary."
    assert refusal.line == 2


def test_the_study_of_the_chapter_counts(package: Any) -> None:
    report = package.Lengths(words=5).run(StudyData(items={"tugs": [Item(TUG)]}))
    assert report.tables[0].rows == (("tugs", 1, 1),)
    assert list(settings_of(package.Lengths)) == ["words"]
