"""Markdown and HTML inside of lines: a reading of a text without them that knows the place of each character."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from core.text.canonical import CanonicalText
from core.types import Span

_BLOCK_TAGS = "address|article|blockquote|dd|div|dl|dt|figure|footer|header|h[1-6]|hr|li|main|nav|ol|p|pre|section|table|tbody|tfoot|thead|tr|ul|html|head|body|title"
_WRAPPERS = (
    "summary|details|answer|response|output|result|document|text|items?|points?|bullets?"  # where both tags are there
)
_INLINE_TAGS = (
    "a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|samp|small|span|strong|sub|sup|td|th|tt|u|var"
)
_TAG = re.compile(
    rf"<!--.*?-->|<(?P<close>/?)(?:(?P<block>{_BLOCK_TAGS}|(?P<wrapper>{_WRAPPERS}))|(?P<inline>{_INLINE_TAGS}))(?:\s[^<>]*)?/?>|&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);",
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

    A text that takes the place of nothing stands for nothing of the original.
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
    matches = [
        tag for tag in _TAG.finditer(reading.text) if not tag["wrapper"] or _is_paired(reading.text, tag["wrapper"])
    ]
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


def _is_paired(text: str, name: str) -> bool:
    return re.search(rf"<{name}(?:\s[^<>]*)?>", text) is not None and f"</{name}>" in text


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
    """Emphasis, code and links as their texts."""
    return without_marks_around(
        reading, (*_INLINE_MARKS, *_INLINE_MARKS)
    )  # emphasis may stand in a link, and a link in it


def without_marks_around(reading: CanonicalText, patterns: Sequence[re.Pattern[str]]) -> CanonicalText:
    """The reading with the group `text` in place of each match; its outer characters stand for the marks too, so that a part is located with its marks."""
    for pattern in patterns:
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
