"""The word lists beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "data"


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a list without blank ones and comments."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def groups(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The lines `head: one, two` of a list as (head, members)."""
    parted = (line.partition(":") for line in lines(name))
    return tuple((head.strip(), tuple(word.strip() for word in rest.split(","))) for head, _, rest in parted)
