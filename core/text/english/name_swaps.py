"""Names of a document that may stand for those of its summary, where more names are read than those whose kind lists tell.

Both are people, or bodies, or places of one level, of which neither lies in the other. An article before a country or body
comes and goes with its name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from core.base import memoize
from core.text.english.inflection import is_dictionary_word
from core.text.english.mentions import matching_sentences, mentions, sentence_around
from core.text.english.names import OFFICES, PEOPLE, PLACES, TITLES, Name, NameKind, find_names, is_listed_name
from core.text.english.syntax import split_tokens
from core.text.english.tagger import part_of_speech_tags
from core.text.english.wide_names import NameReading, definite_names, named_things
from core.text.english.word_lists import COORDINATORS, PREPOSITIONS, SUBORDINATORS, list_groups, list_lines
from core.types import Example, Span

_LEVELS = {"country": NameKind.COUNTRY, "city": NameKind.CITY, "state": NameKind.PLACE}
_BODIES = frozenset({NameKind.CLUB, NameKind.COMPANY, NameKind.ORGANISATION})
_GENDERED = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"(?<![\w'’-])([\w'’-]+) $")
_NAMED_BEFORE = re.compile(r"\b(?:named|called|name of|name|known as)(?: the)? $")
_ACRONYM = re.compile(r"(?![IVX]+$)(?:[A-Z]\.?){2,5}")
_MARGIN = 24  # characters looked at before a name


@memoize(64)
def swappable_names(text: str, context: str, reading: NameReading, parser: str) -> tuple[Name, ...]:
    """The names of a text in order: people, bodies of any kind, and places of which the level is known.

    Raises LoadError or MissingWeightsError where names are parsed and the pipeline is not here.
    """
    people = {name.text for name in find_names(text, context) if name.kind in PEOPLE}
    names = [place for place in _listed_places(text) if place.text not in people]
    for name in named_things(text, context, reading, parser):
        apart = all(name.span.end <= other.span.start or other.span.end <= name.span.start for other in names)
        words = name.text.split()
        is_odd = not _NAME.fullmatch(name.text)
        is_thing = name.kind in PEOPLE and len(words) > _MOST_PLAIN_WORDS and is_dictionary_word(words[-1].lower())
        if apart and name.kind not in PLACES and not (is_odd or is_thing):
            names.append(replace(name, kind=NameKind.ORGANISATION) if name.kind in _BODIES else name)
    return tuple(sorted(names, key=lambda name: name.span))


_NAME = re.compile(r"[^\W_][\w.&'’-]*(?: (?:&|\w[\w.&'’-]*))*")
_MOST_PLAIN_WORDS = 2  # of a person whose last name is a word too: Robin Hood, but not James Webb Space Telescope


def stand_ins(example: Example, mentioned: Sequence[Name], others: Sequence[Name]) -> list[tuple[Name, Name]]:
    """Names of a summary that its document mentions, each with one of its document that may stand for it, both surely of a kind.

    All there are where no two are.
    """
    document_names = _known_names(example.document, others)
    possible = [name for name in document_names.values() if _is_whole(name, document_names)]
    known_mentions = [
        replace(name, kind=_kind_of_person(name, document_names)) if name.kind in PEOPLE else name
        for name in mentioned
        if mentions(example.document, name.text) and _stands_alone(example.summary, name, document_names)
    ]
    sure = [name for name in possible if _is_sure(name, document_names)]
    pairs = [
        (old, new)
        for old in known_mentions
        if _is_sure(old, document_names)
        for new in _others(example, old, sure, document_names)
    ]
    return pairs or [(old, new) for old in known_mentions for new in _others(example, old, possible, document_names)]


def acts_on(summary: str, name: Name, other: Name) -> bool:
    """True if what one does to the other stands between them: Russia's attack on Ukraine, but not its border with Ukraine."""
    acts = _ACTS_ON.fullmatch(summary[name.span.end : other.span.start])
    return (
        acts is not None
        and _MUTUAL.isdisjoint(acts.group(1).lower().split())
        and name.definite == other.definite
        and _fits(summary, name, other)
    )


_ACTS_ON = re.compile(r"(?:'s|’s) ((?:[\w-]+ ){1,3})(?:into|against|on|over|from|to|of|in|at|for) (?:the )?")
_MUTUAL = frozenset(
    "agreement battle border brother clash clashes colleague contact cousin deal distance dispute draw engagement fight fixture friend game links "
    "marriage match meeting partner peace proximity rival rivalry similarity sister talks tie ties trade twin war".split()
)


def _is_whole(name: Name, document_names: Mapping[str, Name]) -> bool:
    """False for a time zone, and for a person of one word that no list has and that is no part of a longer name."""
    if name.kind in PEOPLE and " " not in name.text:
        return is_listed_name(name.text) or any(
            name.text in text.split() for text in document_names if text != name.text
        )
    return name.text not in _TIME_ZONES


_TIME_ZONES = frozenset("BST CET CEST CST EDT EST ET GMT IST PDT PST PT UTC".split())


def _is_sure(name: Name, document_names: Mapping[str, Name]) -> bool:
    """True if more than the words around a name or a parser tell its kind."""
    if name.kind in PEOPLE:
        wholes = [name.text, *(text for text in document_names if text.endswith(f" {name.text}"))]
        return any(
            " " in whole and (whole.split()[0] in TITLES or is_listed_name(whole.split()[0])) for whole in wholes
        )
    return name.kind is not NameKind.ORGANISATION or is_listed_name(name.text) or _is_acronym(name)


def _known_names(document: str, others: Sequence[Name]) -> dict[str, Name]:
    """By text one name of a document: of its commonest kind, and definite where an article of its own mostly comes before it."""
    kinds: defaultdict[str, Counter[NameKind]] = defaultdict(Counter)
    articles: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for name in others:
        kinds[name.text][name.kind] += 1
        articles[name.text][name.definite] += not (name.definite and modifies(document, name))
    last = {name.text: name for name in others}
    return {
        text: replace(name, kind=kinds[text].most_common(1)[0][0], definite=_is_definite(name, articles[text]))
        for text, name in last.items()
    }


def _kind_of_person(name: Name, document_names: Mapping[str, Name]) -> NameKind:
    """The kind by which a document knows a person, or the gender of those whom it gives that surname."""
    if name.text in document_names:
        return document_names[name.text].kind
    namesakes = {other.kind for other in document_names.values() if other.text.split()[-1] == name.text.split()[-1]}
    genders = namesakes & {NameKind.MAN, NameKind.WOMAN}
    return genders.pop() if len(genders) == 1 else name.kind


def _is_definite(name: Name, articles: Counter[bool]) -> bool:
    if name.kind in PLACES:
        return name.text in _definite_places()
    return articles[True] > articles[False]


@cache
def _definite_places() -> frozenset[str]:
    return frozenset({*list_lines("definite_places"), *definite_names(NameKind.COUNTRY)})


def _others(example: Example, old: Name, others: Sequence[Name], document_names: Mapping[str, Name]) -> list[Name]:
    if _WITH_KIN.match(example.summary, old.span.end):
        return []
    claim, _, there = matching_sentences(example.document, example.summary, old.span).partition("\n")
    called = _ways_to_call(old, document_names)
    is_modifier = modifies(example.summary, old)
    fitting = [
        new
        for new in others
        if _fits(example.summary, old, new)
        and not called & _ways_to_call(new, document_names)
        and f"{new.text} {old.text}" not in example.document
        and f"{old.text} {new.text}" not in example.document
        and not _mentions_any(claim, new)
        and not (is_modifier and old.kind in PLACES and _is_acronym(old) != _is_acronym(new))
    ]
    away = [new for new in fitting if not _mentions_any(there, new)]
    # what the best sentence says of two places may hold for both
    return away or ([] if old.kind in PLACES else fitting)


_WITH_KIN = re.compile(r"(?:,[^,.]*,)? and (?:his|her|their) [a-z]")
"""Words after one of two who are kin: where it is said of both, Ann and her brother are also Tom and his sister."""


def _is_acronym(name: Name) -> bool:
    return _ACRONYM.fullmatch(name.text) is not None


def has_place_for_article(summary: str, name: Name) -> bool:
    """True if "the" may come before a name: it opens a sentence, or stands after a preposition or conjunction."""
    before = _WORD_BEFORE.search(summary, max(0, name.span.start - _MARGIN), name.span.start)
    leading_words = PREPOSITIONS | COORDINATORS | SUBORDINATORS
    return opens_sentence(summary, name) or (before is not None and before.group(1).lower() in leading_words)


def opens_sentence(summary: str, name: Name) -> bool:
    """True if only quotation marks stand between a name and the end of the sentence before."""
    before = summary[: name.span.start].rstrip("\"'“‘ \n")
    return not before or before[-1] in ".!?"


def _fits(summary: str, old: Name, new: Name) -> bool:
    """True if another name is of the same kind; of people, no pronoun is left that is wrong for one of whom we know the gender."""
    if old.kind not in PEOPLE:
        return old.kind == new.kind and not any({old.text, new.text} <= names for names in _one_place())
    if new.kind not in PEOPLE or old.definite or new.definite:
        return False
    gendered = _GENDERED.search(summary, sentence_around(summary, old.span).start)
    in_full = len(new.text.split()) > 1 and new.text.split()[0] not in TITLES
    before = _WORD_BEFORE.search(summary, max(0, old.span.start - _MARGIN), old.span.start)
    return not (gendered and {old.kind, new.kind} == {NameKind.MAN, NameKind.WOMAN}) and (
        in_full or not (before and before.group(1)[0].isupper())
    )


def _ways_to_call(name: Name, document_names: Mapping[str, Name]) -> frozenset[str]:
    """The words of a name and of all that have one in common with it; of a body its last initials too, as WHO."""
    alike = [name, *(other for other in document_names.values() if other.words & name.words)]
    initials = [
        "".join(word[0] for word in other.text.split() if word[0].isupper()) for other in alike if " " in other.text
    ]
    endings = {whole[start:] for whole in initials for start in range(len(whole) - 1)}
    return frozenset(endings).union(*(other.words for other in alike))


def _mentions_any(text: str, name: Name) -> bool:
    return any(mentions(text, word) for word in name.words if word[0].isupper())


def _stands_alone(summary: str, name: Name, document_names: Mapping[str, Name]) -> bool:
    """True if neither naming nor a capitalised word comes before it that may be a part of it.

    An office is none, and no word before a person whom the document names in full just so, as in Supt Ann Lee.
    """
    before = summary[max(0, name.span.start - _MARGIN) : name.span.start]
    word = _WORD_BEFORE.search(before)
    if _NAMED_BEFORE.search(before):
        return False
    in_full = name.kind in PEOPLE and " " in name.text and name.text in document_names
    if name.kind in PLACES or in_full or word is None or not word.group(1)[0].isupper():
        return True
    opens = sentence_around(summary, name.span).start == name.span.start - len(word.group())
    is_noun = opens and name.kind in PEOPLE and is_dictionary_word(word.group(1).lower())
    return word.group(1) in OFFICES | {"The"} or is_noun


def modifies(text: str, name: Name) -> bool:
    """True if a noun or an adjective comes right after a name: a Texas man, the UK economy."""
    sentence = sentence_around(text, name.span)
    after = text[name.span.end : sentence.end]
    if not re.match(r" [a-z]", after):
        return False
    tokens = split_tokens(text[name.span.start : sentence.end])
    place = next((at for at, token in enumerate(tokens) if token.span.start > len(name.text)), None)
    tags = part_of_speech_tags(tuple(token.text for token in tokens))
    return place is not None and tags[place][:2] in {"NN", "JJ"}


@cache
def _one_place() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(name.strip() for name in line.split(",")) for line in list_lines("one_place"))


@cache
def _levels() -> dict[str, NameKind]:
    groups = (group for name in ("places", "further_countries", "further_places") for group in list_groups(name))
    return {name: _LEVELS[head] for head, names in groups for name in names if head in _LEVELS}


@cache
def _place_pattern() -> re.Pattern[str]:
    longest_first = sorted(_levels(), key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-]|\.\w|['’](?!s\b))")


def _listed_places(text: str) -> list[Name]:
    """The countries, cities and states of a text that are no part of a longer name, as Boston, Lincolnshire and Paris Hilton."""
    places = []
    for match in _place_pattern().finditer(text):
        span = Span(*match.span())
        before, after = text[max(0, span.start - _MARGIN) : span.start], text[span.end : span.end + _MARGIN]
        kind = _levels()[match.group()]
        # a country or state after its city is a place of its own
        inside = _CAPITAL_BEFORE.search(before if kind is NameKind.CITY else before.removesuffix(", "))
        is_whole = not (inside or _CAPITAL_AFTER.match(after))
        if is_whole and (kind is NameKind.COUNTRY or not re.match(r", [A-Z]", after)):
            places.append(Name(span, match.group(), kind, before.lower().endswith("the ")))
    return places


_CAPITAL_BEFORE = re.compile(
    r"(?<!\w)(?!(?:An?|The|In|On|At|From|For|But|And|As|When|After|To|Of|With|By|Across|Near|While) )[A-Z][\w.&’'-]*(?: of(?: the)?| and|,)? $|[/&@#–]$"
)
_CAPITAL_AFTER = re.compile(r" [A-Z]|[/&@–$£€]| & | ?\(| of [A-Z]")
