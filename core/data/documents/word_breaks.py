"""Words that a line end divides: joined where they are one word, with their hyphen where it is a real one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

_LAST_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*[-\u00ad\u2010]$")
_FIRST_WORD = re.compile(r"[^\W_]+(?:[-'’\u00ad][^\W_]+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_HYPHENS = "-\u2010"
_OPEN_PREFIXES = frozenset({"mid", "well", "self", "half", "quasi", "ex", "vice"})
_COORDINATORS = frozenset("and or und oder bzw bis sowie et ou y o e en of och eller to".split())
JOINED, HYPHENS_KEPT = "words joined over line ends", "hyphens kept at line ends"


def vocabulary(lines: Iterable[str]) -> frozenset[str]:
    """Case-folded words of lines, without those that a line end divides."""
    words: set[str] = set()
    divided = False
    for line in lines:
        line_words = _WORD.findall(line)
        is_divided = line.rstrip().endswith((*_HYPHENS, "\u00ad"))
        words.update(word.casefold() for word in line_words[divided : len(line_words) - is_divided])
        divided = is_divided
    return frozenset(words)


def join_lines(above: str, below: str, words: frozenset[str], counts: Counter[str]) -> str:
    """Text of two lines as one: `words` are those of the whole document, `counts` of what was joined grows."""
    last = _LAST_WORD.search(above)
    first = _FIRST_WORD.match(below)
    if not last or not first:
        return f"{above} {below}" if above and below else above + below
    mark, start, end = above[-1], last[0][:-1], first[0]
    if mark == "\u00ad" or (not _keeps_hyphen(start, end, words) and end.casefold() not in _COORDINATORS):
        counts[JOINED] += 1
        return above[:-1] + below
    counts[HYPHENS_KEPT] += 1
    if end.casefold() in _COORDINATORS:  # "Nord- und Südseite"
        return f"{above} {below}"
    return above + below


def _keeps_hyphen(start: str, end: str, words: frozenset[str]) -> bool:
    whole, with_hyphen = f"{start}{end}".casefold(), f"{start}-{end}".casefold()
    if with_hyphen in words or whole in words:
        return with_hyphen in words
    if not (start + end).replace("-", "").isalpha() or not end[0].islower() or start.isupper():
        return True  # 3-4, Covid-19, Alsace-Lorraine
    part, rest = start.casefold().rpartition("-")[2], end.casefold().partition("-")[0]
    if part in _OPEN_PREFIXES and len(rest) > 3 and _is_english(rest):
        return True
    return "-" in start or (_is_english(part) and _is_english(rest) and not _is_english(part + rest))


@cache
def _is_english(word: str) -> bool:
    """True for a form in the dictionary of lemminflect, which lacks function words, or a function word that opens compounds."""
    from lemminflect import getAllLemmas  # takes a third of a second, which only a divided word needs

    return word in _COMPOUND_WORDS or (len(word) > 1 and bool(getAllLemmas(word)))


_COMPOUND_WORDS = frozenset(
    "the to by of up in on off out over under for two three four five six seven eight nine ten".split()
)
