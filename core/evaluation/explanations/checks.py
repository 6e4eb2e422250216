"""Rule checks of an explanation: does it name the edit, and does it contradict its own verdict?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.evaluation.explanations.judge import ExplanationCase
from core.text import FUNCTION_WORDS, NEGATIVES, base_forms, base_forms_in, recover, sentences, words
from core.types import Edit, Verdict

_MIN_NAMED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class NamedEdit:
    """The words that one edit inserted and deleted, and those that an explanation uses in any inflection."""

    edit: Edit
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]
    used: frozenset[str]

    @property
    def is_named(self) -> bool:
        """True if at least half of the inserted or half of the deleted words are used."""
        return any(
            side and len(self.used.intersection(side)) >= _MIN_NAMED_SHARE * len(side)
            for side in (self.inserted, self.deleted)
        )


def check_named_edits(explanation: str, seed: str, edits: Sequence[Edit]) -> list[NamedEdit]:
    """The words of each edit of `seed`, with those that the explanation uses.

    Function words count only where an edit changes nothing else. A paraphrase of the edit is not recognised, and a word
    that the explanation uses for another reason is counted.
    """
    spoken = base_forms_in(explanation)
    named_edits = []
    for edit in edits:
        old, new = words(edit.span.of(seed)), words(edit.new)
        inserted, deleted = _words_only_in(new, old), _words_only_in(old, new)
        telling = {word for word in (*inserted, *deleted) if word not in FUNCTION_WORDS}
        if telling:
            inserted, deleted = (tuple(word for word in side if word in telling) for side in (inserted, deleted))
        used = frozenset(word for word in (*inserted, *deleted) if base_forms(word) & spoken)
        named_edits.append(NamedEdit(edit, inserted, deleted, used))
    return named_edits


def _words_only_in(here: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    """The words of one side that the other lacks, once each."""
    return tuple(dict.fromkeys(word for word in here if word not in there))


_TOKEN = re.compile(r"[\w'’]+")
_LINE = re.compile(r"[\n:;]+")
_ANSWER = re.compile(r"\A\W*(?:yes|no)\s*(?:[,.!]|\Z)", re.IGNORECASE)
_SUBJECTS = frozenset(
    "summary summaries claim claims statement statements sentence it this there document everything".split()
)
_CONSISTENT_WORDS = frozenset(
    "consistent accurate correct faithful true supported accurately correctly faithfully".split()
)
_INCONSISTENT_WORDS = frozenset(
    "inconsistent inconsistency inconsistencies inaccurate inaccuracy inaccuracies incorrect incorrectly unfaithful unsupported "
    "false falsely wrong wrongly untrue contradict contradicts contradicted contradiction contradictions error errors mistake "
    "mistakenly misrepresents misstates discrepancy discrepancies".split()
)
_SUPPORT_WORDS = frozenset("mentioned stated".split())
_DENIALS = NEGATIVES | frozenset("cannot can't can’t don't don’t".split())
_QUALIFIERS = frozenset("partially partly some most mostly largely whether if possible possibly difficult".split())
_NEGATION_WINDOW = 6  # words before a judgement in which a negation reverses it
_SUBJECT_WINDOW = 10  # words before a judgement in which its subject is looked for


def stated_verdict(explanation: str) -> Verdict | None:
    """The verdict that the explanation states; None if it states none, or both.

    Only plain English phrases are recognised ("the summary is accurate", "there is no error", "not supported"): an
    explanation that merely gives the facts states no verdict.
    """
    verdicts = set(_verdicts(explanation))
    return verdicts.pop() if len(verdicts) == 1 else None


def contradicts_itself(verdict: Verdict, explanation: str) -> bool:
    """True if the explanation states the opposite of the verdict that it comes with."""
    stated = stated_verdict(explanation)
    return stated is not None and stated != verdict


def _verdicts(explanation: str) -> Iterator[Verdict]:
    # a leading "no" answers a question and negates nothing that follows
    sentences_of_lines = [(line, span) for line in _LINE.split(explanation) for span in sentences(line)]
    for statement in (_ANSWER.sub("", span.of(line)) for line, span in sentences_of_lines):
        tokens = _TOKEN.findall(statement.lower())
        for place, token in enumerate(tokens):
            if _SUBJECTS.intersection(tokens[max(0, place - _SUBJECT_WINDOW) : place]):
                yield from _verdict(token, tokens[max(0, place - _NEGATION_WINDOW) : place])


def _verdict(token: str, before: Sequence[str]) -> list[Verdict]:
    if _QUALIFIERS.intersection(before):
        return []
    denied = bool(_DENIALS.intersection(before))
    if token in _INCONSISTENT_WORDS:
        return [Verdict.CONSISTENT if denied else Verdict.INCONSISTENT]
    if token in _CONSISTENT_WORDS:
        return [Verdict.INCONSISTENT if denied else Verdict.CONSISTENT]
    return [Verdict.INCONSISTENT] if token in _SUPPORT_WORDS and denied else []


def run_rule_checks(case: ExplanationCase) -> dict[str, bool | None]:
    """Check by `check_named_edits` and `contradicts_itself` the explanation of a summary that was found inconsistent.

    `names_edit` is true if every edit is named, None without the summary before it; `contradicts_verdict` is never None.
    """
    edits = recover(case.seed, case.summary) if case.seed and case.summary else []
    named_edits = check_named_edits(case.explanation, case.seed, edits)
    return {
        "names_edit": all(edit.is_named for edit in named_edits) if named_edits else None,
        "contradicts_verdict": contradicts_itself(Verdict.INCONSISTENT, case.explanation),
    }
