"""A record of a file: its fields by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from core.errors import TouchstoneError

Row = Mapping[str, object]
Line = tuple[int, Row | str]
"""Where a record begins (the line of a text file, the number of a list's element or of a table's row, from 1), and the
record or the reason why there is none."""


def distinct(names: Iterable[str]) -> list[str]:
    """The names of a table's columns; several may have none. Raises TouchstoneError where two bear the same name."""
    listed = list(names)
    twice = [name for name, number in Counter(listed).items() if name and number > 1]
    if twice:
        raise TouchstoneError(f"Two columns are called {twice[0]!r}. Give each column a name of its own.")
    return listed
