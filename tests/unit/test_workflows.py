"""The workflows of GitHub run commands and files that exist, on the versions of Python that the project names, with few rights."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml

from tests.sources import ROOT

WORKFLOWS = {file.name: yaml.safe_load(file.read_text("utf-8")) for file in (ROOT / ".github/workflows").glob("*.yml")}


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_there_is_one_for_tests_documents_and_releases() -> None:
    assert {*WORKFLOWS} == {"test.yml", "docs.yml", "release.yml"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_a_workflow_runs_is_there(name: str) -> None:
    commands = "\n".join(step.get("run", "") for step in steps(WORKFLOWS[name]))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [
        target for target in re.findall(r"^make ([\w-]+)", commands, re.MULTILINE) if f"\n{target}:" not in makefile
    ] == []
    files = re.findall(r"(?<![\w/])((?:tests|\.ci)/[\w./-]+)", commands)
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_only_read_where_no_job_asks_for_more(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert all(
        re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in steps(WORKFLOWS[name]) if "uses" in step
    )


def test_the_oldest_python_is_that_of_the_project() -> None:
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    for name, job in (("test.yml", "all"), ("release.yml", "try")):
        assert WORKFLOWS[name]["jobs"][job]["strategy"]["matrix"]["python"][0] == oldest.removeprefix(">=")


def test_the_newest_python_is_the_same_everywhere() -> None:
    tests, release = WORKFLOWS["test.yml"]["jobs"], WORKFLOWS["release.yml"]["jobs"]
    ends, between = (tests[job]["strategy"]["matrix"]["python"] for job in ("all", "between"))
    versions = release["try"]["strategy"]["matrix"]["python"]
    assert [ends[0], *between, ends[-1]] == versions
    assert f"\nversion={versions[-1]}\n" in (ROOT / ".ci/newest-python").read_text("utf-8")
