"""Corrections of a sentence that a metric doubts: minimal edits with the passage of the document that shows them.

Without a model they are made of the document's own words: what the sentence says otherwise than the passage is replaced by the
words of the passage, and what the passage does not say is deleted. Which of them help is for a metric to say.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.text import edits as executable
from core.text import sentences
from core.types import Edit, Span

BY_DOCUMENT = "words of the document"
"""Maker of corrections that no model wrote."""

_TOKEN = re.compile(r"\d[\d.,:]*\d|\w+(?:['’\-]\w+)*")
_MOST_REPLACED = 6  # words; what differs in more is another sentence
_MOST_DELETED = 8
_MOST = 12  # corrections of a sentence, each of which a metric scores
_LEAST_SHARED = 0.15  # of the words of a sentence: a passage with fewer is of something else


@dataclass(frozen=True, slots=True)
class SuggestedCorrection:
    """A minimal edit of a summary, and the passage of the document that shows it; None where none is about the sentence."""

    edit: Edit
    passage: Span | None


@dataclass(frozen=True, slots=True)
class _Token:
    span: Span
    text: str

    @property
    def word(self) -> str:
        return self.text.lower()

    @property
    def kind(self) -> str:
        """Number, name or word: each is replaced by one of its own kind."""
        if self.text[0].isdigit():
            return "number"
        return "name" if self.text[0].isupper() else "word"


def find_passage(document: str, sentence: str) -> Span | None:
    """The sentence of the document that shares most words with a sentence; None where none is about the same."""
    words = {token.word for token in _tokens(sentence, 0)}
    shares = [
        (len(words & {token.word for token in _tokens(span.of(document), 0)}) / max(1, len(words)), span)
        for span in sentences(document)
    ]
    share, passage = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return passage if share >= _LEAST_SHARED else None


def corrections(document: str, summary: str, sentence: Span, passage: Span | None = None) -> list[SuggestedCorrection]:
    """Minimal edits of a sentence of the summary by the words of a passage, by default the closest one; the smallest first.

    Each edit is of the whole summary, leaves its other sentences as they are, and has an explanation.
    """
    passage = passage or find_passage(document, sentence.of(summary))
    if passage is None:
        reason = "Nothing in the document is about this sentence."
        several = len(sentences(summary)) > 1
        return [SuggestedCorrection(_tidy(summary, sentence, "", reason), None)] if several else []
    mine, theirs = _tokens(sentence.of(summary), sentence.start), _tokens(passage.of(document), passage.start)
    by_text: dict[str, SuggestedCorrection] = {}
    for span, new, reason in [*_aligned(summary, document, mine, theirs), *_of_one_kind(mine, theirs)]:
        edit = _tidy(summary, span, new, reason)
        edited = executable.apply(summary, [edit])
        if edited != summary and edited.strip():
            by_text.setdefault(edited, SuggestedCorrection(edit, passage))
    by_size = sorted(
        by_text.values(), key=lambda correction: len(correction.edit.span.of(summary)) + len(correction.edit.new)
    )
    return by_size[:_MOST]


def _aligned(
    summary: str, document: str, mine: Sequence[_Token], theirs: Sequence[_Token]
) -> Iterator[tuple[Span, str, str]]:
    """Words that differ between sentence and passage where these run along each other, and words that the passage has not."""
    document_words = {token.word for token in theirs}
    matcher = difflib.SequenceMatcher(None, [t.word for t in mine], [t.word for t in theirs], autojunk=False)
    for name, start, end, other, other_end in matcher.get_opcodes():
        if name == "equal" or start == end:
            continue
        span = Span(mine[start].span.start, mine[end - 1].span.end)
        old = span.of(summary)
        foreign = any(token.word not in document_words for token in mine[start:end])
        if name == "replace" and max(end - start, other_end - other) <= _MOST_REPLACED and foreign:
            new = document[theirs[other].span.start : theirs[other_end - 1].span.end]
            yield span, new, f"The document says “{new}”, not “{old}”."
        if foreign and end - start <= _MOST_DELETED and end - start < len(mine):
            yield span, "", f"The document does not say “{old}”."


def _of_one_kind(mine: Sequence[_Token], theirs: Sequence[_Token]) -> Iterator[tuple[Span, str, str]]:
    """A number or name that the passage has not, by one of its own that the sentence has not."""
    document_words, used = {token.word for token in theirs}, {token.word for token in mine}
    for place, token in enumerate(mine):
        if token.kind == "word" or token.word in document_words or (place == 0 and token.kind == "name"):
            continue
        for other_place, other in enumerate(theirs):
            if other.kind == token.kind and other.word not in used and not (other_place == 0 and other.kind == "name"):
                yield token.span, other.text, f"The document says “{other.text}”, not “{token.text}”."


def _tidy(summary: str, span: Span, new: str, reason: str) -> Edit:
    """The edit with the blank and comma that a deletion leaves over, and with a capital where the sentence began with one."""
    start, end = span.start, span.end
    if not new:
        before = re.search(r"(?:,\s*|\s+(?:and|but|or)\s+|\s+)$", summary[:start])
        if before:
            start = before.start()
        elif after := re.match(r"\s+", summary[end:]):
            end += after.end()
    elif summary[start].isupper() and new[0].islower():
        new = new[0].upper() + new[1:]
    return Edit(Span(start, end), new, reason, BY_DOCUMENT)


def _tokens(text: str, offset: int) -> list[_Token]:
    return [
        _Token(Span(offset + match.start(), offset + match.end()), match.group()) for match in _TOKEN.finditer(text)
    ]
