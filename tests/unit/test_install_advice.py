"""Commands of pip in code, documents and messages install the pinned versions, and never ask an index for Touchstone."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest

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


def test_a_package_of_an_extra_is_named_with_its_pin() -> None:
    pins = {pin for extra in PROJECT["optional-dependencies"].values() for pin in extra}
    names = "|".join(re.split("[=>]", pin)[0] for pin in pins)
    lines = [line for line in lines_with(rf"({names})[=>]=[0-9]") if not line.startswith("pyproject.toml:")]
    requirement = re.compile(rf"(?<![\w-])(?:{names})[=>]=[\d.]*\d")
    assert {pin for line in lines for pin in requirement.findall(line)} == pins


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
