"""The edits that a language model proposes: which are accepted, which are rejected, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from core.errors import EditError, UnscorableError
from core.text import edits as executable
from core.text import sentences, words
from core.types import Edit, Example, Span, Verdict

EDITS_PER_REQUEST = 6
"""Edits asked for at once (SummExecEdit, Thorat et al. 2024)."""

INTENDED_VERDICT = Verdict.INCONSISTENT
"""Verdict that an edited summary is meant to have; a label says what it is."""


class EditForm(StrEnum):
    """Form of the edits of a model: replacements, which are executed, or whole summaries, which are compared."""

    EXECUTABLE = "executable"
    REWRITTEN = "rewritten"


_PLURALS = {"is": "are", "was": "were", "repeats": "repeat"}


class UnusedReason(StrEnum):
    """Reason why an edit, or a whole answer, is not used, in the singular; `count_phrase` gives the plural."""

    UNREADABLE = "cannot be executed"
    NOT_LOCAL = "is no small edit in one place"
    REPEATED = "repeats another"
    TRIVIAL = "is trivial"
    FAILED = "was not answered"

    def count_phrase(self, count: int) -> str:
        verb, rest = self.value.split(" ", 1)
        return f"{count} {verb if count == 1 else _PLURALS.get(verb, verb)} {rest}"


@dataclass(frozen=True, slots=True)
class AcceptedEdit:
    """An edit of the summary in one place, and the summary that it makes; `remarks` are for a person to look at."""

    number: int
    edit: Edit
    edited: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RejectedEdit:
    """An edit that is not used, as the model wrote it, and why."""

    number: int
    text: str
    reason_kind: UnusedReason
    error: str


CheckedEdit = AcceptedEdit | RejectedEdit


@dataclass(frozen=True, slots=True)
class Proposals:
    """All edits of one answer in the order of the answer, numbered from 1."""

    checked: tuple[CheckedEdit, ...]

    @property
    def accepted(self) -> list[AcceptedEdit]:
        return [edit for edit in self.checked if isinstance(edit, AcceptedEdit)]

    @property
    def rejected(self) -> list[RejectedEdit]:
        return [edit for edit in self.checked if isinstance(edit, RejectedEdit)]

    @property
    def remark(self) -> str:
        """Remark on the answer as a whole; empty where it has as many edits as were asked for."""
        proposed = len(self.checked)
        return (
            ""
            if proposed == EDITS_PER_REQUEST
            else f"The model proposed {proposed} edits where {EDITS_PER_REQUEST} were asked for."
        )


REWRITTEN_WORDS = 5
"""So many words may change where a model writes the edited summary out whole (SummExecEdit): taken out or put in, of each change whichever are more."""

_FREE_WORDS = 4  # words that may change in a sentence, however short
_MAX_SENTENCE_SHARE = (
    0.5  # of the words of the sentence; where "local" ends is our choice, the paper leaves it to people
)
_MENTIONS_EDIT = re.compile(
    r"\b(?:the|this|that|an?) (?:edit|edited|modified|modification|replacement|rewritten|unedited)\b"
    r"|\boriginal (?:summary|text|sentence|version|wording)\b|\b(?:was|were|has been|have been|is) (?:replaced|edited|modified)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RawEdit:
    """One edit as the model wrote it: its JSON, and how it is parsed, which raises EditError or UnscorableError."""

    text: str
    parse: Callable[[], Edit]


def check_edits(example: Example, raw_edits: Sequence[RawEdit], most_words: int | None = None) -> Proposals:
    """Execute every edit on its own and keep those that change the summary in one place, each once.

    An edit may change at most `most_words` words in all.
    """
    checked: list[CheckedEdit] = []
    made: dict[str, int] = {}
    for number, raw_edit in enumerate(raw_edits, start=1):
        checked_edit = _check_edit(number, raw_edit, example.summary, made)
        if isinstance(checked_edit, AcceptedEdit) and (
            problem := _length_problem(example.summary, checked_edit, most_words)
        ):
            checked_edit = RejectedEdit(number, raw_edit.text, UnusedReason.NOT_LOCAL, problem)
        if isinstance(checked_edit, AcceptedEdit):
            made[checked_edit.edited] = number
        checked.append(checked_edit)
    return Proposals(tuple(checked))


def smallest_edit(summary: str, edited: str) -> Edit:
    """The smallest run of words that has to be replaced to turn one text into the other."""
    edits = executable.recover(summary, edited)
    if not edits:
        raise EditError("Nothing changes: the edited summary is the summary.")
    span = Span(edits[0].span.start, edits[-1].span.end)
    return Edit(span, edited[span.start : len(edited) - (len(summary) - span.end)])


def _check_edit(number: int, raw: RawEdit, summary: str, made: Mapping[str, int]) -> CheckedEdit:
    reject = partial(RejectedEdit, number, raw.text)
    try:
        edit = raw.parse()
    except (EditError, UnscorableError) as problem:
        return reject(UnusedReason.UNREADABLE, str(problem))
    edited = executable.apply(summary, [edit])
    if spread := _locality_problem(summary, edited):
        return reject(UnusedReason.NOT_LOCAL, spread)
    if edited in made:
        return reject(UnusedReason.REPEATED, f"It makes the same summary as number {made[edited]}.")
    mentions_edit = _MENTIONS_EDIT.search(edit.explanation)
    remarks = ("The explanation speaks of the edit, not of document and summary alone.",) if mentions_edit else ()
    return AcceptedEdit(number, edit, edited, remarks)


def _locality_problem(summary: str, edited: str) -> str:
    """Reason why a change is more than some words of one sentence; empty where it is not."""
    changed = smallest_edit(summary, edited)
    touched = [span for span in sentences(summary) if _touches(span, changed.span)]
    if len(touched) > 1:
        return f"It changes more than one sentence: {_format_changes(summary, edited)}. One place was asked for."
    had, has = len(sentences(summary)), len(sentences(edited))
    if had != has:
        return f"It makes {has} sentences of {had}. An edit replaces words of one sentence."
    size = max(len(words(changed.span.of(summary))), len(words(changed.new)))
    whole = len(words(touched[0].of(summary))) if touched else 0
    if size > max(_FREE_WORDS, _MAX_SENTENCE_SHARE * whole):
        return f"It rewrites {size} words of a sentence of {whole}. A small edit was asked for."
    return ""


def _length_problem(summary: str, accepted: AcceptedEdit, most_words: int | None) -> str:
    """Reason why an edit changes more words than it may; empty where it does not."""
    changes = executable.recover(summary, accepted.edited)
    changed = sum(max(len(words(edit.span.of(summary))), len(words(edit.new))) for edit in changes)
    if most_words is None or changed <= most_words:
        return ""
    return (
        f"It changes {changed} words: {_format_changes(summary, accepted.edited)}. A summary that is written out whole may "
        f"change at most {most_words}."
    )


def _touches(sentence: Span, span: Span) -> bool:
    """True if a change is in a sentence; an insertion between two belongs to the one before."""
    if span.start == span.end:
        return sentence.start < span.start <= sentence.end
    return sentence.start < span.end and span.start < sentence.end


def _format_changes(summary: str, edited: str) -> str:
    edits = executable.recover(summary, edited)
    return "; ".join(f"“{edit.span.of(summary).strip()}” → “{edit.new.strip()}”" for edit in edits)
