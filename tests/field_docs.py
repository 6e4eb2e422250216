"""Lines under the fields of a class."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise


def field_docs(record: type) -> dict[str, str]:
    """The line under each field of a class, by the name of the field, in order; a field without one is absent."""
    [definition] = ast.parse(inspect.getsource(record)).body
    assert isinstance(definition, ast.ClassDef)
    return {
        field.target.id: text.value.value
        for field, text in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
