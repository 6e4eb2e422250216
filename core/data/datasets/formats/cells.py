"""Values that a tool wrote into a cell as text: JSON, and lists in Python's or numpy's notation."""

from __future__ import annotations

import ast
import json
import re

from core.base import parse_expression

_LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_BETWEEN = re.compile(r"[\s,]*")
_LIST = re.compile(r"(?:array\()?\[(.*)\](?:,\s*dtype=[^,\])]+\))?", re.DOTALL)


def json_value(cell: object) -> object:
    """The list or object that a cell holds as JSON; any other cell as it is."""
    if not isinstance(cell, str) or cell.strip()[:1] not in {"[", "{"}:
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def cell_value(cell: object) -> object:
    """The list or object that a cell holds as JSON, or as Python writes it; any other cell as it is."""
    value = json_value(cell)
    if not isinstance(value, str) or value.strip()[:1] not in {"[", "{"}:
        return value
    try:
        return ast.literal_eval(parse_expression(value.strip()))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return value


def listed_texts(cell: object) -> object:
    """The texts of a list written as JSON, as Python writes it, or as numpy does, without commas; any other cell as it is."""
    value = json_value(cell)
    match = _LIST.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return value
    texts: list[str] = []
    place = 0
    for literal in _LITERAL.finditer(match[1]):
        if not _BETWEEN.fullmatch(match[1], place, literal.start()):
            return value
        try:
            tree = parse_expression(literal[0])
        except (SyntaxError, ValueError):
            return value
        texts.append(str(tree.value) if isinstance(tree, ast.Constant) else literal[0])
        place = literal.end()
    return texts if _BETWEEN.fullmatch(match[1], place) else value
