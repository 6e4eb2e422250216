"""Which verdict the words of an explanation speak for, by rule, so that one that contradicts its own verdict is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.english.closed import NEGATIVES
from core.text import sentences
from core.types import Verdict

_TOKEN = re.compile(r"[\w'’]+")
_LINE = re.compile(r"[\n:;]+")
_ANSWER = re.compile(r"\A\W*(?:yes|no)\s*(?:[,.!]|\Z)", re.IGNORECASE)
_SUBJECTS = frozenset(
    "summary summaries claim claims statement statements sentence it this there document everything".split()
)
_GOOD = frozenset("consistent accurate correct faithful true supported accurately correctly faithfully".split())
_BAD = frozenset(
    "inconsistent inconsistency inconsistencies inaccurate inaccuracy inaccuracies incorrect incorrectly unfaithful unsupported "
    "false falsely wrong wrongly untrue contradict contradicts contradicted contradiction contradictions error errors mistake "
    "mistakenly misrepresents misstates discrepancy discrepancies".split()
)
_SAID = frozenset("mentioned stated".split())
_DENIED = NEGATIVES | frozenset("cannot can't can’t don't don’t".split())
_QUALIFIED = frozenset("partially partly some most mostly largely whether if possible possibly difficult".split())
_NEAR = 6  # words before a judgement in which a negation turns it
_REACH = 10  # words before a judgement in which stands what is judged


def speaks_for(explanation: str) -> Verdict | None:
    """The verdict that the explanation gives in so many words; None where it gives none, or both.

    It knows the plain English phrases of such verdicts ("the summary is accurate", "there is no error", "not supported")
    and no others: an explanation that only tells the facts has none for it.
    """
    found = set(_verdicts(explanation))
    return found.pop() if len(found) == 1 else None


def contradicts_itself(verdict: Verdict, explanation: str) -> bool:
    """Whether the explanation gives a verdict in so many words, and the other one than it was given for."""
    said = speaks_for(explanation)
    return said is not None and said != verdict


def _verdicts(explanation: str) -> Iterator[Verdict]:
    for statement in _statements(explanation):
        tokens = _TOKEN.findall(statement.lower())
        for place, token in enumerate(tokens):
            if _SUBJECTS.intersection(tokens[max(0, place - _REACH) : place]):
                yield from _verdict(token, tokens[max(0, place - _NEAR) : place])


def _statements(explanation: str) -> Iterator[str]:
    """Sentences and lines without a "no" in front, which answers a question and negates nothing that follows."""
    for line in _LINE.split(explanation):
        yield from (_ANSWER.sub("", span.of(line)) for span in sentences(line))


def _verdict(token: str, before: Sequence[str]) -> list[Verdict]:
    if _QUALIFIED.intersection(before):
        return []
    denied = bool(_DENIED.intersection(before))
    if token in _BAD:
        return [Verdict.CONSISTENT if denied else Verdict.INCONSISTENT]
    if token in _GOOD:
        return [Verdict.INCONSISTENT if denied else Verdict.CONSISTENT]
    return [Verdict.INCONSISTENT] if token in _SAID and denied else []
