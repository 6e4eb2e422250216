"""Kind "held", for tests: the number of words of each text, told only while nobody else holds the file `lock`."""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.types import Answer, Question


@dataclass
class Held:
    """Answers wait for the lock."""

    lock: Path
    nbytes: int = 1000

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=1, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with self.lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return [Answer(values=(float(len(row.question.inputs[0].split())),)) for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> Held:  # noqa: ARG001  # the signature of every kind
    return Held(path / "lock")
