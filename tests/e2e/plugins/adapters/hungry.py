"""Kind "hungry", for tests: every forward pass runs out of the device's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.networks.network import freeing_memory
from core.types import Answer, Question


@dataclass
class Hungry:
    """What it needs is never there."""

    nbytes: int = 1000

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=1, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:  # noqa: ARG002  # the signature of every kind
        with freeing_memory("The text does not fit"):
            raise torch.OutOfMemoryError("CUDA out of memory.")


def load(path: Path, checkpoint: Checkpoint, device: str) -> Hungry:  # noqa: ARG001  # the signature of every kind
    return Hungry()
