"""Commands of pip in code, documents and messages install versions that fit, and never ask an index for Touchstone."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.sources import ROOT, listed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME: str = PROJECT["name"]
PACKAGE = "touchstone"
# a name that pip looks up, with no address behind it; what lies at an address has the name of the distribution
FROM_AN_INDEX = re.compile(
    rf"""pip3? install [^|&;#`]*(?<![\w./-])(?:{PACKAGE}|{NAME})(?:\[\w+\])?(?=["'`\s=<>~!]|$)(?! @ )"""
    rf"|(?<![\w./-]){PACKAGE}(?:\[\w+\]| @ )"
)


def lines_with(pattern: str) -> list[str]:
    """Lines of tracked texts that match an extended regular expression, each with its file and number."""
    command = ["git", "grep", "-InE", pattern]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.splitlines()


def test_a_package_of_an_extra_is_named_by_one_version_which_is_in_its_range() -> None:
    lines = {line for extra in PROJECT["optional-dependencies"].values() for line in extra if not line.startswith(NAME)}
    ranges = {requirement.name: requirement for requirement in map(Requirement, lines)}
    of_a_package = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, ranges))})([=>]=[\d.]*\d)")
    named = {
        match.groups()
        for line in lines_with(rf"({'|'.join(ranges)})[=>]=[0-9]")
        if not re.match(r"pyproject\.toml:|\.ci/\S+\.lock:", line)
        for match in of_a_package.finditer(line)
    }
    assert len({name for name, _ in named}) == len(named), sorted(named)
    outside = [(name, version) for name, version in named if version.strip(">=") not in ranges[name].specifier]
    assert outside == []


@pytest.mark.parametrize("requirement", [PACKAGE, NAME, f"'{PACKAGE}[onnx]'", f"{NAME}[onnx]", f"-U {NAME}==0.2.0"])
def test_a_name_alone_is_recognised(requirement: str) -> None:
    assert FROM_AN_INDEX.search(f"`pip install {requirement}`")


@pytest.mark.parametrize(
    "requirement", [f"'{NAME}[onnx] @ git+https://HOST/x'", "'./touchstone_bench-0.2.0.whl[onnx]'"]
)
def test_an_address_and_a_file_are_none(requirement: str) -> None:
    assert not FROM_AN_INDEX.search(f"`pip install {requirement}`")


def test_nothing_asks_an_index_for_touchstone() -> None:
    lines = [line for line in lines_with(PACKAGE) if FROM_AN_INDEX.search(line)]
    assert lines == [], listed(lines)
