"""NLTK's Punkt (Kiss and Strunk 2006), which decides plain ends of sentences without taking them apart."""

from __future__ import annotations

import re
from string import whitespace
from typing import Any

from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer

# a word of letters, its mark, and what follows: a quotation mark or bracket, or another word
_PLAIN_END = re.compile(r"([A-Za-z]{2,})([.?!])(?:[\"')\]”’]|\s+[\w\"'“‘(\[]\S*)", re.ASCII)


def _standard(pattern: Any, flags: int) -> re.Pattern[str]:
    """A pattern of NLTK for Python's own `re`, to which four control characters are blanks that are none to NLTK's."""
    blanks = {r"\s": r"[^\S\x1c-\x1f]", r"\S": r"[\S\x1c-\x1f]"}
    return re.compile(re.sub(r"\\[sS]", lambda match: blanks[match[0]], pattern.pattern), flags)


class _Patterns(PunktLanguageVars):  # type: ignore[misc]  # NLTK has no types
    """The patterns that sentences and words are looked for with.

    NLTK's are of the package `regex`, which lets other threads run at every match: threads that split texts wait for
    each other far longer than they match.
    """

    _period_context = _standard(PunktLanguageVars().period_context_re(), re.VERBOSE)
    _word = _standard(PunktLanguageVars()._word_tokenizer_re(), re.VERBOSE)
    re_boundary_realignment = _standard(PunktLanguageVars.re_boundary_realignment, re.MULTILINE)

    def period_context_re(self) -> re.Pattern[str]:
        return self._period_context

    def _word_tokenizer_re(self) -> re.Pattern[str]:
        return self._word


class QuickPunkt(PunktSentenceTokenizer):  # type: ignore[misc]  # as above
    """The same sentences: a word of several letters that is no abbreviation and begins no collocation ends one at its mark."""

    def __init__(self, parameters: PunktParameters) -> None:
        super().__init__(parameters, lang_vars=_Patterns())

    def text_contains_sentbreak(self, text: str) -> bool:
        if plain := _PLAIN_END.fullmatch(text):
            word, mark = plain[1].lower(), plain[2]
            parameters = self._params
            if mark != "." or not (
                word in parameters.abbrev_types or any(word == first for first, _ in parameters.collocations)
            ):
                return True
        return bool(super().text_contains_sentbreak(text))

    def _get_last_whitespace_index(self, text: str) -> int:
        return max(0, *(text.rfind(blank) for blank in whitespace))
