"""Words that say the same by WordNet, where neighbours and counts leave no doubt which word, sense and form it is."""

from __future__ import annotations

from collections.abc import Iterator

from core.english.closed import (
    ADVERBS,
    ARTICLES,
    COORDINATORS,
    FINITE_BE,
    FUNCTION_WORDS,
    HAVE,
    MODALS,
    POSSESSIVES,
    PREPOSITIONS,
)
from core.english.numbers import WORDS
from core.english.predicates import verb_forms
from core.english.stems import stems
from core.english.synonyms import Change, Lexicon
from core.english.tokens import Sentence, Token, at
from core.english.verbs import forms_of, inflected, third_person
from core.english.wordnet import Part, WordNet, installed

_PARTS: tuple[Part, ...] = ("noun", "verb", "adjective", "adverb")
_ENDS = frozenset(".,;:!?)")
_AFTER_NOUN = _ENDS | FINITE_BE | HAVE | MODALS | PREPOSITIONS | COORDINATORS
_PERSONS = frozenset("somebody someone anybody anyone everybody everyone person persons".split())
_NEVER = FUNCTION_WORDS | _PERSONS
_CLOSED = _NEVER | ADVERBS | frozenset(WORDS)
_LEAST = 4  # letters; shorter ones are often units and abbreviations


def by_wordnet() -> Lexicon | None:
    """The WordNet that NLTK has, or None where it has none; its fingerprint stands in signatures."""
    found = installed()
    if found is None:
        return None
    return Lexicon("WordNet", f"wordnet#{found.fingerprint}", lambda _, sentence: synonyms(found, sentence))


def synonyms(wordnet: WordNet, sentence: Sentence) -> Iterator[Change]:
    """Every place of a sentence where another word surely says the same, with that word in the same form."""
    for place, token in enumerate(sentence):
        if (
            token.text.isalpha()
            and token.text.islower()
            and len(token.text) >= _LEAST
            and token.low not in _CLOSED
            and _is_free(wordnet, sentence, place)
        ):
            for new in _replacements(wordnet, sentence, place):
                if len(new) >= _LEAST and new not in _NEVER and not stems(new) & stems(token.low):
                    yield token.span, new


def _is_free(wordnet: WordNet, sentence: Sentence, place: int) -> bool:
    """Whether a word is no piece of an expression that WordNet knows, nor of a compound of nouns."""
    before, word, after = (at(sentence, place + step) for step in (-1, 0, 1))
    pairs = (f"{before.low}_{word.low}", f"{word.low}_{after.low}")
    return not any(map(wordnet.knows, pairs)) and not any(_may_join(wordnet, beside) for beside in (before, after))


def _may_join(wordnet: WordNet, beside: Token) -> bool:
    """A capital may belong to a name; also that of the first word, which costs a few synonyms."""
    return beside.low not in _CLOSED and (beside.is_capital or bool(wordnet.bases(beside.low, "noun")))


def _replacements(wordnet: WordNet, sentence: Sentence, place: int) -> Iterator[str]:
    word = sentence[place].low
    parts = [part for part in _PARTS if wordnet.bases(word, part)]
    verbs = verb_forms(sentence, place)
    if len(verbs) == 1 and at(sentence, place + 1).low not in PREPOSITIONS:
        base, form = verbs[0]
        known = (other for other in wordnet.synonyms(base, "verb") if forms_of(other))
        yield from (inflected(other, form) for other in known)
    elif parts == ["noun"] or ("noun" in parts and _stands_as_noun(sentence, place)):
        yield from _nouns(wordnet, word)
    elif parts in (["adjective"], ["adverb"]):
        yield from wordnet.synonyms(word, parts[0])


def _stands_as_noun(sentence: Sentence, place: int) -> bool:
    return at(sentence, place - 1).low in ARTICLES | POSSESSIVES and at(sentence, place + 1).low in _AFTER_NOUN


def _nouns(wordnet: WordNet, word: str) -> Iterator[str]:
    bases = wordnet.bases(word, "noun")
    if bases == [word]:
        # "woods" for "forest" would need another form of the verb
        yield from (other for other in wordnet.synonyms(word, "noun") if not other.endswith("s"))
    elif len(bases) == 1 and word == third_person(bases[0]):
        others = wordnet.synonyms(bases[0], "noun")
        yield from (third_person(other) for other in others if not wordnet.is_irregular(other, "noun"))
