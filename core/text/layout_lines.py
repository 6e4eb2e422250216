"""The lines of a text: contents without list marks, headings, table rows, and the lines that go on with the one before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from core.types import Span

_BULLET = r"[-–—*+•‣⁃◦∙·▪▫■□●○◆◇➢➤►▶→✓✔✅❌]"
_NUMERAL = r"(?P<open>\(?)(?P<numeral>\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})(?P<close>[.)])|\d{1,2}(?:\.\d{1,2})+[.)]|\d\ufe0f?\u20e3|[\u2460-\u2473]"
_MARK = re.compile(rf"(?:{_BULLET}|{_NUMERAL})[ \t\u00a0]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_FENCE = re.compile(r"(?:```|~~~)")
_RULE = re.compile(r"(?:[-*_=][ \t]*){3,}|\[[^\]\n]+\]:[ \t]\S+")
_ATX = re.compile(r"#{1,6}[ \t]+")
_BOLD_LINE = re.compile(r"(\*\*|__)(?=\S)[^*_]+\1:?")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?")
_PIPE = re.compile(r"[ \t]*\|[ \t]*")
_TABS = re.compile(r" *\t+ *")
_TURN = re.compile(
    r"(?:\[?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?\]?,?[ \t]+(?:[-–][ \t]+)?)?[A-Z][\w.’' -]{0,40}:[ \t]+\S"
)
_PAGE_NUMBER = re.compile(r"(?:[Pp]age[ \t]+|[-–—][ \t]*)?\d{1,4}(?:[ \t]*(?:/|of)[ \t]*\d{1,4})?(?:[ \t]*[-–—])?")
_LABEL = re.compile(
    r"(?:(?:executive |short |brief )?summary|tl;?dr|overview|highlights?|key (?:points|takeaways|findings|facts)|main points|"
    r"takeaways?|conclusions?|background|introduction|abstract|results?|methods?|discussion|next steps|action items|decisions)\W*",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok)\b[!,.:]?\s+)?(?:here(?:['’]s| is| are)|below (?:is|are)|the following (?:is|are))\b"
    r"[^.!?\n]{0,80}\b(?:summar\w+|overview|takeaways|highlights|points|bullets)\b[^.!?\n]{0,80}:",
    re.IGNORECASE,
)
STOP = re.compile(r"[.!?…。！？؟।॥][\"'”’»)\]」』]*$")
_GOES_ON = re.compile(
    r"(?:[,(–—-]|\b(?:a|an|and|as|at|by|for|from|in|into|is|of|on|or|that|the|to|was|were|which|who|with))$"
)
_MAX_LABEL_WORDS, _MAX_BOLD_WORDS, _MAX_CAPITALS_WORDS = 4, 12, 6
_MIN_WRAPPED_CHARACTERS = 40
_ROMAN = {"i": 1, "v": 5, "x": 10}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a text; its content is empty where it is blank or a mark alone."""

    content: Span
    joins: bool = False
    is_marked: bool = False
    is_heading: bool = False
    pipes: tuple[Span, ...] = ()


def read_lines(text: str) -> list[TextLine]:
    """The lines of a text, in order."""
    spans = [_stripped(text, Span(*match.span())) for match in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", text)]
    lines = [TextLine(span) for span in spans]
    lines = _without_fences(text, lines)
    lines = _with_tables(text, lines)
    lines = _without_marks(text, lines)
    lines = _with_headings(text, lines)
    return _with_joins(text, lines)


def _stripped(text: str, span: Span) -> Span:
    content = span.of(text)
    start = span.end - len(content.lstrip())
    return Span(start, max(start, span.start + len(content.rstrip())))


def _is_blank(line: TextLine) -> bool:
    return line.content.start == line.content.end


def _without_fences(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines of a block of code go on with its first one."""
    read: list[TextLine] = []
    inside = False
    for line in lines:
        if _FENCE.match(text, line.content.start):
            inside = not inside
            read.append(TextLine(Span(line.content.start, line.content.start), is_marked=True))
        else:
            read.append(replace(line, joins=True, is_marked=True) if inside and not _is_blank(line) else line)
    return read


def _with_tables(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    read = list(lines)
    rows: set[int] = set()
    for place, line in enumerate(lines):
        content = line.content.of(text)
        if "|" in content and _TABLE_RULE.fullmatch(content):
            read[place] = TextLine(Span(line.content.start, line.content.start), is_marked=True)
            if place and "|" in lines[place - 1].content.of(text):
                rows.add(place - 1)
                read[place - 1] = replace(_row(text, lines[place - 1]), is_heading=True)
        elif "|" in content and (
            place - 1 in rows
            or _is_table_rule(text, lines, place - 1)
            or (content[0] == content[-1] == "|" and len(content) > 1)
        ):
            rows.add(place)
            read[place] = _row(text, line)
    for first, end in _tab_rows(text, lines):
        read[first:end] = [_row(text, line, _TABS) for line in lines[first:end]]
        names_columns = not _has_digit(text, lines[first]) and any(_has_digit(text, line) for line in lines[first:end])
        read[first] = replace(read[first], is_heading=names_columns)
    return read


def _tab_rows(text: str, lines: Sequence[TextLine]) -> Iterator[tuple[int, int]]:
    """Start and end of the runs of two lines or more with equally many tabs between their cells."""
    counts = [len(_TABS.findall(line.content.of(text))) for line in lines]
    start = 0
    for count, run in groupby(counts):
        end = start + len(list(run))
        if count and end - start > 1:
            yield start, end
        start = end


def _has_digit(text: str, line: TextLine) -> bool:
    return any(character.isdigit() for character in line.content.of(text))


def _is_table_rule(text: str, lines: Sequence[TextLine], place: int) -> bool:
    content = lines[place].content.of(text) if place >= 0 else ""
    return "|" in content and _TABLE_RULE.fullmatch(content) is not None


def _row(text: str, line: TextLine, separator: re.Pattern[str] = _PIPE) -> TextLine:
    pipes = [Span(*match.span()) for match in separator.finditer(text, line.content.start, line.content.end)]
    start, end = line.content.start, line.content.end
    if pipes and pipes[0].start == start:
        start = pipes.pop(0).end
    if pipes and pipes[-1].end == end:
        end = pipes.pop().start
    return TextLine(Span(start, max(start, end)), is_marked=True, pipes=tuple(pipes))


def _without_marks(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """Without the marks of lists, as many as stand before a content; a numeral counts where it begins or goes on with a list."""
    read: list[TextLine] = []
    last: dict[tuple[str, str, str], int] = {}
    last_places: dict[tuple[str, int], int] = {}  # the place of the last mark of each value, by its closing sign
    for place, line in enumerate(lines):
        mark = _MARK.match(text, line.content.start, line.content.end)
        if mark and mark["numeral"]:
            last_places.update(dict.fromkeys(((mark["close"], value) for value in _values(mark["numeral"])), place))
    for place, line in enumerate(lines):
        start, end = line.content.start, line.content.end
        if line.is_marked or start == end:
            read.append(line)
            continue
        if quote := _QUOTE.match(text, start, end):
            start = quote.end()
        if _RULE.fullmatch(text, start, end) and not (place and _underlines(text, lines[place - 1], Span(start, end))):
            read.append(TextLine(Span(start, start), is_marked=True))
            continue
        while mark := _MARK.match(text, start, end):
            if mark["numeral"] and not _counts(mark, last, _next_place(mark, last_places) > place):
                break
            start = mark.end()
        read.append(replace(line, content=Span(start, end), is_marked=start > line.content.start))
    return read


def _underlines(text: str, before: TextLine, line: Span) -> bool:
    return not _is_blank(before) and re.fullmatch(r"={3,}|-{3,}", line.of(text)) is not None


def _next_place(mark: re.Match[str], last_places: dict[tuple[str, int], int]) -> int:
    """The last place of a mark that comes after this one; -1 where there is none."""
    return max(last_places.get((mark["close"], value + 1), -1) for value in _values(mark["numeral"]))


def _counts(mark: re.Match[str], last: dict[tuple[str, str, str], int], is_followed: bool) -> bool:
    """True where a numeral is a first one or comes after that of another line, or figures that the next number follows.

    A letter or Roman numeral with a full stop is a first one only where a second follows.
    """
    values = _values(mark["numeral"])
    style = (
        mark["open"],
        mark["close"],
        "digit" if mark["numeral"].isdigit() else "upper" if mark["numeral"].isupper() else "lower",
    )
    for value in values:
        if last.get(style) == value - 1 and value > 1:
            last[style] = value
            return True
    if mark["numeral"].isdigit() and is_followed:  # a list that was cut out of a longer one
        last[style] = int(mark["numeral"])
        return True
    if 1 not in values:
        return False
    if not mark["numeral"].isdigit() and mark["close"] == "." and not is_followed:
        return False
    last[style] = 1
    return True


def _values(numeral: str) -> set[int]:
    if numeral.isdigit():
        return {int(numeral)}
    small = numeral.lower()
    values = {ord(small) - ord("a") + 1} if len(small) == 1 else set[int]()
    if set(small) <= _ROMAN.keys():
        digits = [_ROMAN[letter] for letter in small]
        values.add(digits[-1] + sum(-digit if digit < following else digit for digit, following in pairwise(digits)))
    return values


def _with_headings(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    read = list(lines)
    for place, line in enumerate(lines):
        content = line.content.of(text)
        if not content or line.pipes:
            continue
        if mark := _ATX.match(content):
            start = line.content.start + mark.end()
            read[place] = TextLine(Span(start, line.content.end), is_marked=True, is_heading=True)
            continue
        following = next((other for other in lines[place + 1 :] if not _is_blank(other)), None)
        if following is None or line.joins:
            continue
        if re.fullmatch(r"={3,}|-{3,}", following.content.of(text)) and lines[place + 1] is following:
            read[place] = replace(line, is_marked=True, is_heading=True)
            read[place + 1] = TextLine(Span(following.content.start, following.content.start), is_marked=True)
        elif _is_numbered_title(text, line, following):
            read[place] = replace(line, is_heading=True)
        elif not line.is_marked and _is_label(content, following.content.of(text)):
            read[place] = replace(line, is_marked=True, is_heading=True)
    return read


def _is_numbered_title(text: str, line: TextLine, following: TextLine) -> bool:
    """True for words in capitals behind a number, where no item of the same list comes next."""
    content = line.content.of(text)
    mark, next_mark = (
        text[text.rfind("\n", 0, of.content.start) + 1 : of.content.start].strip() for of in (line, following)
    )
    is_title = content.isupper() and content.replace(" ", "").isalpha() and len(content.split()) <= _MAX_CAPITALS_WORDS
    return (
        is_title and re.fullmatch(r"\d{1,2}[.)]", mark) is not None and re.fullmatch(r"\d{1,2}[.)]", next_mark) is None
    )


def _is_label(content: str, following: str) -> bool:
    """True for a line of its own that names what follows: in bold, in capitals, before a colon, or a usual name of a part."""
    words = len(content.split())
    if _BOLD_LINE.fullmatch(content):
        return words <= _MAX_BOLD_WORDS and not STOP.search(content.rstrip("*_"))
    if content.endswith(":"):
        return words <= _MAX_LABEL_WORDS or _PREAMBLE.fullmatch(content) is not None
    letters = [character for character in content if character.isalpha()]
    in_capitals = len(letters) > 3 and content.isupper() and not following.isupper()  # not "USA"
    return bool(_LABEL.fullmatch(content)) or (
        in_capitals and words <= _MAX_CAPITALS_WORDS and not STOP.search(content) and not re.search(r"\d", content)
    )


def _with_joins(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    is_wrapped = _is_wrapped(text, lines)
    if is_wrapped:
        lines = _without_page_numbers(text, lines)
    turns = sum(_TURN.match(text, line.content.start, line.content.end) is not None for line in lines) > 1
    read: list[TextLine] = []
    for place, line in enumerate(lines):
        before = read[-1] if read else None
        first_of_code = line.joins and (place == 0 or not lines[place - 1].joins)
        if before is None or _is_blank(before) or _is_blank(line) or first_of_code:
            read.append(replace(line, joins=False))
            continue
        is_inside = before.is_marked and _is_indented(text, before, line)  # the second line of an item
        is_turn = turns and not is_inside and _TURN.match(text, line.content.start, line.content.end) is not None
        starts_unit = (line.is_marked and not line.joins) or is_turn or before.is_heading or bool(before.pipes)
        read.append(
            replace(line, joins=not starts_unit and (line.joins or _goes_on(text, before, line, is_wrapped=is_wrapped)))
        )
    return read


def _goes_on(text: str, before: TextLine, line: TextLine, *, is_wrapped: bool) -> bool:
    """True where a line without a mark goes on with the sentence or item of the one before, or a full stop stands between."""
    ended, first = before.content.of(text), text[line.content.start]
    if STOP.search(ended) or first.islower() or is_wrapped or _GOES_ON.search(ended):
        return True
    return before.is_marked and _is_indented(text, before, line)


def _is_indented(text: str, before: TextLine, line: TextLine) -> bool:
    """True for a line that begins below the content of the item before it, or further in."""
    indent = line.content.start - (text.rfind("\n", 0, line.content.start) + 1)
    begun = before.content.start - (text.rfind("\n", 0, before.content.start) + 1)
    return indent > 1 and indent >= begun


def _without_page_numbers(text: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of a wrapped text, of which numbers of pages between blank lines are blank as well."""
    blank = [True, *map(_is_blank, lines), True]
    return [
        TextLine(Span(line.content.start, line.content.start), is_marked=True)
        if blank[place] and blank[place + 2] and _PAGE_NUMBER.fullmatch(text, line.content.start, line.content.end)
        else line
        for place, line in enumerate(lines)
    ]


def _is_wrapped(text: str, lines: Sequence[TextLine]) -> bool:
    """True where lines are as long as one width lets them be, and some go on in small letters."""
    pairs = [
        (before.content.of(text), after.content.of(text))
        for before, after in pairwise(lines)
        if not _is_blank(before)
        and not _is_blank(after)
        and not after.is_marked
        and not STOP.search(before.content.of(text))
    ]
    width = max((line.content.end - line.content.start for line in lines), default=0)
    if width < _MIN_WRAPPED_CHARACTERS or not any(after[0].islower() for _, after in pairs):
        return False
    full = [len(before) + 1 + len(after.split()[0]) > width for before, after in pairs]
    return sum(full) >= 0.9 * len(full)
