"""NLTK's Punkt (Kiss and Strunk 2006), which decides plain ends of sentences without taking them apart."""

from __future__ import annotations

import re
from string import whitespace

from nltk.tokenize.punkt import PunktSentenceTokenizer

# a word of letters, its mark, and what follows: a quotation mark or bracket, or another word
_PLAIN_END = re.compile(r"([A-Za-z]{2,})([.?!])(?:[\"')\]”’]|\s+[\w\"'“‘(\[]\S*)", re.ASCII)


class QuickPunkt(PunktSentenceTokenizer):  # type: ignore[misc]  # NLTK has no types
    """The same sentences: a word of several letters that is no abbreviation and begins no collocation ends one at its mark."""

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
