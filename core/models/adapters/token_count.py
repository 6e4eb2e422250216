"""Kind "token_count": how many tokens each text has for a model's tokenizer; needs no network and no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.networks.tokenizer import TextTokenizer
from core.types import Answer, Question


class TokenCounter:
    """Inputs: any number of texts. Values: their lengths in tokens, without special tokens."""

    def __init__(self, tokenizer: TextTokenizer) -> None:
        self._tokenizer = tokenizer
        self.nbytes = 0

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [Answer(values=tuple(float(n) for n in self._tokenizer.count(row.question.inputs))) for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> TokenCounter:  # noqa: ARG001  # the signature of every kind
    return TokenCounter(TextTokenizer.load(path))
