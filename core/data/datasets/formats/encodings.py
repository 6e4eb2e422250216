"""Encodings of text files: those that a file may be in, with the text that each gives, and traces of a wrong one in a text."""

from __future__ import annotations

import codecs
import re
import unicodedata
from encodings.aliases import aliases
from functools import cache
from pathlib import Path

from core.data.datasets.formats.file_kinds import open_bytes

_SAMPLE = 1 << 20  # bytes that are looked through
_ENOUGH = 1 << 14  # bytes of lines with letters beyond ASCII
_ENOUGH_LETTERS = 20
_MOST_READINGS = 4
_FOLLOWING = bytes(range(0x80, 0xC0))  # of a character of UTF-8 that began before
_SHOWN = 60  # characters
_FREQUENT = (
    *(
        "utf-8",
        "cp1252",
        "gb18030",
        "cp932",
        "cp1251",
        "cp949",
        "big5",
        "euc_jp",
        "cp1250",
        "cp1254",
        "cp1253",
        "koi8_r",
    ),
    *("cp1255", "cp1256", "cp874", "cp1257", "cp1258", "iso8859-2", "iso8859-15", "mac-roman", "cp850", "cp437"),
)
"""Encodings that files are in, the most frequent first; of equal readings the first is named."""
_TYPOGRAPHY = frozenset("“”„‘’‚«»‹›–—…€£°§©®·•¿¡ \u00a0、。，！？：；（）「」『』《》")
_NOT_FOR_FILES = {"idna", "punycode", "raw_unicode_escape", "unicode_escape", "mbcs", "oem", "utf_7"}

_MIXED_UP = re.compile(
    # UTF-8 that was read as cp1252 or Latin-1: Ã©, Â°, â€™
    "[ÃÂ][\u0080-\u0091\u0095-\u00ba\u00bc-\u00bf€‚ƒ„†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ]|â(?:€[\u0080-\u00bf“”™œ˜¦¢“‚„ž\u009d]|\u0080[\u0090-\u00bf])"
    # and as GB 18030, whose replacement characters it became
    "|锟斤拷"
)
_REPLACED = re.compile("\ufffd")
_CONTROLS = re.compile("[\u0080-\u0084\u0086-\u009f]")
_BEYOND_ASCII_LETTER = re.compile(r"[^\x00-\x7f]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]{2,}")
_SINGLE_BYTE = ("cp1252", "latin-1", "cp1251", "cp1250", "cp437", "cp850", "mac-roman", "koi8_r")


@cache
def text_encodings() -> tuple[str, ...]:
    """All encodings of Python that a text file may be in, by name."""
    names = {codecs.lookup(name).name for name in {*aliases.values()} - _NOT_FOR_FILES if is_text_encoding(name)}
    return tuple(sorted(names))


def is_text_encoding(name: str) -> bool:
    """True for an encoding of characters as bytes that this Python has."""
    try:
        "a".encode(name).decode(name)
    except (LookupError, UnicodeError, TypeError, ValueError):
        return False
    return True


def likely_encodings(source: Path) -> list[tuple[str, str]]:
    """Encodings that a file may be in, the most likely first and each with another reading, with the beginning of that reading."""
    from charset_normalizer import from_bytes

    sample = _lines_beyond_ascii(source)
    matches = {
        codecs.lookup(match.encoding).name: match.chaos
        for match in from_bytes(sample)
        if not match.encoding.startswith("utf")
    }
    order = [codecs.lookup(name).name for name in _FREQUENT]
    names, strangeness = dict[str, str](), dict[str, float]()
    for name in dict.fromkeys((*order, *matches)):
        try:
            text = sample.decode(name)
        except UnicodeError:
            continue
        names.setdefault(text, name)
        # of a few letters nobody can tell a language
        weight = min(1.0, len(_BEYOND_ASCII_LETTER.findall(text)) / _ENOUGH_LETTERS)
        strange = round(_strangeness(text) + weight * matches.get(name, 0.3), 1 if weight < 1 else 2)
        strangeness[text] = min(strange, strangeness.get(text, strange))
    readings = sorted(names, key=lambda text: (strangeness[text], [*names].index(text)))
    return [(names[text], _excerpt(text)) for text in readings[:_MOST_READINGS]]


def first_letters(source: Path, encoding: str) -> str:
    """The first two lines with letters beyond ASCII, or the first two where there are none, as an encoding reads them."""
    with open_bytes(source) as file:
        lines = file.read(_SAMPLE).decode(encoding, "ignore").lstrip("\ufeff").splitlines()
    return _excerpt("\n".join([line for line in lines if not line.isascii()] or lines))


def decoding_error(text: str) -> str:
    """Traces of a wrong encoding in a text, as the rest of a sentence; "" where there are none."""
    if (replaced := _REPLACED.search(text)) is not None:
        place = _around(text, replaced.start())
        return f"has a replacement character (U+FFFD) at {place}: a letter was lost when the file was written."
    if (control := _CONTROLS.search(text)) is not None:
        code = f"U+{ord(control[0]):04X}"
        return f"has the control character {code} at {_around(text, control.start())}: it was read in a wrong encoding."
    if text.isascii():
        return ""
    mixed = _MIXED_UP.search(text)
    several = len(_BEYOND_ASCII.findall(text)) >= 2
    if mixed is None and not (several and any(_is_utf8_read_as(text, name) for name in _SINGLE_BYTE)):
        return ""
    return f"looks like UTF-8 that was read in another encoding at {_around(text, mixed.start() if mixed else 0)}."


def _is_utf8_read_as(text: str, encoding: str) -> bool:
    try:
        return len(text.encode(encoding).decode()) < len(text)
    except UnicodeError:
        return False


def _lines_beyond_ascii(source: Path) -> bytes:
    """Lines of a file that are not UTF-8, or else those with bytes beyond ASCII or the first two, enough to tell an encoding by."""
    with open_bytes(source) as file:
        head = file.read(_SAMPLE)
        # letters may come late
        while _is_utf8(head) and (more := file.read(_SAMPLE).lstrip(_FOLLOWING)):
            head = more if head.isascii() or not _is_utf8(more) else head
    lines = head.splitlines(keepends=True)
    if len(head) == _SAMPLE and len(lines) > 1:
        lines.pop()  # which may be cut
    beyond = [line for line in lines if not line.isascii()]
    taken, size = list[bytes](), 0
    for line in [line for line in beyond if not _is_utf8(line)] or beyond or lines[:2]:
        taken.append(line)
        size += len(line)
        if size > _ENOUGH:
            break
    return b"".join(taken)


def _is_utf8(content: bytes) -> bool:
    """True for UTF-8 that may be cut within its last character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeError:
        return False
    return True


def _strangeness(text: str) -> float:
    """Share of the characters beyond ASCII that are no letters of words and no usual marks."""
    beyond = [character for character in text if not character.isascii()]
    strange = sum(
        unicodedata.category(character) not in _LETTERS and character not in _TYPOGRAPHY for character in beyond
    )
    # a capital after a small letter, as in zebra£a read as zebraŁa
    inner = len(re.findall(r"[a-zà-ÿ](?=[À-ÖØ-Þ])", text))
    return (strange + inner) / max(len(beyond), 1)


_LETTERS = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"}


def _excerpt(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()][:2]
    return " / ".join(f"{line[:_SHOWN]}{'…' if len(line) > _SHOWN else ''}" for line in lines)


def _around(text: str, place: int) -> str:
    start = max(0, place - 20)
    return f"“{'…' if start else ''}{text[start : place + 20]}{'…' if place + 20 < len(text) else ''}”"
