"""Saying that something is not so, or that it is: which words to change, where that surely turns a clause round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.english.closed import ADVERBS, DETERMINERS, FINITE_BE, HAVE, MODALS, NEGATIVES, POSSESSIVES, SUBORDINATORS
from core.english.predicates import verb_forms
from core.english.tokens import Sentence, at
from core.english.verbs import Form, forms_of
from core.types import Span

_NEGATED = {"can": "cannot", "will": "will not"}
_BOUNDS = frozenset(",;:()—–") | frozenset({"and", "or", "but", "nor", "yet", "so", "--"})
_NOT_DENIED = frozenset("if unless whether until till before than lest as how".split())
_CONDITIONS = frozenset("if unless whether than lest".split())
_LEANING = frozenset({"nor", "or", "so"})
_QUANTIFIERS = frozenset(
    "all every each most some few many both any half only either much anyone anything everyone everything somebody someone "
    "something almost nearly".split()
)
_POLAR = _QUANTIFIERS | frozenset(
    "already still also too just even always sometimes often yet ever anymore longer necessarily because since so merely "
    "mainly chiefly largely partly again instead therefore rather probably apparently possibly certainly perhaps".split()
)
_NOUNS_TOO = frozenset({"will", "can", "might"})
_LONGEST_CLAUSE = 40  # tokens looked at on either side


@dataclass(frozen=True, slots=True)
class Reversal:
    """Words to put in place of a span; `denies` says whether the clause is denied, or was and no longer is."""

    span: Span
    new: str
    denies: bool


def reversals(sentence: Sentence) -> Iterator[Reversal]:
    """Every change that turns one clause of a sentence into its contrary, quantifiers and questions left alone."""
    if sentence[-1].text == "?" or sentence[0].low in NEGATIVES:
        return
    for place in range(1, len(sentence) - 1):
        found = _affirmed(sentence, place) or _denied(sentence, place)
        if found:
            yield found


def denied(sentence: Sentence, place: int) -> Reversal | None:
    """The same with "not" after the auxiliary, or with do-support, for a finite verb at a place; None for any other word."""
    token = sentence[place]
    if _is_auxiliary(sentence, place):
        return Reversal(token.span, _NEGATED.get(token.text, f"{token.text} not"), True)
    readings = verb_forms(sentence, place)
    if len(readings) != 1 or readings[0][1] not in {Form.PAST, Form.THIRD} or token.is_capital:
        return None
    base, form = readings[0]
    return Reversal(token.span, f"{'did' if form is Form.PAST else 'does'} not {base}", True)


def clause(sentence: Sentence, place: int) -> tuple[int, int]:
    """The first and the last place of the stretch between marks and joining words around a place."""
    start = end = place
    while start > 0 and place - start < _LONGEST_CLAUSE and not _bounds(sentence, start - 1):
        start -= 1
    while end + 1 < len(sentence) and end - place < _LONGEST_CLAUSE and not _bounds(sentence, end + 1):
        end += 1
    return start, end


def is_stated(sentence: Sentence, place: int, harmless: frozenset[str] = frozenset()) -> bool:
    """Whether the clause around a place is no condition and has no quantifier, negation or word that leans on one."""
    leaning = (_POLAR | NEGATIVES) - harmless
    start, end = clause(sentence, place)
    others = (*sentence[start:place], *sentence[place + 1 : end + 1])
    return start < place and _plain(sentence, start, end) and not any(token.low in leaning for token in others)


def _denied(sentence: Sentence, place: int) -> Reversal | None:
    reversal = denied(sentence, place)
    return reversal if reversal and is_stated(sentence, place) else None


def _affirmed(sentence: Sentence, place: int) -> Reversal | None:
    """Takes "not" away after an auxiliary, where no word of its clause leans on it."""
    token, before = sentence[place], at(sentence, place - 1)
    if token.low not in {"not", "cannot"}:
        return None
    _, end = clause(sentence, place)
    if not is_stated(sentence, place):
        return None
    if token.low == "cannot":
        return Reversal(token.span, "can", False)
    if token.low != "not" or before.low not in FINITE_BE | HAVE | MODALS or at(sentence, end + 1).low == "but":
        return None
    return Reversal(Span(before.span.end, token.span.end), "", False)


def _plain(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a stretch is stated: no condition, comparison or indirect question, and not inside of one."""
    words = {token.low for token in sentence[start : end + 1]}
    opened = {token.low for token in _since_mark(sentence, start)}
    return (
        not words & (_NOT_DENIED | {"because"})
        and not opened & _CONDITIONS
        and at(sentence, start - 1).low not in _LEANING
    )


def _since_mark(sentence: Sentence, place: int) -> Sentence:
    """What stands before a place since the last comma or other mark."""
    start = place
    while start > 0 and place - start < _LONGEST_CLAUSE and sentence[start - 1].is_word:
        start -= 1
    return sentence[start:place]


def _is_auxiliary(sentence: Sentence, place: int) -> bool:
    word, before = sentence[place].low, at(sentence, place - 1).low
    if (
        sentence[place].is_capital
        or before in DETERMINERS | POSSESSIVES
        or before in MODALS | {"to"}
        or word == "cannot"
    ):
        return False
    if word in HAVE:
        return _is_participle(_next(sentence, place))
    if word in _NOUNS_TOO:
        return Form.BASE in forms_of(_next(sentence, place)) or _next(sentence, place) in {"be", "have", "do"}
    return word in FINITE_BE | MODALS


def _next(sentence: Sentence, place: int) -> str:
    """The word after, adverbs left out."""
    place += 1
    while at(sentence, place).low in ADVERBS or at(sentence, place).low.endswith("ly"):
        place += 1
    return at(sentence, place).low


def _is_participle(word: str) -> bool:
    return word == "been" or Form.PARTICIPLE in forms_of(word) or (word.endswith("ed") and word != "need")


def _bounds(sentence: Sentence, place: int) -> bool:
    return sentence[place].low in _BOUNDS or sentence[place].low in SUBORDINATORS - _NOT_DENIED - {"because", "since"}
