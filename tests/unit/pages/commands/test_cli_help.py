"""The help of the command line: commands in groups, and in each an example that the command takes."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path

import pytest

import cli
from core.evaluation.study import STUDIES
from pages import commands
from pages.commands.evaluation.study import study_example
from tests.unit.command_line import run

MODULES = {
    file.stem.removesuffix("_").replace("_", "-"): import_module(f"pages.commands.{folder}.{file.stem}")
    for folder in cli.GROUPS
    for file in sorted(Path(commands.__path__[0], folder).glob("[!_]*.py"))
}


def test_every_command_is_listed_below_the_heading_of_its_group() -> None:
    listed: dict[str, list[str]] = {}
    group = ""
    for line in run("--help").output.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            group = line.removesuffix(":")
        elif group in cli.GROUPS.values() and line.startswith("  "):
            listed.setdefault(group, []).append(line.split()[0])
    grouped = {
        title: sorted(name for name, module in MODULES.items() if module.__name__.split(".")[2] == folder)
        for folder, title in cli.GROUPS.items()
    }
    assert listed == grouped
    assert sum(map(len, grouped.values())) == len(MODULES)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_help_of_a_command_ends_with_an_example_that_it_takes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", "")  # an example may add one
    check_example(name, MODULES[name].EXAMPLE)


@pytest.mark.parametrize("name", STUDIES.names())
def test_the_help_of_a_study_ends_with_an_example_that_it_takes(name: str) -> None:
    check_example(f"study {name}", study_example(STUDIES.get(name)))


def check_example(name: str, example: str) -> None:
    """The example is the last line of the help, and the command reads its arguments."""
    assert run(*name.split(), "--help").output.rstrip().endswith(f"Example:\n    {example}")
    words = shlex.split(example)
    assert words[:2] == ["python", "cli.py"]
    command, called = cli.load_command(name), name.split()
    arguments = words[2 + len(called) :]
    assert words[2 : 2 + len(called)] == called
    if name == "study":
        command, arguments = cli.load_command(f"study {arguments[0]}"), arguments[1:]
    command.make_context(name, arguments)  # raises for an option or a value that it does not know
