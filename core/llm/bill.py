"""What a question to an endpoint costs: at most, before it is asked, and by the tokens that it took, afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from core.llm.addressee import SOURCE
from core.types import Answer, Question

_CHARACTERS_PER_TOKEN = 4  # of English, for the vocabularies of today's models
_FREE = frozenset({"measure"})  # counting tokens is no completion


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens read and written by a language model."""

    read: int = 0
    written: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.read + other.read, self.written + other.written)


def is_paid(question: Question) -> bool:
    """Whether an endpoint is asked, and for more than the length of a text."""
    return question.checkpoint.source == SOURCE and question.checkpoint.kind not in _FREE


def most(question: Question, thoughts: int = 0) -> Tokens:
    """About what is read, as the vocabulary is unknown, and the most that may be written, thoughts of the model included."""
    if question.checkpoint.kind in _FREE:
        return Tokens()
    limit = dict(question.options).get("max_tokens", 1)
    return Tokens(sum(map(_about, question.inputs)), thoughts + (limit if isinstance(limit, int) else 1))


def used(question: Question, answer: Answer) -> Tokens:
    """What the endpoint counted; about as much where it counts nothing."""
    if question.checkpoint.kind in _FREE:
        return Tokens()
    written = int(answer.values[0]) if question.checkpoint.kind == "say" else 1
    if answer.tokens:
        return Tokens(answer.tokens, written)
    return Tokens(most(question).read, written or sum(map(_about, answer.texts[:1])))


def _about(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
