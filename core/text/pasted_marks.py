"""Marks that other programs leave in a text: citations, LaTeX, times of subtitles, headers of mail, JSON, and lists whose line ends were lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.text.canonical import CanonicalText
from core.text.markup import replace_parts, without_marks_around
from core.types import Span

_LINE_END = re.compile(r"\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]")
_AFTER_WORD = r"(?:(?<=[.,;:!?)”\"’])|(?<=[^\W\d_]{4}))"  # not of a square metre
_CITATION = re.compile(
    rf"{_AFTER_WORD}(?:<sup>\s*(?:<a\b[^<>]*>)?\[?\d{{1,3}}\]?(?:</a>)?\s*</sup>|[⁰¹²³⁴-⁹]{{1,3}}(?!\w))"
    r"|(?:(?<=\w\w)|(?<=[.,;:!?)”\"’%]))(?: ?\[(?:\^[\w-]{1,20}|\d{1,3}(?:(?:, ?|[-–])\d{1,3})*)\])+(?!:)"
)
_TEX = re.compile(r"\\[a-zA-Z]{2,}|\\[%&#]|\{,\}")
_TEX_PART = re.compile(
    r"(?P<block>\\(?:begin|end)\{[^{}]*\}(?:\[[^\]\n]*\])?)|(?P<item>\s*\\item\b(?:\[[^\]\n]*\])?\s*)"
    r"|[~ ]?\\(?:cite\w*|ref|eqref|autoref|label|footnotemark)\*?(?:\[[^\]\n]*\])*\{[^{}]*\}"
    r"|\\(?:sub)*section\*?\{(?P<title>[^{}]*)\}"
    r"|\\(?P<sign>[%&$#_{}])|(?P<blank>\\[,;: ]|(?<=\S)~(?=\S)|\\\\)|\{(?P<comma>,)\}"
)
_TEX_EMPHASIS = re.compile(r"\\(?:text\w*|emph|underline|mbox|math(?:rm|bf|it|sf))\{(?P<text>[^{}]*)\}")
_TEX_FORMULA = re.compile(r"(?<![\\\w])\$(?=\S)(?P<text>[^$\n]{1,60}?)(?<=\S)\$(?!\w)")
_TIME = r"(?:\d{1,2}:)?\d{2}:\d{2}[.,]\d{2,3}"
_CUE = re.compile(rf"(?:\A(?:WEBVTT[^\n]*\n)?|\n)\s*(?:\d{{1,5}}[ \t]*\n)?[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\n]*\n?")
_TURN = re.compile(r"\s*(?:[-–—>]|[A-Z][\w.’' -]{0,30}:\s)")
_MAIL = re.compile(
    r"^(?:On|Am|Le|El) [^\n]{6,120}(?:wrote|schrieb[^\n:]{0,60}|a écrit|escribió) ?:[ \t]*$"
    r"|^-{2,} ?(?:Original|Forwarded) [Mm]essage ?-{2,}[ \t]*$|\n--[ \t]*\n(?:[^\n]{0,80}(?:\n|\Z)){1,8}\Z",
    re.MULTILINE,
)
_WRAPPED = re.compile(r"\s*(?P<fence>```|~~~)[ \t]*(?P<kind>\w*)[ \t]*\n(?P<text>.*?)\n?[ \t]*(?P=fence)\s*", re.DOTALL)
_FENCED_TEXT = re.compile(
    r"^(?P<fence>```|~~~)[ \t]*(?:markdown|md|te?xt|plain(?:text)?)[ \t]*\n(?P<text>.*?)\n[ \t]*(?P=fence)[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_TEXT_KINDS = frozenset(("", "markdown", "md", "text", "txt", "plain", "plaintext", "html", "json", "latex", "tex"))
_BULLETS = re.compile(r"^[^\n•‣▪●◦➢►▶✓✔]*(?P<bullet>[•‣▪●◦➢►▶✓✔])[ \t][^\n]*[ \t](?P=bullet)[ \t][^\n]*$", re.MULTILINE)
_FIRST_NUMBER = re.compile(r"^[ \t]*(?P<open>\(?)1(?P<close>[.)])[ \t]+\S[^\n]*$", re.MULTILINE)
_JSON_PART = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[{}\[\],:]", re.DOTALL)
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.", re.DOTALL)
_JSON_MARKS = {"{": "\n\n", "}": "\n\n", "[": "\n\n", "]": "\n\n", ",": "\n\n", ":": " "}
_MIN_SENTENCE_WORDS = 3

Change = tuple[Span, str]


def without_inner_marks(reading: CanonicalText) -> CanonicalText:
    """Without what would stand inside of sentences: numbers of citations, LaTeX, and the times of subtitles.

    Characters that end a line in other programs are line ends.
    """
    reading = _changed(reading, lambda text: ((Span(*end.span()), "\n") for end in _LINE_END.finditer(text)))
    reading = _changed(reading, _cues)
    if "{,}" in reading.text or _TEX.search(reading.text):
        reading = without_marks_around(
            reading, (_TEX_EMPHASIS, _TEX_EMPHASIS, _TEX_FORMULA)
        )  # one may stand in another
        reading = _changed(reading, _tex)
    return _changed(reading, lambda text: ((Span(*mark.span()), "") for mark in _CITATION.finditer(text)))


def without_pasted_marks(reading: CanonicalText) -> CanonicalText:
    """A summary without these, the headers of mail, JSON and the fences around it, and with a line for each item of a list."""
    reading = _changed(reading, _fence_around)
    reading = _changed(reading, _json)
    reading = _changed(reading, _fences)
    reading = without_inner_marks(reading)
    reading = _changed(reading, lambda text: ((Span(*mark.span()), "") for mark in _MAIL.finditer(text)))
    return _changed(reading, _lost_line_ends)


def _changed(reading: CanonicalText, changes: Callable[[str], Iterable[Change]]) -> CanonicalText:
    made = list(changes(reading.text))
    return replace_parts(reading, made) if made else reading


def _fence_around(text: str) -> list[Change]:
    match = _WRAPPED.fullmatch(text)
    is_text = match and match["kind"].lower() in _TEXT_KINDS and match["fence"] not in match["text"]
    return _without_fence(match) if match and is_text else []


def _fences(text: str) -> Iterator[Change]:
    for match in _FENCED_TEXT.finditer(text):
        yield from _without_fence(match)


def _without_fence(match: re.Match[str]) -> list[Change]:
    return [(Span(match.start(), match.start("text")), ""), (Span(match.end("text"), match.end()), "")]


def _cues(text: str) -> Iterator[Change]:
    """A blank for the number and time of a subtitle, whose text may go on with a sentence; a line end before a turn."""
    for cue in _CUE.finditer(text) if "-->" in text else ():
        yield Span(*cue.span()), "" if cue.start() == 0 else "\n" if _TURN.match(text, cue.end()) else " "


def _tex(text: str) -> Iterator[Change]:
    for part in _TEX_PART.finditer(text):
        if part["title"] is not None:
            yield Span(part.start(), part.start("title")), "\n\n# "
            yield Span(part.end("title"), part.end()), "\n\n"
        elif part["block"] or part["item"]:
            yield Span(*part.span()), "\n\n" if part["block"] else "\n- "
        else:
            yield Span(*part.span()), " " if part["blank"] else part["sign"] or part["comma"] or ""


def _lost_line_ends(text: str) -> Iterator[Change]:
    """Line ends before the second and further bullets, or numbers that follow each other, of one line."""
    starts = {place for line in _BULLETS.finditer(text) for place in _bullets(text, line)}
    starts |= {place for line in _FIRST_NUMBER.finditer(text) for place in _further_numbers(text, line)}
    for start in sorted(starts):
        before = text[:start].rstrip(" \t")
        if before and not before.endswith("\n"):
            yield Span(len(before), start), "\n"


def _bullets(text: str, line: re.Match[str]) -> list[int]:
    pattern = re.compile(rf"(?<=[ \t]){line['bullet']}(?=[ \t])")
    return [bullet.start() for bullet in pattern.finditer(text, *line.span())]


def _further_numbers(text: str, line: re.Match[str]) -> list[int]:
    """Places of the numbers after the first one of a line: of one alone with a full stop, only after the end of a sentence."""
    places: list[int] = []
    place = line.start()
    while True:
        mark = re.escape(f"{line['open']}{len(places) + 2}{line['close']}")
        following = re.compile(rf"(?<=[ \t]){mark}[ \t]+(?=\S)").search(text, place + 1, line.end())
        if following is None:
            break
        place = following.start()
        places.append(place)
    is_sure = line["close"] == ")" or len(places) != 1 or text[:place].rstrip()[-1:] in {".", "!", "?"}
    return places if is_sure else []


def _json(text: str) -> list[Change]:
    """Without the marks of a text that is JSON as a whole; names of lists and sentences are left out too."""
    stripped = text.strip()
    if (stripped[:1], stripped[-1:]) not in {("{", "}"), ("[", "]")} or '"' not in stripped:
        return []
    try:
        json.loads(stripped)
    except (ValueError, RecursionError):
        return []
    parts = [*_JSON_PART.finditer(text)]
    changes: list[Change] = []
    for place, part in enumerate(parts):
        start, end = part.span()
        if not part.group().startswith('"'):
            changes.append((Span(start, end), _JSON_MARKS[part.group()]))
        elif _names_text(parts, place):
            changes.append((Span(start, end), ""))
        else:
            escapes = _ESCAPE.finditer(text, start + 1, end - 1)
            changes += [
                (Span(start, start + 1), ""),
                *((Span(*escape.span()), json.loads(f'"{escape.group()}"')) for escape in escapes),
                (Span(end - 1, end), ""),
            ]
    return changes


def _names_text(parts: Sequence[re.Match[str]], place: int) -> bool:
    following = [part.group() for part in parts[place + 1 : place + 3]]
    names = len(following) == 2 and following[0] == ":"
    return names and (following[1] in {"[", "{"} or len(following[1].split()) >= _MIN_SENTENCE_WORDS)
