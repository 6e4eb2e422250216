"""Adds a sentence of the document that the summary left out."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, log, sqrt
from typing import ClassVar

from core.base import memoize
from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.text import (
    NounChoice,
    VerbForm,
    definite_nouns,
    gap_after,
    is_finite,
    possible_verb_forms,
    refers_back,
    sentences,
    words,
)
from core.types import Edit, Example, Span

_MIN_WORDS, _MAX_WORDS = 6, 60
_WHOLE_SENTENCE = re.compile(r"\w.*[^\s.?!…:]\s?\.$", re.DOTALL)
_REPEATED_WORD = re.compile(r"\b(?!that\b|had\b)([a-z]+)\W+\1\b", re.IGNORECASE)
_MARKS = frozenset('"“”«»()[]\n:;')


@PERTURBATIONS.add
@dataclass(frozen=True)
class Added(Perturbation):
    """Appends the sentence of the document least like the summary, by the cosine of TF-IDF vectors of their words.

    Only a sentence that says the same by itself is taken: whole, with a finite verb, without pronouns, quotations, a speaker or
    a speaker's false starts. With `nouns=introduced` also none whose "the girl" the document introduced before, and the summary not.
    """

    name: ClassVar[str] = "added"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Add a sentence of the document",
        intent="preserving",
        does="Appends the sentence of the document that is least similar to the summary, by TF-IDF cosine of the words.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )

    nouns: NounChoice = "any"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        texts = [span.of(example.document) for span in sentences(example.document)]
        fit = [text for text in texts if _fits(text, example.document) and text not in example.summary]
        if self.nouns == "introduced":
            fit = [text for text in fit if not _leans_on_nouns(text, example)]
        if not fit:
            raise UnscorableError("Every sentence of the document that could be added leans on its neighbours.")
        # log((1 + n) / (1 + sentences with the word)) + 1, the smoothed form of scikit-learn
        counts = Counter(word for text in texts for word in set(words(text)))
        weights = {word: log((1 + len(texts)) / (1 + count)) + 1 for word, count in counts.items()}
        summary = _tf_idf_vector(example.summary, weights)
        least = min(fit, key=lambda text: _cosine(_tf_idf_vector(text, weights), summary))
        end = len(example.summary.rstrip())
        ended = example.summary[:end].endswith((".", "!", "?", "”", '"', "'", "’"))
        gap = gap_after(example.summary)
        stop = "." if gap == " " and not ended else ""
        return [Edit(Span(end, end), f"{stop}{gap}{least}", self.card.does, self.spec)]


def _fits(text: str, document: str) -> bool:
    """True if a sentence begins like those of its document, and says the same by itself."""
    return (not text[0].islower() or document.islower()) and _is_self_contained(text)


def _leans_on_nouns(text: str, example: Example) -> bool:
    """True if a noun after "the" stands in the document before the sentence, and nowhere in the summary."""
    before = {*words(example.document[: example.document.index(text)])}
    return bool(definite_nouns(text) & before - {*words(example.summary)})


@memoize(1024)  # every variant of a summary asks it of the same sentences
def _is_self_contained(text: str) -> bool:
    tokens = words(text)
    if text.isupper() or not any(
        is_finite(word) and VerbForm.PARTICIPLE not in possible_verb_forms(word) for word in tokens
    ):
        return False
    if not _MIN_WORDS <= len(tokens) <= _MAX_WORDS or not _WHOLE_SENTENCE.match(text) or _MARKS & set(text):
        return False
    # a word twice in a row is a speaker who starts again
    return not (refers_back(text) or _REPEATED_WORD.search(text))


def _tf_idf_vector(text: str, weights: Mapping[str, float]) -> dict[str, float]:
    return {word: count * weights[word] for word, count in Counter(words(text)).items() if word in weights}


def _cosine(weights: Mapping[str, float], other_weights: Mapping[str, float]) -> float:
    norms = sqrt(fsum(x * x for x in weights.values()) * fsum(x * x for x in other_weights.values()))
    return norms and fsum(weight * other_weights.get(word, 0.0) for word, weight in weights.items()) / norms
