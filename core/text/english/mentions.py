"""Mentions of words in a text, references back to them, and the origin of the words that an edit inserts."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from core.base import memoize
from core.text.english.inflection import base_forms, base_forms_in
from core.text.english.syntax import split_tokens
from core.text.english.tagger import part_of_speech_tags
from core.text.english.word_lists import FUNCTION_WORDS
from core.text.segmentation import closest_sentence, sentences, words
from core.types import Edit, Span


def sentence_around(text: str, span: Span) -> Span:
    """The sentence that holds the start of a span; the whole text where none does."""
    holding = (sentence for sentence in sentences(text) if sentence.start <= span.start < sentence.end)
    return next(holding, Span(0, len(text)))


@memoize(256)
def matching_sentences(document: str, summary: str, span: Span) -> str:
    """The sentence around a span of a summary, and the sentence of the document that says it best."""
    claim = sentence_around(summary, span).of(summary)
    evidence = closest_sentence(document, claim)
    return f"{claim}\n{evidence.of(document) if evidence else ''}"


def mentions(text: str, words: str) -> bool:
    """True if a text holds these words, as whole words in this case; in any case where a text has no capitals."""
    if text.islower():
        words = words.lower()
    start = text.find(words)
    while start >= 0:
        if not _is_inside_word(text, start) and not _is_inside_word(text, start + len(words)):
            return True
        start = text.find(words, start + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """True if a place separates two letters or digits."""
    return text[max(0, place - 1) : place].isalnum() and text[place : place + 1].isalnum()


_REFERRING = frozenset(
    "he she him her his hers they them their theirs i me my we us our you your this these those such it its one ones "
    "another other others former latter same here there then so".split()
)
_OPENING = frozenset(
    "that but and or nor yet also however moreover furthermore still meanwhile instead otherwise therefore thus hence both "
    "neither either each all none most many some several please anyway anyways yeah yep yes nope ok okay oh um uh hmm hey hi "
    "hello wow well finally additionally similarly originally".split()
)
_FINITE_TAGS = frozenset(("VBZ", "VBD", "VBN", "VBP", "MD"))


def refers_back(sentence: str) -> bool:
    """True if a sentence has a pronoun, opens with a connective or quantifier, or has no subject before its verb."""
    terms = words(sentence)
    if not terms or terms[0] in _OPENING or terms[:2] == ("after", "all") or _REFERRING & set(terms):
        return bool(terms)
    tokens = tuple(token.text for token in split_tokens(sentence) if token.is_word)
    return part_of_speech_tags(tokens)[0] in _FINITE_TAGS


NounChoice = Literal["any", "introduced"]
"""Sentences that may stand without those before them: any, or such whose definite nouns were introduced."""


def definite_nouns(sentence: str) -> frozenset[str]:
    """The nouns in small letters that "the" stands before, adjectives between left out: the old mill, the mill."""
    tokens = split_tokens(sentence)
    tags = part_of_speech_tags(tuple(token.text for token in tokens))
    nouns = set()
    for place, token in enumerate(tokens):
        if token.low == "the":
            end = next(
                (after for after in range(place + 1, len(tokens)) if tags[after] not in _BEFORE_NOUN_TAGS), len(tokens)
            )
            nouns |= {tokens[end - 1].low} if end > place + 1 and tags[end - 1] in {"NN", "NNS"} else set()
    return frozenset(nouns)


_BEFORE_NOUN_TAGS = frozenset({"JJ", "JJR", "JJS", "NN", "NNS", "CD"})

Origin = Literal["intrinsic", "extrinsic"]


def inserted_words(edit: Edit, summary: str) -> tuple[str, ...]:
    """The words of an edit that were not in the words that it replaces, function words left out, in order."""
    old_counts = Counter(words(edit.span.of(summary)))
    new = []
    for word in words(edit.new):
        if old_counts[word]:
            old_counts[word] -= 1
        elif word not in FUNCTION_WORDS:
            new.append(word)
    return tuple(new)


def edit_origin(edit: Edit, summary: str, document: str) -> Origin | None:
    """Intrinsic where every content word that an edit brings in stands in the document in some inflection.

    None where it brings in none: it deletes, negates or turns a pronoun.
    """
    new = inserted_words(edit, summary)
    if not new:
        return None
    return "intrinsic" if all(mentions_inflected(document, word) for word in new) else "extrinsic"


def mentions_inflected(document: str, word: str) -> bool:
    """True if a lower-case word occurs in a document in some inflection."""
    return not base_forms(word).isdisjoint(base_forms_in(document))
