"""A content word that a masked language model finds likely in its place, and the document does not say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, ModelPerturbation, PerturbationCard, replacement
from core.edits.perturbations.synonyms import select_lexicon
from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint
from core.text import (
    ADVERBS,
    AUXILIARIES,
    FUNCTION_WORDS,
    NUMBER_WORDS,
    Sentence,
    base_forms,
    inflections,
    is_dictionary_word,
    lemmas_by_part,
    mentions_inflected,
    sentence_around,
    sentence_tags,
    tokenize,
)
from core.types import Answer, Edit, ErrorType, Example, Question, Rounds, Span

_PARTS = {
    "NN": "NOUN",
    "NNS": "NOUN",
    "JJ": "ADJ",
    "VBD": "VERB",
    "VBZ": "VERB",
    "VBP": "VERB",
    "VBN": "VERB",
    "VBG": "VERB",
}
"""The tags of the words that are masked, and their parts of speech."""
_NEVER_MASKED = FUNCTION_WORDS | ADVERBS | AUXILIARIES | frozenset(NUMBER_WORDS)
_MIN_LETTERS = 3
_PLACES_ASKED = 5
_TOP = 50


@PERTURBATIONS.add
@dataclass(frozen=True)
class MaskedWord(ModelPerturbation):
    """The most likely word of the same part of speech and form that neither document nor summary has, in one of five places.

    No word of the same lemma, and none that our lists or WordNet call a synonym. What else means the same is not known: of
    such a variant the intent says too much, and a person has to say so. `least` is the probability that a word must have.
    """

    name: ClassVar[str] = "masked-word"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Likely other word",
        intent="breaking",
        does="Replaces a content word that the document has by the most likely one of a masked language model that it does not have; "
        "where the two mean the same after all, nothing is broken.",
        paper="none: a form of ours; words by masked language models as Garg & Ramakrishnan 2020, BAE",
        error_type=ErrorType.OTHER,
        form="model",
    )

    checkpoint: str = "FacebookAI/roberta-base"
    revision: str = ""
    least: float = 0.01

    def __post_init__(self) -> None:
        if not 0 <= self.least <= 1:
            raise BadSettingError(f"{self.name}: least is a probability, 0 to 1; got {self.least:g}.")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (Checkpoint(self.checkpoint, "masked_word", self.revision),)

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        places = [*_maskable_words(example)]
        if not places:
            raise UnscorableError(
                "The summary has no noun, verb or adjective in small letters that the document has as well."
            )
        places = random.Random(f"{seed}\0{example.id}").sample(places, min(len(places), _PLACES_ASKED))
        answers = yield [self._question(example.summary, span) for span in places]
        for span, answer in zip(places, answers, strict=True):
            for word, share in self._fitting_words(example, span, answer):
                why = (
                    f"The document does not say “{word}”, which the model finds likely here (probability {share:.2f})."
                )
                return [replace(replacement(example.summary, span, word, why), by=self.spec)]
        raise UnscorableError(
            f"For none of {len(places)} masked words ({', '.join(span.of(example.summary) for span in places)}) does the model "
            f"propose, with a probability of {self.least:g} or more, one of the same form that the document does not have and "
            "that is no known synonym."
        )

    def _question(self, summary: str, span: Span) -> Question:
        there = sentence_around(summary, span)
        inputs = (summary[there.start : span.start], summary[span.end : there.end])
        return Question(self.checkpoints()[0], inputs, (("top", _TOP),))

    def _fitting_words(self, example: Example, span: Span, answer: Answer) -> Iterator[tuple[str, float]]:
        for word, share in zip(answer.texts, answer.values, strict=True):
            if share >= self.least and word.isalpha() and word.islower() and len(word) >= _MIN_LETTERS:
                is_excluded = word in _NEVER_MASKED or any(
                    mentions_inflected(text, word) for text in (example.document, example.summary)
                )
                if (
                    not is_excluded
                    and _has_same_form(example.summary, span, word)
                    and not _is_synonym(example.summary, span, word)
                ):
                    yield word, share


def _maskable_words(example: Example) -> Iterator[Span]:
    """The nouns, verbs and adjectives of a summary in small letters, apart from hyphens, that the document has as well."""
    for sentence in tokenize(example.summary):
        for token, tag in zip(sentence, sentence_tags(sentence), strict=True):
            if (
                tag in _PARTS
                and token.text.isalpha()
                and token.text.islower()
                and len(token.text) >= _MIN_LETTERS
                and token.low not in _NEVER_MASKED
                and is_dictionary_word(token.low)
                and mentions_inflected(example.document, token.low)
            ):
                yield token.span


def _has_same_form(summary: str, span: Span, word: str) -> bool:
    """True if a word in a place is there of the part of speech and form of the old one, and may be so by the dictionary."""
    (before, place), (after, _) = _read(summary, span), _read(_with_word(summary, span, word), span)
    tag = sentence_tags(before)[place]
    if len(after) != len(before) or sentence_tags(after)[place] != tag:
        return False
    bases = lemmas_by_part(word).get(_PARTS[tag], ())
    if _PARTS[tag] == "VERB":
        form = "VB" if tag == "VBP" else tag
        return any(word in inflections(base).get(form, inflections(base).get("VBD", ())) for base in bases)
    return bool(bases) and (word in bases) == (tag != "NNS")


def _is_synonym(summary: str, span: Span, word: str) -> bool:
    """True if the lexicon gives either word for the other in this place."""
    old = span.of(summary)
    there = _with_word(summary, span, word)
    return word in _synonyms_at(summary, span) or old in _synonyms_at(there, Span(span.start, span.start + len(word)))


def _synonyms_at(summary: str, span: Span) -> frozenset[str]:
    """The base forms of the synonyms of the word in a place."""
    sentence, _ = _read(summary, span)
    synonyms = (new for place, new in select_lexicon("best").synonyms(summary, sentence) if place == span)
    return frozenset().union(*({new} | base_forms(new) for new in synonyms))


def _with_word(summary: str, span: Span, word: str) -> str:
    return f"{summary[: span.start]}{word}{summary[span.end :]}"


def _read(summary: str, span: Span) -> tuple[Sentence, int]:
    """The sentence around the word that starts where a span does, and its place there."""
    sentence = next(tokens for tokens in tokenize(summary) if tokens[0].span.start <= span.start < tokens[-1].span.end)
    return sentence, next(place for place, token in enumerate(sentence) if token.span.start == span.start)
