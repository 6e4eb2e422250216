"""Plain active sentences in the passive, by a parse: The club sold the striker in May, The striker was sold in May by the club."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.text.english.inflection import VerbForm, inflect_verb, inflections
from core.text.english.negation import uncapitalised_opening
from core.text.english.syntax import split_tokens
from core.text.english.verb_phrases import verb_bases
from core.text.english.word_lists import POSSESSIVES
from core.types import Span


@dataclass(frozen=True, slots=True)
class ParsedWord:
    """A word of a parsed sentence: its Penn Treebank tag, its relation to its head, and the number of the head, its own for a root."""

    span: Span
    text: str
    tag: str
    relation: str
    head: int


def passive_sentence(text: str, words: Sequence[ParsedWord], document: str) -> str | None:
    """The sentence in the passive, all else as it was; None where it is no plain transitive clause, or anything is doubtful.

    A plain one has a subject, one verb with at most one auxiliary, and an object, in this order; before them at most one phrase with a comma, and after
    them phrases of time, place and the like. The document tells if its opening word has a capital elsewhere. Quantifiers, possessives and reflexives, idioms and verbs of state are refused.
    """
    clause = _plain_clause(words)
    if clause is None:
        return None
    verb = _passive_verb(words, clause)
    subject, object = _by_subject(text, words, clause, document), _as_subject(text, words, clause)
    if not (verb and subject and object):
        return None
    opening = text[: words[clause.subject[0]].span.start]
    rest = _text_of(text, words, clause.rest)
    done = " ".join(filter(None, [object, verb, rest, f"by {subject}"]))
    return f"{opening}{done if opening.strip() else done[:1].upper() + done[1:]}."


@dataclass(frozen=True, slots=True)
class _Clause:
    """The numbers of the words of each part of a clause; `rest` is what follows the object, without the stop."""

    verb: int
    subject: range
    auxiliaries: tuple[int, ...]
    particle: tuple[int, ...]
    object: range
    object_head: int
    rest: range


_MARKS = re.compile(r"""[“”"‘;:()\[\]–—…?!/]|--""")
_MAX_WORDS = 45
_MAX_SUBJECT_WORDS = 10
_MAX_OBJECT_WORDS = 12
_RELATIONS = frozenset({"nsubj", "dobj", "aux", "prt", "prep", "npadvmod", "advmod", "punct"})
_REST_PREPOSITIONS = frozenset(
    "about across after against among around as at before during for from in inside into near of on onto outside over since "
    "through throughout to towards until".split()
)
_REST_ADVERBS = frozenset("yesterday today tomorrow earlier later again there here abroad instead".split())


def _plain_clause(words: Sequence[ParsedWord]) -> _Clause | None:
    """The parts of a sentence that is one plain transitive clause, which follow each other without a gap."""
    roots = [place for place, word in enumerate(words) if word.head == place]
    marked = any(_MARKS.search(word.text) for word in words)
    if len(roots) != 1 or not 4 <= len(words) <= _MAX_WORDS or words[-1].text != "." or marked:
        return None
    verb = roots[0]
    children = [place for place, word in enumerate(words) if word.head == verb and place != verb]
    by_relation = {name: [place for place in children if words[place].relation == name] for name in _RELATIONS}
    subjects, objects, auxiliaries, particle = (by_relation[name] for name in ("nsubj", "dobj", "aux", "prt"))
    # any other dependent, as a clause or a conjunct, would have to move along
    others = len(children) - sum(map(len, by_relation.values()))
    if others or (len(subjects), len(objects)) != (1, 1) or len(auxiliaries) > 1 or len(particle) > 1:
        return None

    subject, object = _phrase(words, subjects[0], _MAX_SUBJECT_WORDS), _phrase(words, objects[0], _MAX_OBJECT_WORDS)
    # a gap means that something stands between the parts whose place in the passive is not known
    core = [*subject, *auxiliaries, verb, *particle, *object]
    if not subject or not object or core != list(range(core[0], core[-1] + 1)):
        return None
    rest = range(object[-1] + 1, len(words) - 1)
    adjuncts = [*by_relation["prep"], *by_relation["npadvmod"], *by_relation["advmod"]]
    before, after = ([place for place in adjuncts if (place < verb) == early] for early in (True, False))
    plain = _opens_plainly(words, before, subject[0]) and _ends_plainly(words, after, rest)
    return _Clause(verb, subject, tuple(auxiliaries), tuple(particle), object, objects[0], rest) if plain else None


def _opens_plainly(words: Sequence[ParsedWord], before: Sequence[int], end: int) -> bool:
    """True if nothing stands before the subject, or one phrase of a preposition with a comma."""
    if not before:
        return end == 0
    below = {*_below(words, before[0])}
    plain = len(before) == 1 and words[before[0]].relation == "prep" and words[end - 1].text == ","
    return plain and below == {*range(end - 1)} and not any(words[place].tag[:1] == "V" for place in below)


def _ends_plainly(words: Sequence[ParsedWord], after: Sequence[int], rest: range) -> bool:
    """True if all behind the object are phrases of time, place and the like, without verbs and pronouns."""
    covered = {place for head in after for place in _below(words, head)}
    heads = all(
        words[place].text in _REST_PREPOSITIONS
        if words[place].relation == "prep"
        else words[place].relation == "npadvmod" or words[place].text in _REST_ADVERBS
        for place in after
    )
    return (
        heads
        and covered == {*rest}
        and not any(words[place].tag[:1] == "V" or _is_pronoun(words[place]) for place in rest)
    )


def _below(words: Sequence[ParsedWord], head: int) -> Iterator[int]:
    """A word and all that depend on it."""
    for place in range(len(words)):
        above = place
        while above != head and words[above].head != above:
            above = words[above].head
        if above == head:
            yield place


_QUANTIFIERS = frozenset(
    "all almost another any both each either every everyone everything few fewer half less many more most much neither nearly no nobody none "
    "nothing not never only other others several some someone something anyone anything everybody somebody".split()
)
_CLAUSES = frozenset({"relcl", "acl", "advcl", "appos", "ccomp", "xcomp", "neg", "parataxis"})


def _phrase(words: Sequence[ParsedWord], head: int, most: int) -> range:
    """A noun phrase of so many words without clauses, commas and quantifiers; empty for any other, or one with a gap."""
    places = [*_below(words, head)]
    inside = [words[place] for place in places]
    plain = all(
        word.text != ","
        and word.text.lower() not in _QUANTIFIERS
        and word.relation not in _CLAUSES
        and (word.tag[:1] != "V" or word.relation in {"amod", "compound"})
        and word.tag not in {"WP", "WDT", "WRB", "EX", "MD"}
        for word in inside
    )
    whole = range(places[0], places[-1] + 1)
    return whole if plain and len(places) == len(whole) <= most else range(0)


def _is_pronoun(word: ParsedWord) -> bool:
    return word.tag in {"PRP", "PRP$"}


_OBJECT_FORMS = {"he": "him", "she": "her", "they": "them", "we": "us"}
_SUBJECT_FORMS = {"him": "he", "her": "she", "them": "they", "us": "we", "it": "it"}
_UNCERTAIN_NUMBERS = frozenset(
    "number lot majority couple series pair variety range half percent percentage quarter third group team % none rest bit deal".split()
)
_PLURALS = frozenset("police people".split())


def _by_subject(text: str, words: Sequence[ParsedWord], clause: _Clause, document: str) -> str:
    """The subject as it stands after "by"; "" where it cannot be told."""
    first, *others = (words[place] for place in clause.subject)
    if _is_pronoun(first):
        return "" if others else _OBJECT_FORMS.get(first.text.lower(), "")
    if any(_is_pronoun(word) and word.text.lower() not in POSSESSIVES for word in others):
        return ""
    if all(word.tag in {"CD", "DT"} for word in (first, *others)):  # "2014 saw", "this helped"
        return ""
    written = _text_of(text, words, clause.subject)
    if clause.subject[0] > 0 or first.tag in {"NNP", "NNPS"}:
        return written
    sentence = split_tokens(text)
    opening = uncapitalised_opening(document, sentence) if sentence[0].text == first.text else ""
    return f"{opening}{written[len(first.text) :]}" if opening else ""


def _as_subject(text: str, words: Sequence[ParsedWord], clause: _Clause) -> str:
    """The object as it stands before the verb; "" for one that has to stay where it is."""
    inside = [words[place] for place in clause.object]
    head = words[clause.object_head]
    if head.tag == "PRP":
        return _SUBJECT_FORMS.get(head.text.lower(), "") if len(inside) == 1 else ""
    if any(_is_pronoun(word) for word in inside) or head.text.lower() in _UNCERTAIN_NUMBERS:
        return ""
    # "took part", "made history"
    is_bare = head.tag == "NN" and len(inside) == 1
    alternative = any(word.relation == "cc" and word.text != "and" for word in inside)
    named = head.tag in {"NN", "NNS", "NNP", "NNPS"}
    return "" if is_bare or alternative or not named else _text_of(text, words, clause.object)


_NO_PASSIVE = frozenset(
    "afford approach average award be become begin belong believe boast bring climb comprise contain continue cost deny die drop "
    "end enter equal escape exceed expect fall fear finish fit flee get give grant grow hand have hope include insist involve join "
    "know lack last leave lend let like marry mean measure meet mind need number offer owe own possess promise quit reach remain "
    "resemble rise say see send show span star start suit survive take teach tell think total turn want weigh wish witness".split()
)
"""Verbs of state and measure, of what two do alike, and such as have two objects or a clause for one, which parsers mistake."""


def _passive_verb(words: Sequence[ParsedWord], clause: _Clause) -> str:
    """The verb in the passive with its particle, in agreement with the object; "" for a form or verb that has none."""
    word = words[clause.verb]
    form = "VB" if word.tag == "VBP" else word.tag
    bases = [base for base in verb_bases(word.text.lower()) if word.text.lower() in _spellings(base, form)]
    # "signalled" stays as it is spelt, where the dictionary puts "signaled" first
    participles = {
        word.text if word.text in _spellings(base, "VBN") else inflect_verb(base, VerbForm.PARTICIPLE) for base in bases
    }
    if len(participles) != 1 or not _NO_PASSIVE.isdisjoint(bases):
        return ""
    plural = _is_plural(words, clause)
    be = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
    auxiliary = words[clause.auxiliaries[0]] if clause.auxiliaries else None
    if auxiliary is None:
        before = be[word.tag][plural] if word.tag in be else ""
    elif auxiliary.tag == "MD" and word.tag == "VB" and auxiliary.text.isalpha():
        before = f"{auxiliary.text} be"
    elif auxiliary.text in {"has", "have", "had"} and word.tag == "VBN":
        before = f"{auxiliary.text if auxiliary.text == 'had' else ('has', 'have')[plural]} been"
    elif auxiliary.text in {"is", "are", "was", "were"} and word.tag == "VBG":
        before = f"{(('was', 'were') if auxiliary.text[0] == 'w' else ('is', 'are'))[plural]} being"
    else:
        before = ""
    particle = [words[place].text for place in clause.particle]
    return " ".join([before, *participles, *particle]) if before else ""


def _spellings(base: str, tag: str) -> tuple[str, ...]:
    """The forms of a verb with a tag; the past form for a participle that is spelt as it."""
    forms = inflections(base)
    return forms.get(tag) or (forms.get("VBD", ()) if tag == "VBN" else ())


def _is_plural(words: Sequence[ParsedWord], clause: _Clause) -> bool:
    head = words[clause.object_head]
    joined = any(words[place].relation == "cc" and words[place].head == clause.object_head for place in clause.object)
    if head.tag == "PRP":
        return head.text.lower() in {"them", "us"}
    return joined or head.tag in {"NNS", "NNPS"} or head.text.lower() in _PLURALS


def _text_of(text: str, words: Sequence[ParsedWord], places: range) -> str:
    return text[words[places[0]].span.start : words[places[-1]].span.end] if places else ""
