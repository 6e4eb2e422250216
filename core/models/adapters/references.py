"""Kind "references": the reference summaries of a document, from a table with the columns `document` and `reference`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.data import file_rows
from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.types import Answer, Question

DOCUMENT, REFERENCE = "document", "reference"


class ReferenceTable:
    """Inputs: a document. Texts: its references in the order of the table, none where it has none; blanks between words do not matter."""

    def __init__(self, references: Mapping[str, tuple[str, ...]]) -> None:
        self._references = references
        self.nbytes = sum(len(document) + sum(map(len, texts)) for document, texts in references.items())

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [Answer(texts=self._references.get(_spaced(row.question.inputs[0]), ())) for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> ReferenceTable:  # noqa: ARG001  # the signature of every kind
    """The table at a path; raises LoadError for a row that cannot be read or lacks one of the texts."""
    references: dict[str, dict[str, None]] = defaultdict(dict)
    for number, row in file_rows(path):
        if isinstance(row, str):
            raise LoadError(f"{path.name}, line {number}: {row}")
        document, reference = (row.get(name) for name in (DOCUMENT, REFERENCE))
        texts = reference if isinstance(reference, list) else [reference]
        if not isinstance(document, str) or not document.strip():
            raise LoadError(_error(path, number, DOCUMENT, row))
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            raise LoadError(_error(path, number, REFERENCE, row))
        references[_spaced(document)] |= dict.fromkeys(map(str, texts))
    return ReferenceTable({document: tuple(texts) for document, texts in references.items()})


def _error(path: Path, number: int, column: str, row: Mapping[str, object]) -> str:
    return (
        f"{path.name}, line {number}: the column {column!r} holds no text; the columns are {', '.join(row)}. "
        f"A table of references has {DOCUMENT!r} and {REFERENCE!r}, a text or a list of texts."
    )


def _spaced(text: str) -> str:
    return " ".join(text.split())
