"""Words that say how a circumstance is related to what happened, and those that say the contrary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from core.text.english.syntax import Replacement, Sentence
from core.text.english.verb_phrases import FINITE_TAGS, sentence_tags
from core.types import Span

_RELATIONS: Mapping[str, str] = MappingProxyType(
    {
        "after": "before",
        "before": "after",
        "following": "before",
        "during": "before",
        "when": "before",
        "until": "since",
        "since": "until",
        "amid": "without",
        "behind": "in front of",
        "beside": "far from",
        "now": "formerly",
        "formerly": "now",
        "recently": "long ago",
        "despite": "because of",
        "near": "far from",
        "inside": "outside",
        "outside": "inside",
        "above": "below",
        "below": "above",
        "under": "over",
        "over": "under",
        "beneath": "above",
        "alongside": "without",
        "against": "together with",
        "without": "with",
        "because": "although",
        "first": "last",
        "often": "rarely",
        "rarely": "often",
        "always": "never",
        "into": "out of",
        "onto": "off",
        "later": "earlier",
        "earlier": "later",
        "although": "because",
        "though": "because",
    }
)
_PHRASES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("more", "than"): "less than",
        ("less", "than"): "more than",
        ("at", "least"): "at most",
        ("at", "most"): "at least",
        ("because", "of"): "despite",
        ("ahead", "of"): "after",
        ("on", "board"): "outside",
        ("last", "year"): "this year",
        ("last", "week"): "this week",
        ("last", "season"): "this season",
        ("early", "in"): "late in",
        ("late", "in"): "early in",
        ("beginning", "of"): "end of",
        ("start", "of"): "end of",
        ("end", "of"): "beginning of",
        ("top", "of"): "bottom of",
        ("bottom", "of"): "top of",
        ("front", "of"): "back of",
        ("away", "from"): "close to",
        ("close", "to"): "far from",
        ("prior", "to"): "after",
        ("later", "that"): "earlier that",
        ("earlier", "this"): "later this",
    }
)
_COUNTED = frozenset({"CD", "DT", "$", "IN"})


def find_relations(sentence: Sentence) -> Iterator[Replacement]:
    """The relations of a sentence with their contraries, in order."""
    tags = sentence_tags(sentence)
    for place in range(1 if sentence[0].low == "following" else 0, len(sentence) - 1):
        first, second = sentence[place], sentence[place + 1]
        phrase = _PHRASES.get((first.low, second.low))
        if phrase and place + 2 < len(tags) and (second.low != "than" or tags[place + 2] in _COUNTED):
            yield Span(first.span.start, second.span.end), phrase
        elif not phrase and first.low in _RELATIONS and _relates(sentence, tags, place):
            yield first.span, _RELATIONS[first.low]


def _relates(sentence: Sentence, tags: tuple[str, ...], place: int) -> bool:
    """True if a word joins a circumstance here, and is neither a particle nor part of a phrase or question."""
    word, after, following = sentence[place].low, tags[place + 1], sentence[place + 1]
    if word in _ADVERBS:
        return tags[place] in {"RB", "RBR"} and after in _AFTER_ADVERB
    if word in {"over", "under"}:  # whatever part of speech it is taken for
        return after in {"CD", "$"}
    if tags[place] in {"RP", "RB", "JJ", "NN"} or following.low in {"all", "that", "of"} or not following.is_word:
        return False
    if word == "when":
        return sentence[-1].text != "?" and after in _SUBJECT_TAGS and bool(FINITE_TAGS & {*tags[place + 1 :]})
    before = tags[place - 1]
    # where the contrary does not fit: "a following wind", "a match against Leeds", "without any"
    is_idiom = (
        (word == "following" and before in {"VBD", "VBZ", "DT"})
        or (word == "against" and not before.startswith("VB"))
        or (word == "without" and following.low in {"any", "no"})
    )
    return after in _TAGS_AFTER.get(word, {after}) and not is_idiom


_AFTER_ADVERB = frozenset({"VBN", "VBD", "VBZ", "VB", ".", "VBG"})
_TAGS_AFTER: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "following": frozenset({"DT", "PRP$", "NN", "NNS", "NNP", "JJ"}),
        "against": frozenset({"DT", "NNP", "PRP$"}),
        "into": frozenset({"DT", "NNP", "PRP$", "JJ", "CD"}),
        "without": frozenset({"DT", "NNP", "PRP$"}),
    }
)
_ADVERBS = frozenset({"first", "often", "rarely", "always", "later", "earlier", "now", "formerly", "recently"})
_UNITS = tuple("minute hour day week month year decade".split())


def find_time_units(sentence: Sentence) -> Iterator[Replacement]:
    """The units of counted times with every other unit: two weeks, two months."""
    for place in range(1, len(sentence)):
        word, before = sentence[place].text, sentence[place - 1].low
        unit = word.removesuffix("s")
        if unit in _UNITS and (sentence_tags(sentence)[place - 1] == "CD" or before in _COUNTERS):
            yield from ((sentence[place].span, other + word[len(unit) :]) for other in _UNITS if other != unit)


_COUNTERS = frozenset("a an each every several few per half last this next one".split())
_SUBJECT_TAGS = frozenset({"PRP", "DT", "PRP$", "NNP", "NNS", "NN"})
