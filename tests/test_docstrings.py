"""Docstrings open with a verb or with the thing: "Return the rows of …", "Rows of …", "True if …", "Reason why …"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.sources import SHIPPED, listed, name_of, nodes

NEVER_FIRST = frozenset("what which who whom whose how where that why whether when".split())
"""First words that make a reader turn the sentence round: "What a metric reads" for "Text that a metric reads"."""

ALLOWED: dict[tuple[str, str], str] = {}
"""Reasons by file and name of what is documented."""


def test_a_docstring_opens_with_a_verb_or_the_thing() -> None:
    offenders = [
        f"{name_of(path)}: {name} opens with {first_word(docstring)!r}: {docstring.splitlines()[0]}"
        for path in SHIPPED
        for name, docstring in docstrings(nodes(path))
        if first_word(docstring) in NEVER_FIRST and (name_of(path), name) not in ALLOWED
    ]
    assert not offenders, listed(offenders)


@pytest.mark.parametrize(
    ("docstring", "word"),
    [("Whether a cell is filled.", "whether"), ('"What" is a word.', "what"), ("`how` is an argument.", "how")],
)
def test_the_first_word_is_read_without_case_and_marks(docstring: str, word: str) -> None:
    assert first_word(docstring) == word


def test_modules_classes_functions_and_assigned_names_have_docstrings() -> None:
    source = '''"""One."""\nRATE = 1\n"""Two."""\nclass A:\n    """Three."""\n    def b():\n        """Four."""\n'''
    found = docstrings(tuple(ast.walk(ast.parse(source))))
    assert dict(found) == {"the module": "One.", "RATE": "Two.", "A": "Three.", "b": "Four."}


def docstrings(tree: tuple[ast.AST, ...]) -> Iterator[tuple[str, str]]:
    """Names and docstrings of the module, its classes and functions, and of the names that are assigned in these."""
    for node in tree:
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if docstring := ast.get_docstring(node):
            yield "the module" if isinstance(node, ast.Module) else node.name, docstring
        for assigned, after in pairwise(node.body):
            match assigned, after:
                case ast.Assign(targets=[target]) | ast.AnnAssign(target=target), ast.Expr(
                    value=ast.Constant(value=str(docstring))
                ):
                    yield ast.unparse(target), docstring


def first_word(docstring: str) -> str:
    return docstring.split()[0].strip(".,:;`'\"“”").lower()
