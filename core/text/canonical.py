"""The canonical reading of a text: canonically equal texts are equal in it, and characters that nobody sees do not count."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.base import memoize
from core.types import Context, Example, Span

_BLANKS = dict.fromkeys(
    map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "
)
_UNSEEN = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff",
    ),
    "",
)
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_LETTERS_OF_FORMULAS = {
    code: plain for code in range(0x1D400, 0x1D800) if (plain := unicodedata.normalize("NFKC", chr(code))).isascii()
}
_ARABIC_SEPARATORS = {0x066B: ".", 0x066C: ","}
_FOLDED: dict[int, str] = {
    **_BLANKS,
    **_UNSEEN,
    **_FULL_WIDTH,
    **_LIGATURES,
    **_LETTERS_OF_FORMULAS,
    **_ARABIC_SEPARATORS,
}
_FOLDED_CHARACTER = re.compile("[" + "".join(map(re.escape, map(chr, _FOLDED))) + "]")
# a character with the marks and the vowels and finals of Hangul that may be joined to it
_CLUSTER = re.compile(r"[^\u1160-\u11ff][\u1160-\u11ff]+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """The canonical reading of a text; character `i` of it stands for `original[starts[i]:ends[i]]`."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original_span(self, span: Span) -> Span:
        """The part of the original that a part of the reading stands for."""
        if span.start < span.end:
            return Span(self.starts[span.start], self.ends[span.end - 1])
        place = self.starts[span.start] if span.start < len(self.starts) else (self.ends[-1] if self.ends else 0)
        return Span(place, place)

    def read_by(self, reading: CanonicalText) -> CanonicalText:
        """A reading of this reading as one of the original."""
        places = [self.original_span(Span(*place)) for place in zip(reading.starts, reading.ends, strict=True)]
        return CanonicalText(reading.text, tuple(place.start for place in places), tuple(place.end for place in places))

    def reading_span(self, span: Span) -> Span:
        """The part of the reading that stands for a part of the original."""
        start = bisect_right(self.ends, span.start)
        return Span(start, max(start, bisect_left(self.starts, span.end)))


def is_canonical(text: str) -> bool:
    """Tell whether a text is its own canonical reading."""
    return text.isascii() or (unicodedata.is_normalized("NFC", text) and not _FOLDED_CHARACTER.search(text))


def canonical(text: str) -> str:
    """The canonical reading of a text.

    It is in Unicode's normal form C (UAX 15); characters that change only how text is laid out (zero-width, soft hyphens,
    marks of direction) are left out, blanks that do not break a line are blanks, full-width letters, Latin ligatures
    and letters in the bold or italics of formulas the plain ones, and Arabic separators of numbers a comma and a point.
    """
    if is_canonical(text):
        return text
    return unicodedata.normalize("NFC", text.translate(_FOLDED))


@memoize(128)
def read_canonical(text: str) -> CanonicalText:
    """The canonical reading of a text with the places of its characters in the original."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        piece = unicodedata.normalize("NFC", text[start:end].translate(_FOLDED))
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
    return CanonicalText("".join(pieces), tuple(starts), tuple(ends))


def _clusters(text: str) -> list[tuple[int, int]]:
    """Half-open offsets of the runs that are composed each for itself: a character with the marks after it."""
    places: list[tuple[int, int]] = []
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        # a character that nobody sees keeps no mark from the letter before it
        if places and all(unicodedata.combining(char) or ord(char) in _UNSEEN for char in match.group()):
            places[-1] = (places[-1][0], end)
        else:
            places.append((start, end))
    return places


@dataclass(frozen=True, slots=True)
class ReadExample:
    """An example whose texts are readings, and the readings of the document and the summary; None for a text that is read as it is."""

    example: Example
    document: CanonicalText | None
    summary: CanonicalText | None


def read_example(example: Example, document: CanonicalText | None, summary: CanonicalText | None) -> ReadExample | None:
    """The example with readings in place of its texts; None where there are none. Claims that came with it stay as they are."""
    if document is None and summary is None:
        return None
    contexts = (
        tuple(Context(context.name, document.reading_span(context.span)) for context in example.contexts)
        if document
        else example.contexts
    )
    read = replace(
        example,
        document=document.text if document else example.document,
        summary=summary.text if summary else example.summary,
        contexts=contexts,
    )
    return ReadExample(read, document, summary)


def read_again(text: str, read: Callable[[str], CanonicalText | None]) -> CanonicalText | None:
    """The canonical reading of a text, read once more by `read`; None where both leave it as it is."""
    if is_canonical(text):
        return read(text)
    first = read_canonical(text)
    second = read(first.text)
    return first.read_by(second) if second else first
