"""The word lists beside this file."""

from __future__ import annotations

from collections import defaultdict
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


@cache
def mutual(name: str) -> dict[str, tuple[str, ...]]:
    """A list of groups read in both directions: every head and member → what stands on the other side."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for head, members in groups(name):
        for member in members:
            found[head].append(member)
            found[member].append(head)
    return {word: tuple(others) for word, others in found.items()}


@cache
def conditioned(name: str) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """A list of `head`, `head +word` or `head -word` → (member, word that must follow, word that must not)."""
    found: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for head, members in groups(name):
        word, _, condition = head.partition(" ")
        needed, barred = condition[1:] * condition.startswith("+"), condition[1:] * condition.startswith("-")
        found[word] += [(member, needed, barred) for member in members]
    return {word: tuple(known) for word, known in found.items()}
