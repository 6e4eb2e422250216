"""Whether what an edit brings in stands in the document: intrinsic and extrinsic errors, as BUMP tells them apart."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from core.english.closed import FUNCTION_WORDS
from core.english.stems import stems, stems_of
from core.text import words
from core.types import Edit

Origin = Literal["intrinsic", "extrinsic"]


def brought_in(edit: Edit, summary: str) -> tuple[str, ...]:
    """The words of an edit that were not in the words that it replaces, function words left out, in order."""
    left = Counter(words(edit.span.of(summary)))
    new = []
    for word in words(edit.new):
        if left[word]:
            left[word] -= 1
        elif word not in FUNCTION_WORDS:
            new.append(word)
    return tuple(new)


def origin(edit: Edit, summary: str, document: str) -> Origin | None:
    """Intrinsic where every content word that an edit brings in stands in the document in some inflection.

    None where it brings in none: it deletes, negates or turns a pronoun.
    """
    new = brought_in(edit, summary)
    if not new:
        return None
    return "intrinsic" if all(stands_in(document, word) for word in new) else "extrinsic"


def stands_in(document: str, word: str) -> bool:
    """Whether a lower-case word stands in a document in some inflection."""
    return not stems(word).isdisjoint(stems_of(document))
