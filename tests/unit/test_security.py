"""Every row of the threat model in SECURITY.md names tests, and these exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.sources import ROOT

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_LINES = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## Limits")[0].splitlines()
ROWS = [line for line in _LINES if line.startswith("| ") and not line.startswith("| who |")]


def test_the_table_is_read_as_a_whole() -> None:
    assert len(ROWS) >= 20
    assert all(len(row.strip("|").split("|")) == 4 for row in ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_threat_model_is_held_by_tests_that_exist(row: str) -> None:
    held_by = row.strip("|").split("|")[-1]
    named = _TEST.findall(held_by)
    assert named
    assert len(named) == held_by.count("::")
    for file, test in named:
        functions = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        assert test in {node.name for node in functions if isinstance(node, ast.FunctionDef)}
