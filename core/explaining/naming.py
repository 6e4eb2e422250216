"""Whether an explanation names the words that were edited, by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.english.closed import FUNCTION_WORDS
from core.english.stems import stems, stems_of
from core.text import words
from core.types import Edit

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Named:
    """Of one edit the words that it brought in and took away, and which of them an explanation uses, in some form."""

    edit: Edit
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]
    used: frozenset[str]

    @property
    def holds(self) -> bool:
        """Whether at least half of the inserted or half of the deleted words are used."""
        return any(
            side and len(self.used.intersection(side)) >= _HALF * len(side) for side in (self.inserted, self.deleted)
        )


def named(explanation: str, seed: str, edits: Sequence[Edit]) -> list[Named]:
    """For each edit of `seed` whether the explanation names it.

    Function words count only where an edit changes nothing else. A description in other words is not recognised, and
    words that stand there for another reason are.
    """
    spoken = stems_of(explanation)
    return [_named(edit, words(edit.span.of(seed)), words(edit.new), spoken) for edit in edits]


def _named(edit: Edit, old: tuple[str, ...], new: tuple[str, ...], spoken: frozenset[str]) -> Named:
    inserted, deleted = _only(new, old), _only(old, new)
    telling = {word for word in (*inserted, *deleted) if word not in FUNCTION_WORDS}
    if telling:
        inserted, deleted = (tuple(word for word in side if word in telling) for side in (inserted, deleted))
    used = frozenset(word for word in (*inserted, *deleted) if stems(word) & spoken)
    return Named(edit, inserted, deleted, used)


def _only(here: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    """The words of one side that the other lacks, once each."""
    return tuple(dict.fromkeys(word for word in here if word not in there))
