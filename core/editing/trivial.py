"""Trivial edits: another date, another number, an antonym or a negation, another name (SummExecEdit, Thorat et al. 2024).

A rule and a language model say so independently of each other; which of them counts is left to who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.english.dates import CALENDAR, is_year
from core.english.inflection import base_forms
from core.english.numbers import NUMBER_WORDS
from core.english.syntax import Token, tokenize
from core.english.word_lists import AUXILIARIES, NEGATIVES, conditional_words, list_lines, mutual_words
from core.llm.chat import Sampling
from core.llm.prompts import load_prompt
from core.llm.structured import StructuredAnswer, ask_structured
from core.types import Edit, Rounds, Span


class TrivialKind(StrEnum):
    """The four kinds of edit that need no reading of the document."""

    DATE = "date"
    NUMBER = "number"
    NEGATION = "antonym or negation"
    NAME = "name swap"


_MAX_NAME_WORDS = 6  # words of a name or date
_DENIALS = NEGATIVES | frozenset({"fail", "fails", "failed"})
_SUPPORT_WORDS = AUXILIARIES | frozenset({"to", "any", "some", "a", "an", "the", "longer"})
_MAX_REWORDED_SHARE = (
    0.2  # of the content words may have no like on the other side; beyond that something else changes as well
)
_STOPS = frozenset({"", ".", "!", "?"})
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")


@dataclass(frozen=True, slots=True)
class TrivialityJudgement:
    """What a language model says of an edit: its kind, None where it is not trivial, with the reason and who says so."""

    kind: TrivialKind | None
    because: str
    by: str


class Sorted(StructuredAnswer):
    """What the prompt `trivial` asks for."""

    kind: Literal["date", "number", "antonym or negation", "name swap", "other"]
    because: str


@dataclass(frozen=True, slots=True)
class _Change:
    """The tokens that an edit takes away and brings in, without what both sides share at their ends."""

    gone: tuple[Token, ...]
    new: tuple[Token, ...]
    opens: bool


def trivial_kind(edit: Edit, summary: str) -> TrivialKind | None:
    """The kind of trivial edit that this is by rule, or None: whole sentences given as an edit are compared word by word."""
    change = _changed_tokens(edit, summary)
    if not change.gone and not change.new:
        return None
    tests = {
        TrivialKind.DATE: _is_date,
        TrivialKind.NUMBER: _is_number,
        TrivialKind.NEGATION: _is_negation,
        TrivialKind.NAME: _is_name,
    }
    return next((kind for kind, test in tests.items() if test(change)), None)


def judge_trivial_kind(edit: Edit, summary: str, sampling: Sampling) -> Rounds[TrivialityJudgement]:
    """Ask a language model. Raises UnscorableError, with the raw answer, for one that cannot be read."""
    used = load_prompt("trivial", ("summary", "original_text", "replace_text"))
    texts = {"summary": summary, "original_text": edit.span.of(summary), "replace_text": edit.new}
    found = yield from ask_structured(used.fill(texts), sampling, Sorted)
    kind = None if found.kind == "other" else TrivialKind(found.kind)
    return TrivialityJudgement(kind, found.because, f"{sampling.model}|{used.signature}")


def _changed_tokens(edit: Edit, summary: str) -> _Change:
    """The edit on whole words."""
    span = _expand_to_words(edit.span, summary)
    start, end = summary[span.start : edit.span.start], summary[edit.span.end : span.end]
    gone, new = _all_tokens(span.of(summary)), _all_tokens(start + edit.new + end)
    shared = 0
    while shared < min(len(gone), len(new)) and gone[shared].low == new[shared].low:
        shared += 1
    tail = 0
    while tail < min(len(gone), len(new)) - shared and gone[-1 - tail].low == new[-1 - tail].low:
        tail += 1
    opens = not shared and summary[: span.start].rstrip()[-1:] in _STOPS
    return _Change(gone[shared : len(gone) - tail], new[shared : len(new) - tail], opens)


def _expand_to_words(span: Span, text: str) -> Span:
    start, end = span.start, span.end
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return Span(start, end)


def _all_tokens(text: str) -> tuple[Token, ...]:
    return tuple(token for sentence in tokenize(text) for token in sentence)


def _is_date(change: _Change) -> bool:
    return (
        _replaces(change)
        and all(_is_date_word(token.text) for token in (*change.gone, *change.new))
        and any(_is_calendar_word(token.text) for token in (*change.gone, *change.new))
    )


def _is_number(change: _Change) -> bool:
    # "a 19" for "an 81": the article goes with the number
    gone, new = ([token for token in side if token.low not in {"a", "an"}] for side in (change.gone, change.new))
    return (
        bool(gone)
        and len(gone) == len(new)
        and all(
            one.low == other.low or (_is_quantity(one.text) and _is_quantity(other.text))
            for one, other in zip(gone, new, strict=True)
        )
    )


def _is_negation(change: _Change) -> bool:
    """A word for its opposite, or a denial more or less while everything else stays: a rewording with a "not" is more."""
    gone, new = ([token.low for token in side] for side in (change.gone, change.new))
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
    if not _replaces(change) or (change.opens and not _opens_as_name(change)):
        return False
    words = [token for token in (*change.gone, *change.new) if token.low not in {"the", "of", "'s"}]
    return all(token.is_word and token.is_capital for token in words) and len(words) <= 2 * _MAX_NAME_WORDS


def _replaces(change: _Change) -> bool:
    return bool(change.gone and change.new)


def _opens_as_name(change: _Change) -> bool:
    """At the start of a sentence every word has a capital: a listed name or a second capital tells a name."""
    return all(len(side) > 1 or side[0].text in _given_names() for side in (change.gone, change.new))


def _given_names() -> frozenset[str]:
    return frozenset(" ".join(list_lines("given_names")).replace(",", " ").split())


def _are_opposites(one: str, other: str) -> bool:
    if any(other in mutual_words(name).get(one, ()) for name in ("contraries", "complements", "antonyms")):
        return True
    if any(
        short and f"{prefix}{short}" == long for prefix in _PREFIXES for short, long in ((one, other), (other, one))
    ):
        return True
    return any(
        _are_listed_opposites(base, contrary) or _are_listed_opposites(contrary, base)
        for base in base_forms(one)
        for contrary in base_forms(other)
    )


def _are_listed_opposites(verb: str, contrary: str) -> bool:
    listed = {known for known, _, _ in conditional_words("opposites").get(verb, ())}
    return contrary in listed or contrary in mutual_words("antonyms").get(verb, ())


def _is_date_word(word: str) -> bool:
    return _is_calendar_word(word) or word.isdigit() or word in {",", "of", "the"}


def _is_calendar_word(word: str) -> bool:
    return word in CALENDAR or is_year(word)


def _is_quantity(word: str) -> bool:
    head = word.partition("-")[0].lower()
    return head[:1].isdigit() or head in NUMBER_WORDS or head in {"one", "zero", "hundred", "thousand", "million"}
