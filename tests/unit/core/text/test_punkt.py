"""The shortcut of Punkt splits as NLTK's own does, whatever stands around a mark."""

from __future__ import annotations

import random

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from core.data.datasets.bundled import bundled_items
from core.text.punkt import QuickPunkt

_PIECES = (
    "word Mr U.S etc e.g No A i x 2.5 1990 é naïve Smith . . ! ? ... * @ ( ) [ ] { } - -- , ; : \" ' ” “ ’ ‘ « » नि 。 .. … J. I. a.m. $3. 'em"
).split(" ")
_BLANKS = ("", "", " ", " ", "  ", "\n", "\n\n", "\t", "\x1c", "\x1f", "\x85", "\u00a0", "\u2028")


def test_sentences_are_those_of_nltk() -> None:
    parameters = PunktParameters()
    parameters.abbrev_types = {"mr", "u.s", "etc", "e.g"}
    parameters.collocations = {("word", "smith")}
    chance = random.Random(7)
    mixed = [
        "".join(chance.choice(_PIECES) + chance.choice(_BLANKS) for _ in range(chance.randint(2, 20)))
        for _ in range(1000)
    ]
    documents = [item.example.document for item in bundled_items()]
    theirs, ours = PunktSentenceTokenizer(parameters), QuickPunkt(parameters)
    for text in [*mixed, *documents]:
        assert list(ours.span_tokenize(text)) == list(theirs.span_tokenize(text)), text
