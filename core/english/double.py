"""Saying the same by denying its contrary."""

from __future__ import annotations

from core.english.clauses import PERSONAL, finite_verb, joint
from core.english.closed import (
    COORDINATORS,
    DETERMINERS,
    FINITE_BE,
    HAVE,
    MODALS,
    NEGATIVES,
    POSSESSIVES,
    SUBORDINATORS,
)
from core.english.lists import conditioned, mutual
from core.english.names import names
from core.english.negation import denied, is_stated
from core.english.predicates import verb_forms
from core.english.tokens import Sentence, at
from core.english.verbs import Form, inflected
from core.types import Span

_SURE = frozenset("probably therefore now certainly apparently reportedly presumably clearly evidently thus".split())
_ENDS = frozenset(".,;:)") | frozenset("and or but in on at for from to under by until that whether".split())
_NOT_SIMPLE = (COORDINATORS | SUBORDINATORS | NEGATIVES | MODALS - {"will", "can"}) - {"as"}
_SHORTEST, _LONGEST = 5, 25  # tokens of a sentence that can still be read under two denials

Change = tuple[Span, str]


def by_adjective(sentence: Sentence, place: int) -> Change | None:
    """An adjective after a form of be becomes "not" and its complement: is open, is not closed."""
    before, after = at(sentence, place - 1).low, at(sentence, place + 1).low
    if before in _SURE:
        before = at(sentence, place - 2).low
    found = mutual("complements").get(sentence[place].low)
    if (
        not found
        or before not in FINITE_BE | {"be", "been"}
        or after not in _ENDS
        or not is_stated(sentence, place, _SURE)
    ):
        return None
    return sentence[place].span, f"not {found[0]}"


def by_verb(sentence: Sentence, place: int) -> Change | None:
    """A verb becomes the denial of its contrary: refused to go, did not agree to go; was rejected, was not accepted."""
    readings = verb_forms(sentence, place)
    if len(readings) != 1 or not is_stated(sentence, place):
        return None
    base, form = readings[0]
    after, before = at(sentence, place + 1).low, at(sentence, place - 1).low
    for contrary, needed, barred in conditioned("denials").get(base, ()):
        if needed in ("", after) and barred != after:
            return _denial(sentence, place, contrary, form, before)
    return None


def by_frame(summary: str, sentence: Sentence) -> Change | None:
    """The simple sentence, or the simple last clause of a joined one, becomes "it is not the case that" and its denial."""
    found = joint(sentence)
    start = found.subject if found and sentence[found.link].text != ";" else 0
    said = sentence[start:]
    verb = finite_verb(said, 0) if _is_simple(said) else None
    reversal = denied(said, verb) if verb and is_stated(said, verb) else None
    opening = said[0].text if start else _uncapitalised(summary, sentence)
    if not reversal or not opening:
        return None
    between = summary[said[0].span.end : reversal.span.start]
    frame = f"{'it' if start else 'It'} is not the case that"
    return Span(said[0].span.start, reversal.span.end), f"{frame} {opening}{between}{reversal.new}"


def _is_simple(said: Sentence) -> bool:
    words = said[:-1]
    plain = all(token.is_word for token in words) and not any(token.low in _NOT_SIMPLE for token in words)
    return plain and _SHORTEST <= len(said) <= _LONGEST and said[-1].text == "."


def _denial(sentence: Sentence, place: int, contrary: str, form: Form, before: str) -> Change | None:
    span = sentence[place].span
    if form in {Form.PAST, Form.THIRD}:
        return span, f"{'did' if form is Form.PAST else 'does'} not {contrary}"
    if form is Form.PARTICIPLE and before in FINITE_BE | HAVE:
        return span, f"not {inflected(contrary, form)}"
    return (span, f"not {contrary}") if form is Form.BASE and before in {"will", "would", "did"} else None


def _uncapitalised(summary: str, sentence: Sentence) -> str:
    """The opening word as it stands inside of a sentence, "" where that is not certain."""
    first = sentence[0]
    if first.low in DETERMINERS | POSSESSIVES | PERSONAL:
        return first.low
    return first.text if any(name.span.start == first.span.start for name in names(summary, summary)) else ""
