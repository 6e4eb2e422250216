"""Commands of pip in code, documents and messages install the pinned versions, and never ask an index for Touchstone."""

from __future__ import annotations

import re
import subprocess
import tomllib

from tests.sources import ROOT, listed

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]


def lines_with(pattern: str) -> list[str]:
    """Lines of tracked texts that match an extended regular expression, each with its file and number."""
    found = subprocess.run(
        ["git", "grep", "-InE", pattern], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return found.stdout.splitlines()


def test_a_package_of_an_extra_is_named_with_its_pin() -> None:
    pins = {requirement for extra in EXTRAS.values() for requirement in extra}
    names = "|".join(re.split("[=>]", pin)[0] for pin in pins)
    requirement = re.compile(rf"(?<![\w-])(?:{names})[=>]=[\d.]*\d")
    lines = lines_with(rf"({names})[=>]=[0-9]")
    assert {pin for line in lines if not line.startswith("pyproject.toml:") for pin in requirement.findall(line)} == pins
