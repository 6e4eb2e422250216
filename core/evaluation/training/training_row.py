"""A row that metrics are trained on: a summary with its label, and which of its words are wrong."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Span


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A summary to learn from, with its label and where it comes from."""

    id: str
    """Unique among the rows of its document."""
    document: str
    """Text of the document."""
    summary: str
    """Text of the summary, a claim or a sentence of the document."""
    wrong: bool
    """The label: True if the summary is inconsistent."""
    wrong_words: tuple[Span, ...] | None
    """Places in the summary of the words that make it wrong; empty for a consistent row, None where nobody knows them."""
    kind: str
    """Error type, or spec of the perturbation that made the row; "" for neither."""
    origin: str
    """Maker of the row: `labelled` for people or a dataset, else the kind of generation."""
    domain: str = ""
    """Domain of the document; "" where it is not known."""
    group: str = ""
    """Rows of one group count as one document; "" for none."""
    parent: str = ""
    """Id of the row that this one is an edit of; "" for none."""
