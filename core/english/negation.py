"""Negating a clause, affirming a negated one, and saying the same by negating the contrary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.english.inflection import VerbForm, inflect, possible_verb_forms
from core.english.names import find_names
from core.english.syntax import (
    PERSONAL_SUBJECTS,
    Replacement,
    Sentence,
    contextual_verb_readings,
    find_finite_verb,
    find_joint,
    token_at,
)
from core.english.word_lists import (
    ADVERBS,
    COORDINATORS,
    DETERMINERS,
    FINITE_BE,
    HAVE,
    MODALS,
    NEGATIVES,
    POSSESSIVES,
    SUBORDINATORS,
    conditional_words,
    mutual_words,
)
from core.types import Span

_NEGATED = {"can": "cannot", "will": "will not"}
_CLAUSE_BOUNDS = frozenset(",;:()—–") | frozenset({"and", "or", "but", "nor", "yet", "so", "--"})
_NOT_DENIED = frozenset("if unless whether until till before than lest as how".split())
_CONDITIONS = frozenset("if unless whether than lest".split())
_DEPENDENT_COORDINATORS = frozenset({"nor", "or", "so"})
_QUANTIFIERS = frozenset(
    "all every each most some few many both any half only either much anybody anyone anything everybody everyone everything somebody someone "
    "something almost nearly".split()
)
_POLAR = _QUANTIFIERS | frozenset(
    "already still also too just even always sometimes often yet ever anymore longer necessarily because since so merely "
    "mainly chiefly largely partly again instead therefore rather probably apparently possibly certainly perhaps".split()
)
_ALSO_NOUNS = frozenset({"will", "can", "might"})
_MAX_CLAUSE_TOKENS = 40  # tokens looked at on either side


@dataclass(frozen=True, slots=True)
class Reversal:
    """Words to put in place of a span; `denies` says whether the clause is denied, or was and no longer is."""

    span: Span
    new: str
    denies: bool


def find_reversals(sentence: Sentence) -> Iterator[Reversal]:
    """Every change that turns one clause of a sentence into its contrary, quantifiers and questions left alone."""
    if sentence[-1].text == "?" or sentence[0].low in NEGATIVES:
        return
    for place in range(1, len(sentence) - 1):
        found = _affirmation_at(sentence, place) or _negation_at(sentence, place)
        if found:
            yield found


def negate_verb(sentence: Sentence, place: int) -> Reversal | None:
    """The same with "not" after the auxiliary, or with do-support, for a finite verb at a place; None for any other word."""
    token = sentence[place]
    if _is_auxiliary(sentence, place):
        return Reversal(token.span, _NEGATED.get(token.text, f"{token.text} not"), True)
    readings = contextual_verb_readings(sentence, place)
    if len(readings) != 1 or readings[0][1] not in {VerbForm.PAST, VerbForm.THIRD} or token.is_capital:
        return None
    base, form = readings[0]
    return Reversal(token.span, f"{'did' if form is VerbForm.PAST else 'does'} not {base}", True)


def clause_around(sentence: Sentence, place: int) -> tuple[int, int]:
    """The first and the last place of the stretch between marks and joining words around a place."""
    start = end = place
    while start > 0 and place - start < _MAX_CLAUSE_TOKENS and not _is_clause_bound(sentence, start - 1):
        start -= 1
    while end + 1 < len(sentence) and end - place < _MAX_CLAUSE_TOKENS and not _is_clause_bound(sentence, end + 1):
        end += 1
    return start, end


def is_asserted(sentence: Sentence, place: int, harmless: frozenset[str] = frozenset()) -> bool:
    """Whether the clause around a place is no condition and has no quantifier, negation or word that leans on one."""
    leaning = (_POLAR | NEGATIVES) - harmless
    start, end = clause_around(sentence, place)
    others = (*sentence[start:place], *sentence[place + 1 : end + 1])
    return (
        start < place
        and _is_plain_statement(sentence, start, end)
        and not any(token.low in leaning for token in others)
    )


def _negation_at(sentence: Sentence, place: int) -> Reversal | None:
    reversal = negate_verb(sentence, place)
    return reversal if reversal and is_asserted(sentence, place) else None


def _affirmation_at(sentence: Sentence, place: int) -> Reversal | None:
    """Takes "not" away after an auxiliary, where no word of its clause leans on it."""
    token, before = sentence[place], token_at(sentence, place - 1)
    if token.low not in {"not", "cannot"}:
        return None
    _, end = clause_around(sentence, place)
    if not is_asserted(sentence, place):
        return None
    if token.low == "cannot":
        return Reversal(token.span, "can", False)
    if token.low != "not" or before.low not in FINITE_BE | HAVE | MODALS or token_at(sentence, end + 1).low == "but":
        return None
    return Reversal(Span(before.span.end, token.span.end), "", False)


def _is_plain_statement(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a stretch is stated: no condition, comparison or indirect question, and not inside of one."""
    words = {token.low for token in sentence[start : end + 1]}
    opened = {token.low for token in _tokens_since_mark(sentence, start)}
    return (
        not words & (_NOT_DENIED | {"because"})
        and not opened & _CONDITIONS
        and token_at(sentence, start - 1).low not in _DEPENDENT_COORDINATORS
    )


def _tokens_since_mark(sentence: Sentence, place: int) -> Sentence:
    """What stands before a place since the last comma or other mark."""
    start = place
    while start > 0 and place - start < _MAX_CLAUSE_TOKENS and sentence[start - 1].is_word:
        start -= 1
    return sentence[start:place]


def _is_auxiliary(sentence: Sentence, place: int) -> bool:
    word, before = sentence[place].low, token_at(sentence, place - 1).low
    if (
        sentence[place].is_capital
        or before in DETERMINERS | POSSESSIVES
        or before in MODALS | {"to"}
        or word == "cannot"
    ):
        return False
    if word in HAVE:
        return _is_participle(_next_word(sentence, place))
    if word in _ALSO_NOUNS:
        return VerbForm.BASE in possible_verb_forms(_next_word(sentence, place)) or _next_word(sentence, place) in {
            "be",
            "have",
            "do",
        }
    return word in FINITE_BE | MODALS


def _next_word(sentence: Sentence, place: int) -> str:
    """The word after, adverbs left out."""
    place += 1
    while token_at(sentence, place).low in ADVERBS or token_at(sentence, place).low.endswith("ly"):
        place += 1
    return token_at(sentence, place).low


def _is_participle(word: str) -> bool:
    return (
        word == "been" or VerbForm.PARTICIPLE in possible_verb_forms(word) or (word.endswith("ed") and word != "need")
    )


def _is_clause_bound(sentence: Sentence, place: int) -> bool:
    return sentence[place].low in _CLAUSE_BOUNDS or sentence[place].low in SUBORDINATORS - _NOT_DENIED - {
        "because",
        "since",
    }


_HARMLESS_ADVERBS = frozenset(
    "probably therefore now certainly apparently reportedly presumably clearly evidently thus".split()
)
_CLAUSE_ENDS = frozenset(".,;:)") | frozenset("and or but in on at for from to under by until that whether".split())
_NOT_SIMPLE = (COORDINATORS | SUBORDINATORS | NEGATIVES | MODALS - {"will", "can"}) - {"as"}
_MIN_TOKENS, _MAX_TOKENS = 5, 25  # tokens of a sentence that can still be read under two denials


def deny_by_adjective(sentence: Sentence, place: int) -> Replacement | None:
    """An adjective after is, are, was or were becomes "not" and its complement: is open, is not closed."""
    before, after = token_at(sentence, place - 1).low, token_at(sentence, place + 1).low
    if before in _HARMLESS_ADVERBS:
        before = token_at(sentence, place - 2).low
    found = mutual_words("complements").get(sentence[place].low)
    if (
        not found
        or before not in FINITE_BE  # "will be not open" is no English
        or after not in _CLAUSE_ENDS
        or not is_asserted(sentence, place, _HARMLESS_ADVERBS)
    ):
        return None
    return sentence[place].span, f"not {found[0]}"


def deny_by_verb(sentence: Sentence, place: int) -> Replacement | None:
    """A verb becomes the denial of its contrary: refused to go, did not agree to go; was rejected, was not accepted."""
    readings = contextual_verb_readings(sentence, place)
    if len(readings) != 1 or not is_asserted(sentence, place):
        return None
    base, form = readings[0]
    after, before = token_at(sentence, place + 1).low, token_at(sentence, place - 1).low
    for contrary, needed, barred in conditional_words("denials").get(base, ()):
        if needed in ("", after) and barred != after:
            return _denied_contrary(sentence, place, contrary, form, before)
    return None


def deny_by_frame(summary: str, sentence: Sentence) -> Replacement | None:
    """The simple sentence, or the simple last clause of a joined one, becomes "it is not the case that" and its denial."""
    found = find_joint(sentence)
    start = found.subject if found and sentence[found.link].text != ";" else 0
    clause = sentence[start:]
    verb = find_finite_verb(clause, 0) if _is_simple(clause) else None
    reversal = negate_verb(clause, verb) if verb and is_asserted(clause, verb) else None
    opening = clause[0].text if start else _uncapitalised_opening(summary, sentence)
    if not reversal or not opening:
        return None
    between = summary[clause[0].span.end : reversal.span.start]
    frame = f"{'it' if start else 'It'} is not the case that"
    return Span(clause[0].span.start, reversal.span.end), f"{frame} {opening}{between}{reversal.new}"


def _is_simple(clause: Sentence) -> bool:
    words = clause[:-1]
    plain = all(token.is_word for token in words) and not any(token.low in _NOT_SIMPLE for token in words)
    return plain and _MIN_TOKENS <= len(clause) <= _MAX_TOKENS and clause[-1].text == "."


def _denied_contrary(sentence: Sentence, place: int, contrary: str, form: VerbForm, before: str) -> Replacement | None:
    span = sentence[place].span
    if form in {VerbForm.PAST, VerbForm.THIRD}:
        return span, f"{'did' if form is VerbForm.PAST else 'does'} not {contrary}"
    if form is VerbForm.PARTICIPLE and before in FINITE_BE | HAVE:
        return span, f"not {inflect(contrary, form)}"
    return (span, f"not {contrary}") if form is VerbForm.BASE and before in {"will", "would", "did"} else None


def _uncapitalised_opening(summary: str, sentence: Sentence) -> str:
    """The opening word as it stands inside of a sentence, "" where that is not certain."""
    first = sentence[0]
    if first.low in DETERMINERS | POSSESSIVES | PERSONAL_SUBJECTS:
        return first.low
    return first.text if any(name.span.start == first.span.start for name in find_names(summary, summary)) else ""
