"""Layout of a text: marks of Markdown, lists and typography that carry no word, and the units that lines and list items make."""

from __future__ import annotations

import re
from itertools import pairwise

from core.base import memoize
from core.text.segmentation import sentences
from core.types import Span

_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ´`", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–−", "-"),
        **dict.fromkeys("―⸺", "—"),
    }
)
# a dash between blanks, and a doubled hyphen, are what typewriters have for an em dash
_DASH = re.compile(r"(?<=\s)-{1,3}(?=\s)|(?<=\w)--(?=\w)")
_LIST_MARK = re.compile(
    r"^[ \t>]*(?:[-*+•‣◦▪●·–—][ \t]+(?:\[[ xX]\][ \t]+)?|\(?(?:\d{1,2}|[a-z])[.)][ \t]+)", re.MULTILINE
)
_HEADING_MARK = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t:-]*$", re.MULTILINE)
_ADDRESS = re.compile(r"!?\[(?=[^\]\n]*\]\()|(?<=\w)\]\([^)\s]*\)|\]\([^)\s]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>")
_EMPHASIS = re.compile(
    r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=[\w.!?,])_{1,3}(?!\w)|~~|^[ \t]*>+|\|", re.MULTILINE
)
_CODE = re.compile(r"`+")
_MARKS = (_RULE, _HEADING_MARK, _LIST_MARK, _ADDRESS, _TAG, _CODE, _EMPHASIS)
_UNIT_END = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*\|)")


@memoize(256)
def plain_reading(text: str) -> str:
    """The text of the same length in which marks of Markdown, HTML and lists are blanks, and quotes and dashes plain ones.

    Every word stands where it stood.
    """
    for mark in _MARKS:
        text = mark.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return _DASH.sub(lambda match: "—".ljust(len(match.group())), text.translate(_TYPOGRAPHY))


@memoize(4_096, len)
def layout_units(text: str) -> tuple[Span, ...]:
    """The sentences of a text that also end at a blank line, a list item, a heading and a row of a table; headings are none.

    A text of headings alone keeps them. A newline within a paragraph ends nothing, as in `sentences`.
    """
    reading = plain_reading(text)
    headings = [Span(match.start(), _line_end(text, match.end())) for match in _HEADING_MARK.finditer(text)]
    cuts = {0, len(text), *(match.start() for match in _LIST_MARK.finditer(text))}
    cuts |= {match.end() for match in _UNIT_END.finditer(text)}
    cuts |= {place for heading in headings for place in (heading.start, heading.end)}
    places = sorted(cuts)
    blocks = [Span(start, end) for start, end in pairwise(places)]
    inside = [block for block in blocks if not any(heading.start <= block.start < heading.end for heading in headings)]
    units = _sentences_of(reading, inside)
    return units or _sentences_of(reading, blocks)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _sentences_of(reading: str, blocks: list[Span]) -> tuple[Span, ...]:
    """The sentences of each block without the blanks around them."""
    spans = []
    for block in blocks:
        for sentence in sentences(block.of(reading)):
            text = sentence.of(block.of(reading))
            start = block.start + sentence.start + len(text) - len(text.lstrip())
            if text.strip():
                spans.append(Span(start, start + len(text.strip())))
    return tuple(spans)
