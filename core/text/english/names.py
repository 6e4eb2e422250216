"""The people, places and organisations of a text whose kind plain signs tell, and the places that tell where something is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from core.base import memoize
from core.text.english.dates import CALENDAR
from core.text.english.inflection import is_dictionary_word
from core.text.english.word_lists import list_groups
from core.text.segmentation import entities
from core.types import Span


class NameKind(StrEnum):
    """Kind of thing that a name names."""

    WOMAN = "woman"
    MAN = "man"
    PERSON = "person"
    COUNTRY = "country"
    CITY = "city"
    PLACE = "place"
    CLUB = "club"
    COMPANY = "company"
    ORGANISATION = "organisation"
    NATIONALITY = "nationality"


PEOPLE = frozenset({NameKind.WOMAN, NameKind.MAN, NameKind.PERSON})
PLACES = frozenset({NameKind.COUNTRY, NameKind.CITY, NameKind.PLACE})
TITLES = {
    "Mr": NameKind.MAN,
    "Mrs": NameKind.WOMAN,
    "Ms": NameKind.WOMAN,
    "Miss": NameKind.WOMAN,
    "Dr": NameKind.PERSON,
}

_ORGANISATION_WORDS = frozenset(
    "Agency Association Authority Bank College Commission Committee Company Corporation Council Foundation Group Hospital "
    "Institute Ministry Party Society Union University".split()
)
_PLACE_WORDS = frozenset(
    "Avenue Bay Beach Bridge End Fen Harbour Hill Island Lake Park Point Quay River Road Sound Square Street Valley".split()
)
_NO_PERSON = _ORGANISATION_WORDS | _PLACE_WORDS | frozenset(
    "Act Airport Award Center Centre Church Court Cup Day Democrats Festival Hall House Marathon Museum Prize School Star Station "
    "Stadium Theatre Trust War".split()
)  # fmt: skip
OFFICES = frozenset(
    "Captain Chancellor Coach Councillor Detective Governor Judge Justice Mayor Minister Officer President Professor Secretary "
    "Senator Sergeant".split()
)
_NOT_PLACES = frozenset(
    "Africa America Asia Europe Arabic Chinese English French German Italian Japanese Latin Russian Spanish Congress Parliament "
    "Christmas Easter".split()
)
_BEFORE_PLACE = re.compile(r"\b(?:in|near) $")
_AFTER_PLACE = re.compile(
    r"\s*(?:[.,;:!?)]|$|(?:and|or|but|on|at|for|by|from|to|who|which|where|when|after|before|because"
    r"|is|are|was|were|has|have|had|will)\b)"
)
_MAX_NAME_CHARACTERS = 60  # characters of a name
_NAME_MARGIN = 12  # characters looked at on either side of a name


@dataclass(frozen=True, slots=True)
class Name:
    """One mention of a thing of a known kind; `text` has neither a possessive ending nor what stands before it."""

    span: Span
    text: str
    kind: NameKind
    definite: bool

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for word in self.text.split() if word not in TITLES)


@memoize(256)
def find_names(text: str, context: str) -> tuple[Name, ...]:
    """The mentions in a text, in order; `context` is what tells whose surname or which place a word is.

    A name next to another name, as in "Boston, Lincolnshire" or "Paris-Roubaix", is left out: it is part of a whole.
    """
    kinds = _known_kinds(context)
    names = []
    for mention in name_runs(text):
        words = mention.of(text).split()
        for skipped in range(len(words)):
            kind = _kind_of_words(words[skipped:], kinds)
            if kind and (not skipped or words[skipped - 1] in OFFICES):
                name_text = mention.of(text).split(maxsplit=skipped)[-1] if skipped else mention.of(text)
                whole = Span(mention.end - len(name_text), mention.end)
                definite = text[max(0, mention.start - 4) : mention.start].lower() == "the "
                names.append(Name(whole, whole.of(text), kind, definite))
                break
    return tuple(name for name in names if not touches_name(text, name.span))


def listed_names(kind: NameKind) -> tuple[str, ...]:
    """The names of one kind in our lists."""
    return tuple(name for name, listed_kind in _listed_kinds().items() if listed_kind is kind)


def is_listed_name(word: str) -> bool:
    """True if a name of one word is in our lists, also as a name of several kinds."""
    return word in _listed_words()


@cache
def _listed_words() -> frozenset[str]:
    groups = (group for name in ("given_names", "surnames", "places", "organisations") for group in list_groups(name))
    return frozenset(name for _, members in groups for name in members)


def _kind_of_words(words: list[str], kinds: dict[str, NameKind]) -> NameKind | None:
    """The kind of a run of capitalised words, if its first word or the whole tells it."""
    whole = " ".join(words)
    if words[0] in TITLES:
        return TITLES[words[0]] if len(words) > 1 else None
    if whole in kinds:
        return kinds[whole]
    if len(words) == 1 or len(words) > 4:
        return None
    if words[-1] in _ORGANISATION_WORDS:
        return NameKind.ORGANISATION
    if words[-1] in _PLACE_WORDS:
        return NameKind.PLACE
    first = _listed_kinds().get(words[0])
    plain = all(
        word.istitle() or ("-" in word and word.rpartition("-")[2].istitle()) or "’" in word or "'" in word
        for word in words
    )
    return first if first in PEOPLE and plain and not _NO_PERSON & set(words) else None


@memoize(64)
def _known_kinds(context: str) -> dict[str, NameKind]:
    """The lists, with the surnames of people who are named in full and the places that a text puts things in."""
    learnt: defaultdict[str, set[NameKind]] = defaultdict(set)
    for mention in name_runs(context):
        words = mention.of(context).split()
        if len(words) == 1:
            learnt[words[-1]] |= _kinds_by_neighbours(context, mention)
        else:  # by a title or first name in it
            heads = (_kind_of_words(words[skipped:], _listed_kinds()) for skipped in range(len(words) - 1))
            learnt[words[-1]] |= {kind for kind in heads if kind in PEOPLE}
    # two or three capitalised words of which the last also stands alone, where nothing says that they name no
    # person
    runs = Counter(mention.of(context) for mention in name_runs(context))
    single = {run for run in runs if " " not in run}
    definite = {run for run in runs if re.search(rf"\b(?:[Tt]he|[Ii]n|[Aa]t|[Nn]ear) {re.escape(run)}\b", context)}
    people_by_surname = [
        run for run in runs if 1 < len(run.split()) < 4 and _may_name_person(run, single) and run not in definite
    ]
    for whole in people_by_surname:
        kind = _listed_kinds().get(whole.split()[0]) or _gender_of_pronouns(context)
        for name in (whole, whole.split()[-1]):
            learnt[name] = learnt[name] or {kind}
    # names of those who speak more than once in a dialogue: no word of a name is in a dictionary, as Client is
    turns = Counter(_SPEAKER.findall(context))
    speakers = [
        speaker
        for speaker, count in turns.items()
        if count > 1 and not any(is_dictionary_word(word.lower()) for word in speaker.split())
    ]
    for speaker in speakers:
        learnt[speaker] = learnt[speaker] or {NameKind.PERSON}
    # things happen in Victoria where that is no woman
    listed = {
        word: kind for word, kind in _listed_kinds().items() if kind in PLACES or learnt.get(word) != {NameKind.PLACE}
    }
    return {word: min(kinds) for word, kinds in learnt.items() if len(kinds) == 1} | listed


def _kinds_by_neighbours(context: str, mention: Span) -> set[NameKind]:
    name = mention.of(context)
    before = context[max(0, mention.start - _NAME_MARGIN) : mention.start]
    after = context[mention.end : mention.end + _NAME_MARGIN]
    may_be_place = name not in _NOT_PLACES and name.isalpha()
    is_place = may_be_place and _BEFORE_PLACE.search(before) and _AFTER_PLACE.match(after)
    # a name has a capital inside, as StarWorks, and somebody speaks for it
    speaker = context[max(0, mention.start - 2 * _NAME_MARGIN) : mention.start]
    is_company = _CAPITAL_INSIDE.fullmatch(name) and _BEFORE_COMPANY.search(speaker)
    return ({NameKind.PLACE} if is_place else set()) | ({NameKind.COMPANY} if is_company else set())


_SPEAKER = re.compile(r"(?:^|\n|[.?!)] )\s?([A-Z][a-z]+(?: [A-Z][a-z]+)?): ")


def _gender_of_pronouns(context: str) -> NameKind:
    """The gender of nearly all pronouns of a text."""
    male, female = (
        len(re.findall(r"\b(?:he|him|his)\b", context, re.I)),
        len(re.findall(r"\b(?:she|her|hers)\b", context, re.I)),
    )
    if male + female < _MIN_PRONOUNS or min(male, female) * _MAX_MINORITY > max(male, female):
        return NameKind.PERSON
    return NameKind.MAN if male > female else NameKind.WOMAN


_MIN_PRONOUNS, _MAX_MINORITY = 3, 5


def _may_name_person(run: str, single: set[str]) -> bool:
    words = run.split()
    kinds = _listed_kinds()
    plain = all(word[0].isupper() and not word.isupper() and word.isalpha() for word in words)
    other = any(
        kinds.get(word) not in PEOPLE | {None} or word in _NO_PERSON | _TEAM_WORDS | OFFICES | _NOT_PLACES
        for word in words
    )
    first = words[0] in kinds or not is_dictionary_word(words[0].lower())
    return plain and first and words[-1] in single and not other and words[0] not in {*TITLES, "The", "A", "An"}


_TEAM_WORDS = frozenset(
    "United City Madrid Rovers Villa Albion Wanderers Town Athletic Rangers Palace Forest County League Premier Ham Munich "
    "Dortmund New North South East West Saint St San Los Las El La Great United Islamic National International Royal State "
    "American British European Australian Republican Democrat Christian Muslim Jewish Sunni Instagram Facebook Twitter".split()
)


_CAPITAL_INSIDE = re.compile(r"(?!Mc|Mac|De|Di|Du|La|Le|Van|Fitz|O['’])[A-Z][a-z]+[A-Z]\w*")
_BEFORE_COMPANY = re.compile(
    r"\b(?:agent|representative|rep|manager|executive|consultant|director|specialist|team|calling|[Ii]|I'm|me|us) (?:from|at|with|of) $"
    r"|\b[A-Z][a-z]+,? (?:from|at|with) $"
)


@memoize(256)
def name_runs(text: str) -> tuple[Span, ...]:
    """Runs of capitalised words on one line, without dates, numbers and a possessive ending."""
    return tuple(
        Span(entity.start, entity.end - (2 if entity.of(text).endswith(("'s", "’s")) else 0))
        for entity in entities(text)
        if entity.end - entity.start <= _MAX_NAME_CHARACTERS
        and not ((run := entity.of(text))[0].isdigit() or "\n" in run or run[-1] in "'’" or CALENDAR & set(run.split()))
        and not _CLIPPED_MONTH.match(text, entity.start)
    )


_CLIPPED_MONTH = re.compile(r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\b\.? ?\d")


def touches_name(text: str, span: Span) -> bool:
    """True if another name stands right beside a span, so that both may be parts of a whole."""
    before, after = text[max(0, span.start - 5) : span.start], text[span.end : span.end + 6]
    joined = re.match(r"[-–/&@]|, ?[A-Z]| & | ?\(| of [A-Z]| (?:van|von|de|da|del|der|di)\b", after) or re.search(
        r"[-–/&@.#]$|[A-Z]\w*, $|\b(?:van|von|de|da|del|der|di|of) $", before
    )
    return joined is not None


@cache
def _listed_kinds() -> dict[str, NameKind]:
    kinds_by_name: defaultdict[str, list[NameKind]] = defaultdict(list)
    genders = {"female": NameKind.WOMAN, "male": NameKind.MAN}
    for head, members in list_groups("given_names"):
        for name in members:
            kinds_by_name[name].append(genders[head])
    for head, members in (*list_groups("places"), *list_groups("organisations")):
        for name in members:
            kinds_by_name[name].append(NameKind(head))
    return {name: kinds[0] for name, kinds in kinds_by_name.items() if len(kinds) == 1}


_BEFORE_CIRCUMSTANCE = re.compile(r"\b(?:[Ii]n|[Nn]ear|[Aa]t)(?: the)? $")
_POSSESSIVE_BEFORE = re.compile(r"\b(?:its|his|her|their) $")
_AFTER_CIRCUMSTANCE = re.compile(
    r"\s*(?:[.;:)]|$|(?:and|but|on|at|for|by|from|to|when|after|before|because|while|until|with|during|last|this|that|has|have"
    r"|is|are|was|were|will|had|\w{2,8}ed)\b)"
)
_CIRCUMSTANCE_MARGIN = 12  # characters looked at on either side


def find_places(text: str, context: str) -> tuple[Name, ...]:
    """The places that stand as circumstances in a text, in order."""
    places = []
    for name in find_names(text, context):
        if name.kind not in PLACES:
            continue
        before = text[max(0, name.span.start - _CIRCUMSTANCE_MARGIN) : name.span.start]
        after = text[name.span.end : name.span.end + _CIRCUMSTANCE_MARGIN]
        owned = _POSSESSIVE_BEFORE.search(before) and after[:2].strip().islower()
        if owned or (_BEFORE_CIRCUMSTANCE.search(before) and _AFTER_CIRCUMSTANCE.match(after)):
            places.append(name)
    return tuple(places)
