"""A record of a file: its fields by name."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, object]
Line = tuple[int, Row | str]
"""Where a record begins (the line of a text file, the number of a list's element or of a table's row, from 1), and the
record or the reason why there is none."""
