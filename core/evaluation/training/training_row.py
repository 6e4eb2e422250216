"""A row that metrics are trained on: a summary with its label, and which of its words are wrong."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Span


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A summary with its label; `wrong_words` are places of its words that make it wrong, None where nobody knows.

    `kind` is the error type or the spec of the perturbation, `origin` who made it: "labelled" are people or a dataset.
    """

    id: str
    document: str
    summary: str
    wrong: bool
    wrong_words: tuple[Span, ...] | None
    kind: str
    origin: str
    domain: str = ""
    group: str = ""
    parent: str = ""
