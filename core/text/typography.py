"""Quotes, apostrophes and dashes of typographers as those of a keyboard, each in its place."""

from __future__ import annotations

import re

from core.base import memoize

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ´`", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–−", "-"),
        **dict.fromkeys("―⸺", "—"),
    }
)
# a dash between blanks, and a doubled hyphen, are what typewriters have for an em dash
_DASH = re.compile(r"(?<=\s)-{1,3}(?=\s)|(?<=\w)--(?=\w)")


@memoize(256)
def plain_typography(text: str) -> str:
    """The text of the same length with plain quotes, apostrophes and hyphens, and one form of a dash."""
    return _DASH.sub(lambda match: "—".ljust(len(match.group())), text.translate(_PLAIN))
