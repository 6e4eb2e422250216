"""README and CITATION.cff: short, with pictures that exist, code that runs, and the version of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import touchstone
from core.settings import VERSION
from tests.readme_pictures import names_of_picture, names_on_pictures
from tests.sources import ROOT
from tests.unit.command_line import done, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
LONGEST = 130
LONGEST_EXAMPLE = 8


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST
    examples = re.findall(r"```\w*\n(.*?)```", README, re.DOTALL)
    assert [text for text in examples if len(text.splitlines()) > LONGEST_EXAMPLE] == []


def test_its_pictures_exist_and_say_what_they_show() -> None:
    pictures = re.findall(r"!\[([^]]*)\]\(([^)]+)\)", README)
    assert len(pictures) >= 4
    assert [path for text, path in pictures if not text or not (ROOT / path).is_file()] == []


def test_its_example_in_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [source] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path))
    touchstone.close()
    exec(compile(source, "README.md", "exec"), {})
    touchstone.close()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["rouge2", "bleu"]
    assert 0 <= float(lines[2]) < 1


def test_its_pictures_show_the_pages_and_the_tour_as_they_are_called() -> None:
    pictures = [ROOT / path for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)]
    assert {path.name: names_of_picture(path) for path in pictures} == {
        path.name: names_on_pictures() for path in pictures
    }, "They show former names: run `make readme-pictures`."


_SLOW = "audit"  # minutes; tests/unit/pages/commands/test_cli_audit.py runs it on fewer pairs


def test_its_commands_run_as_printed_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [block] = re.findall(r"## In the terminal\n\n```\n(.*?)```", README, re.DOTALL)
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert all(words[:2] == ["python", "cli.py"] for words in commands)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'labels.db'}")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for words in commands:
        if words[2] != _SLOW:
            done(*words[2:])
    assert sum(words[2] != _SLOW for words in commands) >= 6
    refused = run("examples", ".")
    assert "Nothing was written" in str(refused.exception)


def test_the_citation_has_the_version_of_the_code() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= citation.keys()
    assert citation["version"] == VERSION


def test_the_icon_of_the_site_is_that_of_the_app() -> None:
    assert (ROOT / "docs/images/icon.png").read_bytes() == (ROOT / "pages/ui/icon.png").read_bytes()
