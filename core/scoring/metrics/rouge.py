"""ROUGE-2 between the document and the summary (Lin 2004), as the Perl program gives it, or the rouge-score package."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from core.base import memoize
from core.errors import UnscorableError
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.surface_metric import SurfaceMetric
from core.text import import_nltk, list_lines

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

Measured = Literal["precision", "recall", "f1"]

_SEPARATORS = re.compile(rb"[^a-z0-9-]+")
_DIGITS = 5  # that the Perl program prints
_MAX_UNSTEMMED = 3  # letters of a word that it leaves as it is


@cache
def _irregular_forms() -> dict[str, str]:
    """Lemmas by their forms."""
    lines = (line.split() for line in list_lines("irregular_forms"))
    return {form: lemma for lemma, *forms in lines for form in forms}


@cache
def _stemmer() -> PorterStemmer:
    import_nltk()  # listing the metrics need not wait for it
    from nltk import PorterStemmer

    return PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)


@lru_cache(50_000)  # each word of each text is looked up: what threads wait for costs more than a stem
def _stem(word: str) -> str:
    if len(word) <= _MAX_UNSTEMMED:
        return word
    return _irregular_forms().get(word) or str(_stemmer().stem(word, to_lowercase=False))


@memoize(64)
def perl_tokens(text: str, stemmer: bool) -> tuple[str, ...]:
    """The tokens of ROUGE-1.5.5, with `stemmer` those of its option -m: irregular forms by WordNet, others by Porter.

    Bytes are read, not letters: one that is no ASCII letter, digit or hyphen is a blank. A hyphen stands alone, and no
    token begins with one.
    """
    spaced = text.encode().lower().replace(b"-", b" - ")
    words = _SEPARATORS.sub(b" ", spaced).decode("ascii").split()
    tokens = (word for word in words if word != "-")
    return tuple(map(_stem, tokens)) if stemmer else tuple(tokens)


@memoize(64)
def _perl_bigrams(text: str, stemmer: bool) -> Counter[tuple[str, str]]:
    return Counter(pairwise(perl_tokens(text, stemmer)))


@cache
def _tokenizer(stemmer: bool) -> DefaultTokenizer:
    """rouge-score's own, except that it does not stem the unchanged document again for every keystroke."""
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer = DefaultTokenizer(stemmer)
    tokenizer.tokenize = memoize(64)(tokenizer.tokenize)
    return tokenizer


@cache
def _scorer(stemmer: bool) -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge2"], tokenizer=_tokenizer(stemmer))


def _require_bigrams(tokens: int) -> None:
    if tokens < 2:
        raise UnscorableError(
            f"ROUGE reads {tokens or 'no'} {'token' if tokens == 1 else 'tokens'} of the summary: it has no two words of ASCII letters and digits in a row to "
            "look for. Choose a metric for the language of the text."
        )


@METRICS.add
@dataclass(frozen=True)
class Rouge2(SurfaceMetric):
    """Share of the summary's bigrams that the document holds (precision), or the other measures of ROUGE-2."""

    name: ClassVar[str] = "rouge2"
    card: ClassVar[Card] = Card(
        title="ROUGE-2",
        family="Overlap",
        measures="Bigrams of the summary that stand in the document, as a share of the summary's bigrams.",
        paper="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
        url="https://aclanthology.org/W04-1013",
        low=0.0,
        high=1.0,
        licence="Touchstone's own code and rouge-score Apache-2.0; the list of irregular forms is WordNet's, see NOTICE.",
        differs="As the Perl program ROUGE-1.5.5 with -m gives it, to its five digits, which is BUMP's ROUGE-2 on every summary "
        "at hand. variant=rouge-score is the Python package, which has no irregular forms and equals it on about 86 % of them "
        "(largest difference 0.12). A text of which no two words are read has no score.",
    )
    measured: Measured = "precision"
    stemmer: bool = True
    variant: Literal["perl", "rouge-score"] = "perl"

    def measure(self, document: str, text: str) -> float:
        if self.variant == "perl":
            source, summary = _perl_bigrams(document, self.stemmer), _perl_bigrams(text, self.stemmer)
            _require_bigrams(len(perl_tokens(text, self.stemmer)))
            matches, sides = (summary & source).total(), (source.total(), summary.total())
            whole = {"precision": sides[1], "recall": sides[0], "f1": sum(sides) / 2}[self.measured]
            return round(matches / whole, _DIGITS) if whole else 0.0
        _require_bigrams(len(_tokenizer(self.stemmer).tokenize(text)))
        score = _scorer(self.stemmer).score(document, text)["rouge2"]
        return float({"precision": score.precision, "recall": score.recall, "f1": score.fmeasure}[self.measured])
