"""Which of the edits that a model told can be executed and are what was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from core import edits as executable
from core.editing.proposal import Accepted, Checked, Proposals, Rejected, Why
from core.errors import EditError, UnscorableError
from core.text import sentences, words
from core.types import Edit, Example, Span

_FREE_WORDS = 4  # so many may change in a sentence however short it is
_LARGEST = 0.5  # of the words of the sentence; where "local" ends is our choice, the paper leaves it to people
_SPEAKS_OF_EDIT = re.compile(
    r"\b(?:the|this|that|an?) (?:edit|edited|modified|modification|replacement|rewritten|unedited)\b"
    r"|\boriginal (?:summary|text|sentence|version|wording)\b|\b(?:was|were|has been|have been|is) (?:replaced|edited|modified)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Told:
    """One edit as a model told it: its JSON, and how it is read, which raises EditError or UnscorableError."""

    written: str
    read: Callable[[], Edit]


def check(example: Example, told: Sequence[Told]) -> Proposals:
    """Execute every edit on its own and keep those that change the summary in one place, each once."""
    checked: list[Checked] = []
    made: dict[str, int] = {}
    for number, one in enumerate(told, start=1):
        found = _checked(number, one, example.summary, made)
        if isinstance(found, Accepted):
            made[found.edited] = number
        checked.append(found)
    return Proposals(tuple(checked))


def change(summary: str, edited: str) -> Edit:
    """The smallest run of words that has to be replaced to turn one text into the other."""
    found = executable.recover(summary, edited)
    if not found:
        raise EditError("Nothing changes: the edited summary is the summary.")
    span = Span(found[0].span.start, found[-1].span.end)
    return Edit(span, edited[span.start : len(edited) - (len(summary) - span.end)])


def _checked(number: int, told: Told, summary: str, made: Mapping[str, int]) -> Checked:
    reject = partial(Rejected, number, told.written)
    try:
        edit = told.read()
    except (EditError, UnscorableError) as problem:
        return reject(Why.UNREADABLE, str(problem))
    edited = executable.apply(summary, [edit])
    if spread := _spread(summary, edited):
        return reject(Why.NOT_LOCAL, spread)
    if edited in made:
        return reject(Why.REPEATED, f"It makes the same summary as number {made[edited]}.")
    return Accepted(number, edit, edited, _remarks(edit))


def _spread(summary: str, edited: str) -> str:
    """How a change is more than some words of one sentence; empty where it is not."""
    changed = change(summary, edited)
    touched = [span for span in sentences(summary) if _touches(span, changed.span)]
    if len(touched) > 1:
        return f"It changes more than one sentence: {_places(summary, edited)}. One place was asked for."
    had, has = len(sentences(summary)), len(sentences(edited))
    if had != has:
        return f"It makes {has} sentences of {had}. An edit replaces words of one sentence."
    size = max(len(words(changed.span.of(summary))), len(words(changed.new)))
    whole = len(words(touched[0].of(summary))) if touched else 0
    if size > max(_FREE_WORDS, _LARGEST * whole):
        return f"It rewrites {size} words of a sentence of {whole}. A small edit was asked for."
    return ""


def _touches(sentence: Span, span: Span) -> bool:
    """Whether a change lies in a sentence; an insertion between two belongs to the one before."""
    if span.start == span.end:
        return sentence.start < span.start <= sentence.end
    return sentence.start < span.end and span.start < sentence.end


def _places(summary: str, edited: str) -> str:
    found = executable.recover(summary, edited)
    return "; ".join(f"“{edit.span.of(summary).strip()}” → “{edit.new.strip()}”" for edit in found)


def _remarks(edit: Edit) -> tuple[str, ...]:
    if _SPEAKS_OF_EDIT.search(edit.explanation):
        return ("The explanation speaks of the edit, not of document and summary alone.",)
    return ()
