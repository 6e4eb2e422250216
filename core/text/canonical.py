"""The canonical reading of a text: canonically equal texts are equal in it, and characters that nobody sees do not count.

A reading knows the place of each of its characters, also one without the Markdown and HTML inside of lines.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
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
_FOLDED: dict[int, str] = {**_BLANKS, **_UNSEEN, **_FULL_WIDTH, **_LIGATURES}
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
    marks of direction) are left out, blanks that do not break a line are blanks, full-width letters and Latin ligatures
    the plain ones.
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


_BLOCK_TAGS = "address|article|blockquote|dd|div|dl|dt|figure|footer|header|h[1-6]|hr|li|main|nav|ol|p|pre|section|table|tbody|tfoot|thead|tr|ul"
_INLINE_TAGS = (
    "a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|samp|small|span|strong|sub|sup|td|th|tt|u|var"
)
_TAG = re.compile(
    rf"<!--.*?-->|<(?P<close>/?)(?:(?P<block>{_BLOCK_TAGS})|(?P<inline>{_INLINE_TAGS}))(?:\s[^<>]*)?/?>|&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);",
    re.DOTALL | re.IGNORECASE,
)
_INLINE_MARKS = (
    re.compile(r"(?<!`)`(?P<text>[^`\n]+)`(?!`)"),
    re.compile(r"!?\[(?P<text>[^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\")?\)"),
    re.compile(r"(?<![\w*])(?P<mark>\*{1,3})(?=[^\s*])(?P<text>[^*\n]+?)(?<=[^\s*])(?P=mark)(?![\w*])"),
    re.compile(r"(?<![\w_])(?P<mark>_{1,3})(?=[^\s_])(?P<text>[^_\n]+?)(?<=[^\s_])(?P=mark)(?![\w_])"),
    re.compile(r"(?<![\w~])~~(?=[^\s~])(?P<text>[^~\n]+?)(?<=[^\s~])~~(?![\w~])"),
)


def replace_parts(reading: CanonicalText, changes: Sequence[tuple[Span, str]]) -> CanonicalText:
    """The reading with other texts in place of some of its parts, which are in order and do not overlap.

    An inserted text stands for no part of the original.
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    end = 0
    for span, new in changes:
        pieces += [reading.text[end : span.start], new]
        place = reading.original_span(span)
        starts += [*reading.starts[end : span.start], *[place.start] * len(new)]
        ends += [*reading.ends[end : span.start], *[place.end] * len(new)]
        end = span.end
    return CanonicalText(
        "".join([*pieces, reading.text[end:]]), (*starts, *reading.starts[end:]), (*ends, *reading.ends[end:])
    )


def without_tags(reading: CanonicalText) -> CanonicalText:
    """HTML's tags left out, those of blocks as blank lines and headings with Markdown's mark, and entities as their characters."""
    matches = list(_TAG.finditer(reading.text))
    if not matches:
        return reading
    starts, ends = list(reading.starts), list(reading.ends)
    # an end tag is located with the character before it, a start tag with the one after it; tags may follow each other
    anchor = 0
    for match, before in zip(matches, [None, *matches], strict=False):
        if before is None or before.end() != match.start():
            anchor = match.start() - 1
        if _is_inline(match) and match["close"] and anchor >= 0 and not reading.text[anchor].isspace():
            ends[anchor] = reading.ends[match.end() - 1]
    anchor = len(reading.text)
    for match, after in zip(reversed(matches), [None, *reversed(matches)], strict=False):
        if after is None or match.end() != after.start():
            anchor = match.end()
        if (
            _is_inline(match)
            and not match["close"]
            and anchor < len(reading.text)
            and not reading.text[anchor].isspace()
        ):
            starts[anchor] = reading.starts[match.start()]
    located = CanonicalText(reading.text, tuple(starts), tuple(ends))
    return replace_parts(located, [(Span(*match.span()), _in_place_of(match)) for match in matches])


def _is_inline(tag: re.Match[str]) -> bool:
    return (tag["inline"] or "br").lower() not in {"br", "td", "th"}


def _in_place_of(match: re.Match[str]) -> str:
    if match.group().startswith("&"):
        return html.unescape(match.group())
    block, inline, closes = (match["block"] or "").lower(), (match["inline"] or "").lower(), bool(match["close"])
    if block.startswith("h") and block[1:].isdigit() and not closes:
        return "\n\n# "
    if block:
        return "\n\n"
    if inline == "br":
        return "\n"
    return " " if inline in {"td", "th"} else ""


def without_inline_marks(reading: CanonicalText) -> CanonicalText:
    """Emphasis, code and links as their texts; the characters beside a mark stand for it too, so that a part is located with its marks."""
    for pattern in (*_INLINE_MARKS, *_INLINE_MARKS):  # emphasis may stand in a link, and a link in emphasis
        matches = list(pattern.finditer(reading.text))
        if not matches:
            continue
        starts, ends = list(reading.starts), list(reading.ends)
        changes: list[tuple[Span, str]] = []
        for match in matches:
            (start, end), (inner, inner_end) = match.span(), match.span("text")
            if inner < inner_end:
                starts[inner], ends[inner_end - 1] = reading.starts[start], reading.ends[end - 1]
            changes += [(Span(start, inner), ""), (Span(inner_end, end), "")]
        reading = replace_parts(CanonicalText(reading.text, tuple(starts), tuple(ends)), changes)
    return reading
