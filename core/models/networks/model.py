"""The contract of a loaded model: questions become rows of tokens, rows become answers in one forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.errors import BadSettingError
from core.models.networks.tokenizer import TextTokenizer, Tokens
from core.types import Answer, Question

UNLIMITED = 1 << 30
"""A limit in tokens that no text reaches."""


@dataclass(frozen=True, slots=True)
class Row:
    """A question made ready for its model: one `Tokens` per text that the model reads; `length` is the longest.

    Rows of similar length belong into one batch. A row of length 0 needs no forward pass of a network. Of a row that
    `writes` the answer is generated: the weights are read again for each token of it.
    """

    question: Question
    length: int
    payload: tuple[Tokens, ...]
    writes: bool = False


class Model(Protocol):
    """Model that `load(path, checkpoint, device)` of a module in `core/models/adapters` returns.

    `load` raises LoadError for files that are broken or do not fit the kind, MemoryFullError where they do not fit.
    """

    @property
    def nbytes(self) -> int:
        """Memory that the weights take on the device."""
        ...

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        """The rows of the questions, in their order; may be called from several threads."""
        ...

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        """The answers in the order of the rows; which rows stand together changes no value beyond rounding.

        Raises MemoryFullError, with the device's memory freed again, for a batch that does not fit.
        """
        ...


def rows_of(
    tokenizer: TextTokenizer, questions: Sequence[Question], limit: int = UNLIMITED, prompt: str = ""
) -> list[Row]:
    """Rows for adapters that read each question as one text or one pair, after a prompt; option "limit" lowers the limit."""
    limits = [min(limit, int_option(question, "limit", limit)) for question in questions]
    inputs = [
        (prompt + first, rest[0]) if rest else prompt + first
        for first, *rest in (question.inputs for question in questions)
    ]
    tokens = tokenizer.encode_ids(inputs, limits)
    return [Row(question, len(row), (row,)) for question, row in zip(questions, tokens, strict=True)]


def int_option(question: Question, name: str, default: int) -> int:
    """A whole number among the options of a question."""
    value = dict(question.options).get(name, default)
    if not isinstance(value, int):
        raise BadSettingError(f"Option {name} must be a whole number; got {value!r}.")
    return value
