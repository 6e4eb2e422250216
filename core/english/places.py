"""Names that tell where something is: a place after "in", "at" or "near" at the end of its phrase, or as in "its Oslo plant"."""

from __future__ import annotations

import re

from core.english.names import PLACES, Name, names

_BEFORE = re.compile(r"\b(?:[Ii]n|[Nn]ear|[Aa]t)(?: the)? $")
_OWNED = re.compile(r"\b(?:its|his|her|their) $")
_AFTER = re.compile(
    r"\s*(?:[.;:)]|$|(?:and|but|on|at|for|by|from|to|when|after|before|because|while|until|with|during|last|this|that|has|have"
    r"|is|are|was|were|will|had|\w{2,8}ed)\b)"
)
_MARGIN = 12  # characters looked at on either side


def places(text: str, context: str) -> tuple[Name, ...]:
    """The places that stand as circumstances in a text, in order."""
    return tuple(name for name in names(text, context) if name.sort in PLACES and _is_circumstance(text, name))


def _is_circumstance(text: str, name: Name) -> bool:
    before = text[max(0, name.span.start - _MARGIN) : name.span.start]
    after = text[name.span.end : name.span.end + _MARGIN]
    owned = _OWNED.search(before) and after[:2].strip().islower()
    return bool(owned or (_BEFORE.search(before) and _AFTER.match(after)))
