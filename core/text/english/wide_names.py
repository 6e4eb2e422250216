"""Names whose kind only the words around them tell, or a parser: what stands beside the lists of `names` where more reach is asked for.

A wrong guess of the kind makes an odd sentence ("Toyota said" for a telescope), and never a true one.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from core.base import memoize
from core.model_reference import Checkpoint
from core.text.english.inflection import is_dictionary_word
from core.text.english.mentions import mentions
from core.text.english.names import Name, NameKind, find_names, is_listed_name, name_runs, touches_name
from core.text.english.word_lists import list_groups, list_lines
from core.text.spacy_pipeline import load_pipeline, parser_folder
from core.types import Span

NameReading = Literal["listed", "guessed", "parsed"]
DEFAULT_PARSER = "package:en_core_web_sm"

_PERSON_NOUNS = (
    "president|premier|chancellor|minister|senator|sen\\.|rep\\.|gov\\.|governor|mayor|judge|justice|prosecutor|attorney|lawyer|"
    "coach|manager|captain|striker|midfielder|goalkeeper|quarterback|driver|actor|actress|singer|rapper|musician|composer|author|"
    "writer|novelist|poet|director|producer|journalist|reporter|host|professor|dr\\.?|scientist|researcher|economist|analyst|"
    "officer|detective|sergeant|lieutenant|commander|general|colonel|admiral|pope|king|queen|prince|princess|lord|lady|sir|"
    "boss|chief executive|ceo|chairman|chairwoman|wife|husband|son|daughter|brother|sister|mother|father|friend|girlfriend|boyfriend|leader|activist|founder|spokesman|"
    "spokeswoman|mr\\.?|mrs\\.?|ms\\.?|miss"
)
_SAYS = "said|says|told|tells|added|adds|wrote|writes|tweeted|argued|explained|recalled|thinks|believes|asks|asked|wants|decides|agrees"
_PLACE_NOUNS = "city|town|village|state|province|district|county|region|island|port|suburb|capital"
_ORGANISATION_NOUNS = (
    "company|firm|maker|giant|start-?up|carrier|airline|retailer|bank|agency|regulator|charity|union|publisher"
)
_ORGANISATION_ENDS = frozenset(
    "Inc Corp Ltd LLC Co PLC Airlines Airways Motors Holdings Technologies Systems Pharmaceuticals Therapeutics Energy Media Group "
    "Police Department Ministry Office Service Times Post News Journal Magazine League Federation Fund Exchange Club FC".split()
)
_BEFORE: tuple[tuple[re.Pattern[str], NameKind, int], ...] = (
    (re.compile(rf"\b(?:{_PERSON_NOUNS}),? $", re.IGNORECASE), NameKind.PERSON, 3),
    (re.compile(rf"\b(?:{_PLACE_NOUNS}) of $", re.IGNORECASE), NameKind.PLACE, 3),
    (re.compile(r"\b(?:in|near) $"), NameKind.PLACE, 2),
    (re.compile(r"\b(?:across|throughout|outside|to|from|around|leave|left|reach|visit|visited|invaded|invade) $"), NameKind.PLACE, 1),
    (re.compile(rf"\b(?:{_ORGANISATION_NOUNS}),? $"), NameKind.ORGANISATION, 3),
    (re.compile(r"\b(?:by|at|with) $"), NameKind.ORGANISATION, 1),
)  # fmt: skip
_AFTER: tuple[tuple[re.Pattern[str], NameKind, int], ...] = (
    (re.compile(r",? (?:\d\d,|who\b|whose\b)"), NameKind.PERSON, 3),
    (re.compile(rf",? (?:{_SAYS})\b"), NameKind.PERSON, 1),
    (re.compile(rf",? (?:{_SAYS})\b"), NameKind.ORGANISATION, 1),
    (re.compile(r"(?:'s|’s) (?:government|president|capital|parliament|economy|army|invasion|border|ambassador)\b"), NameKind.PLACE, 3),
    (re.compile(r"(?:'s|’s) (?:shares|stock|customers|employees|chief|CEO|profit|revenue|sales|board|spokes)"), NameKind.ORGANISATION, 3),
    (re.compile(r" (?:shares|stock|announced|reported|launched|acquired|plans|customers|employees|executives|officials)\b"), NameKind.ORGANISATION, 2),
)  # fmt: skip
_NO_NAMES = frozenset(
    "AI API BMI CEO CFO CO2 COVID CPU DNA EBITDA EPS ESG GDP GPS GPU HIV HR ICU IPO IQ IT LED LGBT LGBTQ MRI NLP PC PCR PDF PR RNA ROI RSV "
    "TV UFO URL USB VIP VR Covid Covid-19 COVID-19 Bluetooth Internet Web Bible Quran God Earth Mars Moon Sun English Christmas Easter "
    "Thanksgiving Christian Muslim Jewish Islam Catholic Republican Republicans Democrat Democrats Democratic Senate House Congress "
    "Parliament State Government University College Bird Black White First Second World North South East West Northern "
    "Southern Eastern Western European African Asian Arab I".split()
)
_MARGIN = 24  # characters looked at on either side
_ACRONYM = re.compile(r"[A-Z]{2,6}|(?:[A-Z]\.){2,4}")
_WORD = re.compile(r"[A-Z][\w’'-]*[\w]")


def named_things(text: str, context: str, reading: NameReading, parser: str) -> tuple[Name, ...]:
    """The names of a text in order, apart from each other: those that lists tell, then what is parsed, then what is guessed.

    `parser` is the source of a spaCy pipeline. Raises LoadError or MissingWeightsError where names are parsed and it is not here.
    """
    listed = find_names(text, context)
    if reading == "listed":
        return listed
    parsed = () if reading == "guessed" else _parsed_names(text, context, parser)
    names = [*listed]
    for name in (*_nationalities(text), *parsed, *_guessed_names(text, context)):
        if all(name.span.end <= other.span.start or other.span.end <= name.span.start for other in names):
            names.append(name)
    return tuple(sorted(names, key=lambda name: name.span))


def reading_signature(reading: NameReading, parser: str) -> str:
    """The part of a perturbation's signature that says by which pipeline names are parsed; "" where none is."""
    if reading != "parsed":
        return ""
    meta = json.loads((parser_folder(parser) / "meta.json").read_text(encoding="utf-8"))
    return f"|parser:{meta['lang']}_{meta['name']} {meta['version']}"


def foreign_nationalities() -> tuple[str, ...]:
    """Words as Danish and Kenyan."""
    return tuple(word for line in list_lines("nationalities") for word in re.findall(r"[A-Z]\w+", line))


def is_mentioned(document: str, name: Name) -> bool:
    """True if a document has a name, or the country of a nationality, as China's for Chinese."""
    stem = name.text[:_STEM]
    of_country = name.kind is NameKind.NATIONALITY and re.search(rf"\b{stem}", document) is not None
    return of_country or mentions(document, name.text)


_STEM = 4  # letters that a nationality has in common with its country


def definite_names(kind: NameKind) -> tuple[str, ...]:
    """Names of a kind that have "the" before them, as the BBC and the Netherlands; none for most kinds."""
    return dict(list_groups("definite_names")).get(kind.value, ())


@cache
def _further_countries() -> tuple[str, ...]:
    return tuple(name for _, names in list_groups("further_countries") for name in names)


@memoize(256)
def _nationalities(text: str) -> tuple[Name, ...]:
    pattern = re.compile(rf"\b(?:{'|'.join(foreign_nationalities())})\b(?![-’'])")
    spans = (Span(*match.span()) for match in pattern.finditer(text))
    return tuple(
        Name(span, span.of(text), NameKind.NATIONALITY, definite=False)
        for span in spans
        # "North Korean", "Swiss Re" and "French Open" are names of another kind
        if not re.search(r"(?<!\w)(?!(?:An?|The) $)[A-Z][\w-]*[ -]$", text[max(0, span.start - 20) : span.start])
        and not re.match(r"[ -][A-Z]|s\b", text[span.end : span.end + 2])
    )


@memoize(256)
def _guessed_names(text: str, context: str) -> tuple[Name, ...]:
    kinds = _guessed_kinds(context)
    names = []
    for span in name_runs(text):
        kind = kinds.get(span.of(text))
        if kind and not touches_name(text, span):
            names.append(Name(span, span.of(text), kind, _is_definite(text, span)))
    return tuple(names)


@memoize(64)
def _guessed_kinds(context: str) -> dict[str, NameKind]:
    """The kind with the most evidence around each name; a name whose kinds tie is left out."""
    votes: defaultdict[str, Counter[NameKind]] = defaultdict(Counter)
    for span in name_runs(context):
        run = span.of(context)
        before, after = context[max(0, span.start - _MARGIN) : span.start], context[span.end : span.end + _MARGIN]
        for pattern, kind, weight in _BEFORE:
            votes[run][kind] += weight * bool(pattern.search(before))
        for pattern, kind, weight in _AFTER:
            votes[run][kind] += weight * bool(pattern.match(after))
    for run in votes:
        for kind, weight in _signs_of_form(run, votes):
            votes[run][kind] += weight
    kinds = {}
    for run, counted in votes.items():
        (kind, first), *others = counted.most_common()
        if first >= _MIN_VOTES and all(first > count for _, count in others) and _may_have_kind(run, kind):
            kinds[run] = kind
    return kinds | {country: NameKind.COUNTRY for country in _further_countries() if country in votes}


_MIN_VOTES = 2


def _signs_of_form(run: str, runs: defaultdict[str, Counter[NameKind]]) -> list[tuple[NameKind, int]]:
    words = run.split()
    if words[-1].rstrip(".") in _ORGANISATION_ENDS and len(words) > 1:
        return [(NameKind.ORGANISATION, 5)]
    if _ACRONYM.fullmatch(run):
        return [(NameKind.ORGANISATION, 2)]
    unknown = not any(is_dictionary_word(word.lower()) for word in words)
    if 1 < len(words) < 4 and words[-1] in runs and (unknown or not is_dictionary_word(words[0].lower())):
        return [(NameKind.PERSON, 3)]  # named in full once, and by the surname again
    if 1 < len(words) < 4 and unknown and all(word.isalpha() for word in words):
        return [(NameKind.PERSON, 2)]
    surname_of = len(words) == 1 and any(run == other.split()[-1] and " " in other for other in runs)
    return [(NameKind.PERSON, 2)] if surname_of and unknown else []


def _may_have_kind(run: str, kind: NameKind) -> bool:
    words = run.split()
    if (
        _NO_NAMES & {*words}
        or len(words) > 4
        or any(letter.isdigit() for letter in run)
        or run.startswith(("I'", "I’"))
    ):
        return False
    if len(words) == 1 and not _ACRONYM.fullmatch(run) and (len(run) < 3 or is_dictionary_word(run.lower())):
        return False
    return kind is not NameKind.PERSON or all(_PLAIN_NAME.fullmatch(word) for word in words)


_PLAIN_NAME = re.compile(r"(?:Mc|Mac|De|Di|La|Le|O['’])?[A-Z][^\W\dA-Z_]+(?:-[A-Z][^\W\dA-Z_]+)?|[A-Z]\.")


def _is_definite(text: str, span: Span) -> bool:
    return text[max(0, span.start - 4) : span.start].lower() == "the "


_KINDS_OF_LABELS = {
    "PERSON": NameKind.PERSON,
    "GPE": NameKind.PLACE,
    "LOC": NameKind.PLACE,
    "FAC": NameKind.PLACE,
    "ORG": NameKind.ORGANISATION,
    "NORP": NameKind.NATIONALITY,
}


@memoize(64)
def _parsed_names(text: str, context: str, parser: str) -> tuple[Name, ...]:
    """The entities of a pipeline, each of the kind that it has most often in a context whose last paragraph may be the text."""
    entities = _entities(text, parser)
    elsewhere = () if context == text else _entities(context.removesuffix(f"\n\n{text}"), parser)
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for span, label, source in (
        *((*entity, text) for entity in entities),
        *((*entity, context) for entity in elsewhere),
    ):
        votes[span.of(source)][label] += 1
    return tuple(
        Name(span, span.of(text), kind, _is_definite(text, span))
        for span, _ in entities
        if (kind := _KINDS_OF_LABELS.get(votes[span.of(text)].most_common(1)[0][0]))
        and _fits_label(span.of(text), kind)
        and not touches_name(text, span)
    )


@memoize(64)
def _entities(text: str, parser: str) -> tuple[tuple[Span, str], ...]:
    """The spans and labels of the entities of a text, without articles, possessive endings and marks."""
    recognise, _ = _pipeline(parser)
    # without an article, a possessive ending and marks
    bare = (
        (entity, re.sub(r"^(?:the|The|a|A|an|An) |(?:'s|’s|['’,]|(?<!\.\w)\.)$", "", entity.text).strip())
        for entity in recognise(text).ents
    )
    starts = ((entity.start_char + entity.text.find(run), run, entity.label_) for entity, run in bare if run)
    return tuple((Span(start, start + len(run)), label) for start, run, label in starts)


@cache
def _pipeline(parser: str) -> tuple[Callable[[str], Any], int]:
    return load_pipeline(Checkpoint(parser, "spacy_parse"))


def _fits_label(run: str, kind: NameKind) -> bool:
    """True if a run is written as a name of the kind, which small pipelines often get wrong for what is no name."""
    words = run.split()
    if not run[:1].isupper() or len(words) > 5 or run in _NO_NAMES:
        return False
    if kind is NameKind.NATIONALITY:
        return run in foreign_nationalities()
    if kind is NameKind.PERSON:
        return all(word.isalpha() and not word.isupper() for word in words) and not (
            len(words) == 1 and is_dictionary_word(run.lower()) and not is_listed_name(run)
        )
    return not (len(words) == 1 and not run.isupper() and is_dictionary_word(run.lower()))
