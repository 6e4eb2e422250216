"""Trivial edits: another date, another number, an antonym or a negation, another name (SummExecEdit, Thorat et al. 2024).

A rule and a language model say so independently of each other; the caller decides which of them counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.models import Sampling, StructuredAnswer, ask_structured, load_prompt, model_title
from core.text import (
    AMOUNTS,
    AUXILIARIES,
    CALENDAR,
    NEGATIVES,
    NUMBER_WORDS,
    ORDINALS,
    TIME_ORDER_WORDS,
    TIME_WORDS,
    Quantity,
    Token,
    base_forms,
    conditional_words,
    find_quantities,
    is_dictionary_word,
    is_listed_name,
    is_year,
    mutual_words,
    tokenize,
)
from core.types import Edit, Rounds


class TrivialKind(StrEnum):
    """The four kinds of edit that need no reading of the document."""

    DATE = "date"
    NUMBER = "number"
    NEGATION = "antonym or negation"
    NAME = "name swap"


_MAX_NAME_WORDS = 6  # words of a name or date
_NAME_PARTICLES = frozenset("the of and 's . & van von der den de del della di da la le du al el bin ibn y".split())
_DATE_SUPPORT = frozenset(
    ", . of the a an in on at to from past half quarter s p m new every each and till until between".split()
)
_CLOCK_TIME = re.compile(r"\d\d?:\d\d|(?:half|a quarter|quarter|[a-z]+) (?:past|to) [a-z]+|half-past [a-z]+")
_NO_ONE = re.compile(r"\bno one\b")
_NUMBER_SUPPORT = frozenset(
    "a an of the more fewer less than about around over under nearly almost at least most up to times".split()
)
_NUMBER_UNITS = frozenset("% $ £ € . - – m bn k per cent percent".split())
_DENIALS = NEGATIVES | frozenset({"fail", "fails", "failed"})
_SUPPORT_WORDS = AUXILIARIES | frozenset({"to", "any", "some", "a", "an", "the", "longer"})
_MAX_REWORDED_SHARE = (
    0.2  # of the content words may have no like on the other side; beyond that something else changes as well
)
_STOPS = frozenset({"", ".", "!", "?"})
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")


@dataclass(frozen=True, slots=True)
class TrivialityJudgement:
    """Judgement of an edit by a language model: its kind, None where it is not trivial, the reason, and who judged."""

    kind: TrivialKind | None
    because: str
    by: str


class Sorted(StructuredAnswer):
    """Answer to the prompt `trivial`."""

    kind: Literal["date", "number", "antonym or negation", "name swap", "other"]
    because: str


@dataclass(frozen=True, slots=True)
class _Change:
    """The tokens that an edit takes away and brings in, without what both sides share at their ends.

    `opens` says that they open a sentence, `owns` that both sides end in 's.
    """

    gone: tuple[Token, ...]
    new: tuple[Token, ...]
    opens: bool
    owns: bool


def trivial_kind(edit: Edit, summary: str) -> TrivialKind | None:
    """The kind of trivial edit that this is by rule, or None: whole sentences given as an edit are compared word by word."""
    # the edit on whole words
    start, end = edit.span.start, edit.span.end
    while start > 0 and summary[start - 1].isalnum():
        start -= 1
    while end < len(summary) and summary[end].isalnum():
        end += 1
    replacement = summary[start : edit.span.start] + edit.new + summary[edit.span.end : end]
    gone, new = _all_tokens(summary[start:end]), _all_tokens(replacement)
    shared = 0
    while shared < min(len(gone), len(new)) and gone[shared].low == new[shared].low:
        shared += 1
    tail = 0
    while tail < min(len(gone), len(new)) - shared and gone[-1 - tail].low == new[-1 - tail].low:
        tail += 1
    # a capital there may be that of a sentence, and not of a name
    opens = not shared and summary[:start].rstrip()[-1:] in _STOPS
    gone, new = gone[shared : len(gone) - tail], new[shared : len(new) - tail]
    owns = all(side and side[-1].low.endswith(("'s", "’s")) for side in (gone, new))
    change = _Change(gone, new, opens, owns)
    if not change.gone and not change.new:
        return None
    gone_stated, new_stated = _only_quantities(change.gone), _only_quantities(change.new)
    if gone_stated and _are_same(gone_stated, new_stated):
        return None
    # a date has numbers, and a negated clause may have names: the first test that holds decides
    tests = {
        TrivialKind.DATE: _is_date,
        TrivialKind.NUMBER: _is_number,
        TrivialKind.NEGATION: _is_negation,
        TrivialKind.NAME: _is_name,
    }
    kind = next((kind for kind, test in tests.items() if test(change)), None)
    return TrivialKind.NUMBER if kind is None and gone_stated and new_stated else kind


def judge_trivial_kind(edit: Edit, summary: str, sampling: Sampling) -> Rounds[TrivialityJudgement]:
    """Ask a language model. Raises UnscorableError, with the raw answer, for one that cannot be read."""
    used = load_prompt("trivial", ("summary", "original_text", "replace_text"))
    texts = {"summary": summary, "original_text": edit.span.of(summary), "replace_text": edit.new}
    answer = yield from ask_structured(used.fill(texts), sampling, Sorted)
    kind = None if answer.kind == "other" else TrivialKind(answer.kind)
    return TrivialityJudgement(kind, answer.because, f"{model_title(sampling.model)}|{used.signature}")


def _all_tokens(text: str) -> tuple[Token, ...]:
    return tuple(token for sentence in tokenize(text) for token in sentence)


def _only_quantities(side: Sequence[Token]) -> tuple[Quantity, ...]:
    """The numbers, amounts and dates that a side consists of, whatever their forms; empty for one that says more."""
    text = " ".join(token.text for token in side)
    quantities = find_quantities(text)
    rest = text
    for quantity in reversed(quantities):
        rest = rest[: quantity.span.start] + rest[quantity.span.end :]
    return quantities if all(word in _NUMBER_SUPPORT for word in rest.lower().split()) else ()


def _are_same(gone: Sequence[Quantity], new: Sequence[Quantity]) -> bool:
    """True for the same quantities, in whatever forms."""
    return len(gone) == len(new) and all(old.holds(other) for old, other in zip(gone, new, strict=True))


def _is_date(change: _Change) -> bool:
    """A time for another: both sides say only when, and one of them by more than a number."""
    sides = (change.gone, change.new)
    named = [any(_is_time(token) for token in side) or _is_clock_time(side) for side in sides]
    placed = all(side and all(token.low in TIME_ORDER_WORDS for token in side) for side in sides)
    return placed or (
        any(named)
        and _replaces(change)
        and all(_says_when(side, strict=not own) for side, own in zip(sides, named, strict=True))
    )


def _says_when(side: Sequence[Token], *, strict: bool) -> bool:
    if strict and not any(_is_quantity(token.text) or token.low in TIME_ORDER_WORDS for token in side):
        return False
    return _is_clock_time(side) or all(
        _is_time(token) or token.low in _DATE_SUPPORT | TIME_ORDER_WORDS or _is_quantity(token.text) for token in side
    )


def _is_clock_time(side: Sequence[Token]) -> bool:
    return _CLOCK_TIME.fullmatch(" ".join(token.low for token in side)) is not None


def _is_time(token: Token) -> bool:
    word = re.sub(r"^[Mm]id-|['’]s$", "", token.text)
    return word in CALENDAR or is_year(word) or word.lower() in TIME_WORDS


def _is_number(change: _Change) -> bool:
    """A number or amount for another, with what goes along: "a 19" for "an 81", "more than 40" for "fewer than 20"."""
    if all(
        any(_is_quantity(token.text) for token in side)
        and all(_is_quantity(token.text) or token.low in _NUMBER_SUPPORT | _NUMBER_UNITS for token in side)
        for side in (change.gone, change.new)
    ):
        return True
    if len(change.gone) != len(change.new):
        return False
    pairs = list(zip(change.gone, change.new, strict=True))  # the same words around other numbers
    return any(_is_quantity(token.text) for pair in pairs for token in pair) and all(
        not base_forms(old.low).isdisjoint(base_forms(new.low))
        or all(_is_quantity(token.text) or token.low in {"a", "an"} for token in (old, new))
        for old, new in pairs
    )


def _is_negation(change: _Change) -> bool:
    """A word for its opposite, or a denial more or less while everything else stays: a rewording with a "not" is more."""
    gone, new = (
        _NO_ONE.sub("nobody", " ".join(token.low for token in side)).split() for side in (change.gone, change.new)
    )
    if len(gone) == len(new) == 1:
        return _are_opposites(gone[0], new[0]) or bool({gone[0], new[0]} & _DENIALS)
    if len(_denial_words(gone)) == len(_denial_words(new)):
        return False
    gone_base_forms, new_base_forms = _content_base_forms(gone), _content_base_forms(new)
    alone = _count_unmatched(gone_base_forms, new_base_forms) + _count_unmatched(new_base_forms, gone_base_forms)
    return alone <= _MAX_REWORDED_SHARE * (len(gone_base_forms) + len(new_base_forms))


def _denial_words(words: Sequence[str]) -> list[str]:
    return [word for word in words if word in _DENIALS]


def _content_base_forms(words: Sequence[str]) -> list[set[str]]:
    """The base forms of each word that says something besides yes or no."""
    return [set(base_forms(word)) for word in words if word.isalnum() and word not in _DENIALS | _SUPPORT_WORDS]


def _count_unmatched(words: Sequence[set[str]], others: Sequence[set[str]]) -> int:
    return sum(all(word.isdisjoint(other) for other in others) for word in words)


def _is_name(change: _Change) -> bool:
    """A name for another, known by its capitals; at the start of a sentence, where every word has one, by more than that."""
    if not _replaces(change):
        return False
    words = [token for token in (*change.gone, *change.new) if token.low not in _NAME_PARTICLES]
    named = all(token.is_word and any(letter.isupper() for letter in token.text) for token in words)
    if not named or not 0 < len(words) <= 2 * _MAX_NAME_WORDS:
        return False
    return not change.opens or change.owns or all(map(_opens_as_name, (change.gone, change.new)))


def _replaces(change: _Change) -> bool:
    return bool(change.gone and change.new)


def _opens_as_name(side: Sequence[Token]) -> bool:
    """A listed name, a word that no dictionary has, or a second capital."""
    capitals = [token for token in side if token.is_capital and token.low not in _NAME_PARTICLES]
    [first, *others] = capitals or side
    return bool(others) or is_listed_name(first.text) or not is_dictionary_word(first.low)


def _are_opposites(word: str, other: str) -> bool:
    if any(other in mutual_words(name).get(word, ()) for name in ("contraries", "complements", "antonyms")):
        return True
    if any(
        short and f"{prefix}{short}" == long for prefix in _PREFIXES for short, long in ((word, other), (other, word))
    ):
        return True
    return any(
        _are_listed_opposites(base, contrary) or _are_listed_opposites(contrary, base)
        for base in base_forms(word)
        for contrary in base_forms(other)
    )


def _are_listed_opposites(verb: str, contrary: str) -> bool:
    listed = {member for member, _, _ in conditional_words("opposites").get(verb, ())}
    return contrary in listed or contrary in mutual_words("antonyms").get(verb, ())


def _is_quantity(word: str) -> bool:
    low = word.lower()
    head = low.partition("-")[0]
    return head[:1].isdigit() or head in NUMBER_WORDS or low in AMOUNTS or low in ORDINALS
