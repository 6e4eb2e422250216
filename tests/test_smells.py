"""Smells that a program can find: copied bodies, tests that cannot fail, errors that are swallowed, silent excuses."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from mypy.api import run as run_mypy

from tests.sources import FILES, ROOT, SHIPPED, TESTS, comments, listed, module, name_of, nodes, text

LONG_BODY = 6
CHECKS = {"raises", "warns", "expect", "fail"}
"""Besides `assert`: pytest's and Playwright's ways to fail."""

BROAD = {
    "core/errors.py": "whatever a metric or a model raises must spoil only its own cell",
    "core/models/model_pool.py": "libraries raise anything for files that they do not expect",
    "core/scoring/plugins/processes/asking.py": "a scorer of another framework raises anything for an answer that it cannot read",
    "core/scoring/plugins/processes/child.py": "a process of its own, which runs other people's code",
    "core/scoring/plugins/extensions.py": "a package that cannot be imported must leave all others alone",
    "core/base/files/foreign_files.py": "a process of its own, whose libraries raise anything for files that they do not expect",
    "tests/attacks/hostile_files.py": "whatever a reader raises for a hostile file is what is looked for",
    "tests/faults/harness.py": "a forked process, which ends as Python would with whatever a fault raised",
}
"""Where everything is caught, once each, and why."""

VERSIONED = {"dist", "hypot", "sumprod"}
"""Functions of `math` whose last digit depends on the version of Python."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions(path: Path) -> tuple[Function, ...]:
    return tuple(node for node in nodes(path) if isinstance(node, Function))


def body(function: Function) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return function.body[1:] if ast.get_docstring(function) else function.body


def shape(statements: list[ast.stmt]) -> str:
    """The statements with the names of variables left out."""
    text = "\n".join(ast.dump(statement) for statement in statements)
    return re.sub(r"(Name\(id|arg\(arg)='\w+'", r"\1", text)


def called(node: ast.AST) -> set[str]:
    calls = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    return {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}


@cache
def able() -> set[str]:
    """The names of functions of the tests that can fail: they assert, or call one that does; of one name, any of them."""
    calls: dict[str, set[str]] = defaultdict(set)
    for path in TESTS:
        for function in functions(path):
            calls[function.name] |= called(function)
    found = {
        function.name
        for path in TESTS
        for function in functions(path)
        if any(isinstance(node, ast.Assert) for node in ast.walk(function))
    } | CHECKS
    while more := {name for name, names in calls.items() if names & found} - found:
        found |= more
    return found


def is_broad(caught: ast.expr | None) -> bool:
    """Whether a handler catches everything: bare, or by name, alone or among others."""
    if isinstance(caught, ast.Tuple):
        return any(is_broad(one) for one in caught.elts)
    return caught is None or (isinstance(caught, ast.Name) and caught.id in {"Exception", "BaseException"})


def test_no_two_functions_have_the_same_body() -> None:
    places = defaultdict(list)
    for path in FILES:
        for function in functions(path):
            statements = body(function)
            if statements and (statements[-1].end_lineno or 0) - statements[0].lineno + 1 >= LONG_BODY:
                places[shape(statements)].append(f"{name_of(path)}:{function.lineno} {function.name}")
    copies = [" = ".join(same) for same in places.values() if len(same) > 1]
    assert not copies, listed(copies)


def test_every_test_can_fail() -> None:
    unable = [
        f"{name_of(path)}:{function.lineno} {function.name}"
        for path in TESTS
        for function in functions(path)
        if function.name.startswith("test_") and function.name not in able()
    ]
    assert not unable, listed(unable)


def test_everything_is_caught_only_where_it_is_listed_with_a_reason() -> None:
    found = Counter(
        name_of(path)
        for path in FILES
        for handler in nodes(path)
        if isinstance(handler, ast.ExceptHandler) and is_broad(handler.type)
    )
    assert found == dict.fromkeys(BROAD, 1)


def test_a_module_opens_with_a_sentence() -> None:
    openings = {path: (ast.get_docstring(module(path)) or "").split("\n\n")[0] for path in FILES}
    others = [
        f"{name_of(path)} opens with {opening!r}"
        for path, opening in openings.items()
        if not re.search(r"[.:?]$", opening)
    ]
    assert not others, listed(others)


def test_an_exception_to_a_rule_has_its_reason_beside_it() -> None:
    silent = [
        f"{name_of(path)}: {comment}"
        for path in SHIPPED
        if re.search(r"# (noqa|type: ignore)", text(path))  # to read a file by tokens takes long
        for comment in comments(path)
        if re.match(r"# (noqa|type: ignore)", comment)
        and not re.match(r"# (noqa: [\w, ]+|type: ignore\[[\w, -]+\])  # \w", comment)
    ]
    assert not silent, listed(silent)


def test_nothing_is_left_to_do_in_the_code() -> None:
    left = [
        f"{name_of(path)}: {comment}"
        for path in FILES
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text(path))
        for comment in comments(path)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", comment)
    ]
    assert not left, listed(left)


def test_no_number_is_computed_by_what_another_python_rounds_in_another_way() -> None:
    used = [
        f"{name_of(path)}:{node.lineno}"
        for path in SHIPPED
        for node in nodes(path)
        if (isinstance(node, ast.ImportFrom) and node.module == "math" and VERSIONED & {one.name for one in node.names})
        or (isinstance(node, ast.Attribute) and ast.unparse(node.value) == "math" and node.attr in VERSIONED)
    ]
    assert not used, listed(used)


@pytest.mark.slow
def test_types_are_checked_with_an_error_for_a_sum_of_floats(tmp_path: Path) -> None:
    calls = {
        "sum(number > 1 for number in shares)": False,
        "sum(counts.values())": False,
        "sum(map(len, names))": False,
        "sorted([names], key=lambda some: sum(name == 'a' for name in some))": False,
        "sum(shares)": True,
        "sum(2 * share for share in shares)": True,
        "sum(pair)": True,
        "sum(mixed)": True,
        "sum(map(float, names))": True,
        "sum(untyped)": True,
        "sorted([shares], key=lambda some: sum(some))": True,
    }
    head = [
        "from typing import Any",
        "shares: list[float]; counts: dict[str, int]; names: list[str]; pair: tuple[float, float]; mixed: list[int | float]",
        "untyped: list[Any]",
    ]
    file = tmp_path / "sums.py"
    file.write_text("\n".join([*head, *(f"print({call})" for call in calls)]))
    output, _, _ = run_mypy(["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path), str(file)])
    lines = {int(number) for number in re.findall(r"sums\.py:(\d+): error: From Python 3\.12", output)}
    assert lines == {place for place, is_error in enumerate(calls.values(), len(head) + 1) if is_error}, output
