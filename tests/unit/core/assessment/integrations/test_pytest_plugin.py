"""The plug-in of pytest and the workflows of docs/guides/gate.md, tried offline on a toy repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import touchstone
from core.assessment.integrations import pytest_plugin
from core.data.datasets.bundled import bundled_items
from tests.unit.command_line import done, run

ROOT = Path(__file__).parents[3]
GATE = (ROOT / "docs" / "guides" / "gate.md").read_text(encoding="utf-8")
WORKFLOWS = {
    match[1]: yaml.safe_load(match[2]) for match in re.finditer(r"```yaml\n# (\S+)\n(.*?)```", GATE, re.DOTALL)
}
DOCUMENTS = 32
"""More than the thirty from which on an audit gives verdicts."""
TESTS = next(text for text in re.findall(r"```python\n(.*?)```", GATE, re.DOTALL) if "def test_the_metric" in text)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with labelled pairs, summaries, the scores of before, and the tests of docs/guides/gate.md."""
    folder = tmp_path_factory.mktemp("toy")
    groups = list(dict.fromkeys(one.group for one in bundled_items()))[:DOCUMENTS]
    items = [
        one
        for one in bundled_items()
        if one.group in groups and (not one.parent or str(one.error_type).startswith("Extrinsic"))
    ]
    labelled = [
        {"id": one.example.id, "document": one.example.document, "summary": one.example.summary}
        | {"label": one.intended, "group": one.group}
        for one in items
    ]
    originals = [row for row in labelled if row["label"] == "consistent"]
    for name, rows in (("labelled", labelled), ("summaries", originals)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    done("score", folder / "labelled.jsonl", "--metric", "rouge2", "-o", folder / "base.jsonl")
    (folder / "test_chapter.py").write_text(TESTS, encoding="utf-8")
    few = "from core.results.cases import measures\n\nmeasures.RESAMPLES = 500  # no assertion reads an interval of an audit\n"
    (folder / "conftest.py").write_text(few, encoding="utf-8")
    (folder / "test_failing.py").write_text(
        "def test_area(touchstone):\n"
        "    touchstone.audit('rouge2', 'labelled.jsonl', most=2).at_least('sees-errors', 0.99)\n\n\n"
        "def test_scores(touchstone):\n"
        "    pairs = [{'id': 'tug', 'document': 'The tug came at dawn.', 'summary': 'A crane fell at noon.'}]\n"
        "    touchstone.score(pairs, 'rouge2').each_at_least(0.5)\n\n\n"
        "def test_unknown(touchstone):\n"
        "    touchstone.score('summaries.jsonl', 'rouge2').not_worse_than('test_chapter.py')\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.db'}")
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    yield
    touchstone.close()


@pytest.fixture(scope="module")
def output(toy: Path) -> str:
    """The output of pytest on both files of the toy repository."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:benchmark", "-p", "no:cacheprovider"]
    settings = {
        "PYTHONPATH": str(ROOT),
        "TOUCHSTONE_CACHE_DIR": str(toy / "cache"),
        "TOUCHSTONE_DATABASE_URL": f"sqlite:///{toy / 'kept.db'}",
        "TOUCHSTONE_DEVICE": "cpu",
    }
    return subprocess.run(
        [*command, "-p", pytest_plugin.__name__, "test_chapter.py", "test_failing.py"],
        cwd=toy,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    ).stdout


@pytest.mark.slow
def test_the_tests_of_the_chapter_pass_on_a_toy_repository(output: str) -> None:
    assert "3 failed, 2 passed" in output
    assert set(re.findall(r"^(?:FAILED|ERROR) ([\w.]+)", output, re.MULTILINE)) == {"test_failing.py"}, output


@pytest.mark.slow
def test_failures_say_what_was_found(output: str) -> None:
    assert "Does it see errors?" in output
    assert "is below 0.99" in output
    assert "In full: python cli.py import pairs" in output
    assert "1 of 1 summaries score below 0.5 by rouge2:" in output
    assert "tug: 0.000: A crane fell at noon." in output
    assert "line 1 is no score" in output
    assert "core/assessment/gate/assertions.py" not in output  # the failure is shown where the test stands


def test_pytest_finds_the_plug_in_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, attribute = project["entry-points"]["pytest11"]["touchstone"].partition(":")
    assert module == touchstone.__name__
    assert getattr(touchstone, attribute) is pytest_plugin
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = touchstone.nothing


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(WORKFLOWS))
def test_the_commands_of_a_workflow_run(file: str, toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [shlex.split(line)[1:] for line in shell_lines(WORKFLOWS[file]) if line.startswith("touchstone ")]
    assert [one[0] for one in commands] == ["score", "compare"]
    monkeypatch.chdir(toy)
    for arguments in commands:
        found = run(*arguments)
        assert found.exit_code == 0, found.output
    written = [argument for argument in commands[-1] if argument.endswith((".md", ".xml"))]
    assert written
    assert all((toy / name).read_text(encoding="utf-8") for name in written)


def shell_lines(workflow: dict[str, Any]) -> list[str]:
    """The commands of a workflow of GitHub or of GitLab, in order."""
    [job] = workflow["jobs"].values() if "jobs" in workflow else [workflow["touchstone"]]
    return [step.get("run", "") for step in job["steps"]] if "steps" in job else list(job["script"])
