"""Words and phrases that say the same: by a bundled list, or by WordNet where word, sense and form are certain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from core.text.english.inflection import base_forms, inflect, inflect_verb, plural, possible_verb_forms
from core.text.english.numbers import NUMBER_WORDS
from core.text.english.syntax import Replacement, Sentence, contextual_verb_readings, token_at
from core.text.english.verb_phrases import NOUN_TAGS, sentence_tags, verb_frames, verb_reading
from core.text.english.word_lists import (
    ADVERBS,
    ARTICLES,
    COORDINATORS,
    DETERMINERS,
    FINITE_BE,
    FUNCTION_WORDS,
    HAVE,
    MODALS,
    POSSESSIVES,
    PREPOSITIONS,
    conditional_words,
    list_groups,
)
from core.text.english.wordnet import PartOfSpeech, WordNet, load_wordnet
from core.types import Span

_MAX_PHRASE_WORDS = 6  # words of a phrase
_FRACTIONS = frozenset("half third quarter fifth tenth hundred".split())


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Source of synonyms: its name in words, in signatures, and its synonyms in a sentence of a summary."""

    title: str
    signature: str
    synonyms: Callable[[str, Sentence], Iterator[Replacement]]


def bundled_synonyms(summary: str, sentence: Sentence) -> Iterator[Replacement]:
    """Every place of a sentence where another expression says the same, with that expression."""
    for place, token in enumerate(sentence):
        if token.is_word:
            yield from _phrase_synonyms(summary, sentence, place)
            yield from _verb_synonyms(sentence, place)
            yield from _listed_by_part(sentence, place)


def _phrase_synonyms(summary: str, sentence: Sentence, place: int) -> Iterator[Replacement]:
    for end in range(place + _MAX_PHRASE_WORDS, place, -1):
        words = sentence[place:end]
        counted = f"{' '.join(token.low for token in words)} <n>"
        span = Span(sentence[place].span.start, words[-1].span.end)
        plain = " ".join(span.of(summary).lower().split())
        after, following = token_at(sentence, end), token_at(sentence, end + 1)
        is_number = after.low in NUMBER_WORDS or (after.low in {"a", "one"} and following.low in _FRACTIONS)
        if counted in _bundled_groups() and (is_number or after.text[0].isdigit()):
            yield from ((span, other.removesuffix(" <n>")) for other in _bundled_groups()[counted])
            return
        # a piece of a name or title: a capital inside of a sentence
        is_name = any(token.is_capital for token in sentence[max(1, place) : end]) or (not place and after.is_capital)
        if plain in _bundled_groups() and not is_name:
            yield from ((span, other) for other in _bundled_groups()[plain])
            return


def _verb_synonyms(sentence: Sentence, place: int) -> Iterator[Replacement]:
    readings = contextual_verb_readings(sentence, place)
    after = token_at(sentence, place + 1).low
    if len(readings) == 1 and not sentence[place].is_capital:
        base, form = readings[0]
        for other, needed, barred in conditional_words("verb_synonyms").get(base, ()):
            if (
                needed in ("", after)
                and barred != after
                and (needed or after in DETERMINERS | {"by", "in", "to", "only", "."})
            ):
                yield sentence[place].span, inflect(other, form)


def _listed_by_part(sentence: Sentence, place: int) -> Iterator[Replacement]:
    """The synonyms of a word in small letters as the part of speech that it is here, in its form."""
    tags = sentence_tags(sentence)
    token, tag = sentence[place], tags[place]
    if token.is_capital and place:
        return
    # another noun or a hyphen touches it, or it is counted as a thing of a name
    around = {tags[other] for other in (place - 1, place + 1) if 0 <= other < len(tags)}
    is_in_compound = bool(NOUN_TAGS & around) or "-" in token.text
    # a noun follows an adjective that nothing makes more or less
    graded = place and (tags[place - 1] in {"RB", "RBR", "RBS"} or sentence[place - 1].low in {"as", "so", "too"})
    opens_noun = not graded and place + 1 < len(tags) and tags[place + 1] in {"NN", "NNS", "JJ", "VBN", "CD"}
    if tag in {"NN", "NNS"} and not is_in_compound:
        bases = (base for base in base_forms(token.low) if ("n", base) in _synonyms_by_part())
        words = [new for base in bases for _, new in _synonyms_by_part()["n", base]]
        yield from ((token.span, plural(new) if tag == "NNS" else new) for new in words)
    elif tag.startswith("V") and not token.is_capital and (reading := verb_reading(sentence, place)):
        frames, (base, form) = verb_frames(sentence, place), reading
        words = [new for frame, new in _synonyms_by_part().get(("v", base), ()) if frame in frames]
        yield from ((token.span, inflect_verb(new, form)) for new in words)
    elif tag in {"JJ", "JJS"} and opens_noun:
        yield from ((token.span, new) for _, new in _synonyms_by_part().get(("j", token.low), ()))
    elif tag in {"RB", "IN"} and not (place and tags[place - 1] == "RB"):
        yield from ((token.span, new) for _, new in _synonyms_by_part().get(("r", token.low), ()))


@cache
def _synonyms_by_part() -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    """(part, word) → (frame, synonym)"""
    entries_by_word: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for head, members in list_groups("synonyms_by_part"):
        word, part, *frame = head.split(maxsplit=2)
        entries_by_word[part, word] += [("".join(frame), member) for member in members]
    return {key: tuple(entries) for key, entries in entries_by_word.items()}


@cache
def _bundled_groups() -> dict[str, tuple[str, ...]]:
    return dict(list_groups("synonyms"))


BUNDLED_LEXICON = Lexicon("the bundled list", "bundled", bundled_synonyms)


def join_lexicons(*lexicons: Lexicon) -> Lexicon:
    """Join lexicons: each proposal of any of them once."""

    def synonyms(summary: str, sentence: Sentence) -> Iterator[Replacement]:
        changes = (change for lexicon in lexicons for change in lexicon.synonyms(summary, sentence))
        yield from dict.fromkeys(changes)

    titles, signatures = zip(*((lexicon.title, lexicon.signature) for lexicon in lexicons), strict=True)
    return Lexicon(" or ".join(titles), "+".join(signatures), synonyms)


_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")
_END_MARKS = frozenset(".,;:!?)")
_AFTER_NOUN = _END_MARKS | FINITE_BE | HAVE | MODALS | PREPOSITIONS | COORDINATORS
_PERSONS = frozenset("somebody someone anybody anyone everybody everyone person persons".split())
_NEVER_REPLACED = FUNCTION_WORDS | _PERSONS
_CLOSED_WORDS = _NEVER_REPLACED | ADVERBS | frozenset(NUMBER_WORDS)
_MIN_LETTERS = 4  # letters; shorter ones are often units and abbreviations


def wordnet_lexicon() -> Lexicon | None:
    """The WordNet that NLTK has, or None where it has none; its fingerprint stands in signatures."""
    wordnet = load_wordnet()
    if wordnet is None:
        return None
    return Lexicon("WordNet", f"wordnet#{wordnet.fingerprint}", lambda _, sentence: wordnet_synonyms(wordnet, sentence))


def wordnet_synonyms(wordnet: WordNet, sentence: Sentence) -> Iterator[Replacement]:
    """Every place of a sentence where another word surely says the same, with that word in the same form."""
    for place, token in enumerate(sentence):
        is_word = token.text.isalpha() and token.text.islower() and len(token.text) >= _MIN_LETTERS
        if not is_word or token.low in _CLOSED_WORDS:
            continue
        # a piece of an expression that WordNet knows, or of a compound of nouns, does not stand alone; a capital may belong
        # to a name; also that of the first word, which costs a few synonyms
        before, after = token_at(sentence, place - 1), token_at(sentence, place + 1)
        if any(map(wordnet.knows, (f"{before.low}_{token.low}", f"{token.low}_{after.low}"))) or any(
            neighbour.low not in _CLOSED_WORDS and (neighbour.is_capital or wordnet.bases(neighbour.low, "noun"))
            for neighbour in (before, after)
        ):
            continue
        for new in _replacements(wordnet, sentence, place):
            is_other = not base_forms(new) & base_forms(token.low)
            if len(new) >= _MIN_LETTERS and new not in _NEVER_REPLACED and is_other:
                yield token.span, new


def _replacements(wordnet: WordNet, sentence: Sentence, place: int) -> Iterator[str]:
    word = sentence[place].low
    parts = [part for part in _PARTS if wordnet.bases(word, part)]
    verbs = contextual_verb_readings(sentence, place)
    before, after = token_at(sentence, place - 1), token_at(sentence, place + 1)
    is_noun_here = before.low in ARTICLES | POSSESSIVES and after.low in _AFTER_NOUN
    if len(verbs) == 1 and after.low not in PREPOSITIONS:
        base, form = verbs[0]
        inflectable = (other for other in wordnet.synonyms(base, "verb") if possible_verb_forms(other))
        yield from (inflect(other, form) for other in inflectable)
    elif parts == ["noun"] or ("noun" in parts and is_noun_here):
        bases = wordnet.bases(word, "noun")
        if bases == [word]:
            # "woods" for "forest" would need another form of the verb
            yield from (other for other in wordnet.synonyms(word, "noun") if not other.endswith("s"))
        elif len(bases) == 1 and word == plural(bases[0]):
            others = wordnet.synonyms(bases[0], "noun")
            yield from (plural(other) for other in others if not wordnet.is_irregular(other, "noun"))
    elif parts in (["adjective"], ["adverb"]):
        yield from wordnet.synonyms(word, parts[0])
