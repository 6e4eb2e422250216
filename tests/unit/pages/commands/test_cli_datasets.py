"""Versions of datasets in the terminal: listed, compared, tagged, and named wherever a dataset is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import touchstone
from core.errors import TouchstoneError
from core.results import run_from_lines
from tests.unit.command_line import done, run

pytestmark = pytest.mark.usefixtures("database")

FIRST = """id,document,summary,label
1,The harbour was closed on Tuesday.,The harbour was closed.,consistent
2,The harbour was closed on Tuesday.,The harbour was open.,inconsistent
3,The mill burned down.,The mill burned.,consistent
"""
SECOND = FIRST.replace("The mill burned.,", "The mill burned twice.,").replace("open.,inconsistent", "open.,consistent")


@pytest.fixture
def two_versions(tmp_path: Path, database: str) -> Path:  # noqa: ARG001  # it is there first
    """The file, of which both states were imported."""
    file = tmp_path / "labels.csv"
    for content in (FIRST, SECOND):
        file.write_text(content, encoding="utf-8")
        done("import", "generic", file, "--name", "mill")
    return file


def refusal(*arguments: object) -> str:
    error = run(*arguments).exception
    assert isinstance(error, TouchstoneError)
    return str(error)


def test_a_file_that_changed_makes_a_version_and_it_is_said(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(FIRST, encoding="utf-8")
    assert "mill is there, version 1." in run("import", "generic", file, "--name", "mill").stderr
    assert (
        "mill has all of it already: it stays at version 1." in run("import", "generic", file, "--name", "mill").stderr
    )
    file.write_text(SECOND, encoding="utf-8")
    again = run("import", "generic", file, "--name", "mill", "--json")
    assert "mill is at version 2 now, in place of labels.csv." in again.stderr
    assert json.loads(again.stdout)["version"] == 2


def test_a_file_of_another_name_says_what_it_replaces(two_versions: Path, tmp_path: Path) -> None:
    other = tmp_path / "corrected.csv"
    other.write_text(FIRST, encoding="utf-8")
    arguments = ("import", "generic", other, "--name", "mill")
    assert "--replaces labels.csv" in refusal(*arguments)
    assert "exclude each other" in refusal(*arguments, "--add", "--replaces", two_versions.name)
    assert "in place of labels.csv" in run(*arguments, "--replaces", two_versions.name).stderr


def test_versions_are_listed_compared_and_tagged(two_versions: Path) -> None:
    done("datasets", "mill@1", "--tag", "draft")
    listed = done("datasets", "mill")
    assert listed.index("mill@2: 3 samples") < listed.index("mill@1 (draft): 3 samples")
    assert two_versions.name in listed
    assert "labels.csv, version 2" in done("datasets")
    assert "mill@1 (draft)" in done("datasets", "--versions")
    diff = done("datasets", "mill", "--diff", "draft", "2")
    assert "1 changed texts, 1 changed labels, 1 unchanged" in diff
    assert "2: 'The harbour was open.', inconsistent → consistent" in diff
    record = json.loads(done("datasets", "mill", "--diff", "2", "1", "--json"))
    assert (record["before"], record["after"]) == ("mill@2", "mill@1")
    assert {row["id"]: row["change"] for row in record["samples"]} == {"2": "changed label", "3": "changed text"}
    assert "has no version '3'" in refusal("datasets", "mill", "--diff", "1", "3")
    assert "Name the dataset" in refusal("datasets", "--diff", "1", "2")


def command_and_notes(reference: str) -> tuple[str, list[str]]:
    """The command and the notes of a study of a version."""
    record = json.loads(done("study", "dataset-statistics", "--dataset", reference, "--json"))
    return record["command"], record["notes"]


@pytest.mark.usefixtures("two_versions")
def test_a_study_says_which_version_it_is_of() -> None:
    done("datasets", "mill@1", "--tag", "draft")
    for reference, number in (("mill", 2), ("mill@2", 2), ("mill@draft", 1)):
        command, notes = command_and_notes(reference)
        assert command.endswith(f"--dataset mill@{number}")
        assert f"Data: mill, version {number}." in notes


@pytest.mark.usefixtures("two_versions")
def test_python_takes_versions() -> None:
    for reference, number in (("mill", 2), ("mill@1", 1)):
        done("score-dataset", reference, "--metric", "rouge2")
        report = touchstone.study("measures", dataset=reference, resamples=50)
        assert f"--dataset mill@{number}" in report.command


@pytest.mark.usefixtures("two_versions")
def test_a_run_keeps_the_version_and_an_export_names_it(tmp_path: Path) -> None:
    output = tmp_path / "run.jsonl"
    done("stress", "--dataset", "mill@1", "--metric", "rouge2", "--kind", "negated", "-o", output)
    stored = run_from_lines(output.read_text(encoding="utf-8").splitlines())
    assert stored.plan.dataset == "mill@1"
    assert {source.example.summary for source in stored.sources.values()} == {
        "The harbour was closed.",
        "The mill burned.",
    }
