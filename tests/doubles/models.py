"""A kind of model that answers by arithmetic, counts what it is asked, waits at a gate and fails where told to.

The pool finds a kind by importing `core.models.adapters.<kind>`; `install` puts one there for a test, so that the real pool
loads, leases and drops its models.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import BadSettingError, LoadError, MemoryFullError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.types import Answer, Question

PATIENCE_S = 20.0
"""Longer than anything here takes: a test that waits so long has failed."""


class ScriptedKind:
    """Stands where the module of a kind would; one object for all checkpoints of a test."""

    def __init__(self) -> None:
        self.gate = threading.Event()  # a forward pass waits until it is open
        self.gate.set()
        self.loadable = threading.Event()  # a load waits until it is open
        self.loadable.set()
        self.loads: list[str] = []  # folders, in the order in which their loads began
        self.entered = threading.Event()  # a forward pass has begun
        self.batches: list[list[str]] = []
        self.encoded: list[str] = []
        self.devices: dict[str, str] = {}  # by the folder of a model
        self.length = 1  # tokens of every text; 1024 makes a batch of each
        self.fit = 1_000_000  # texts that fit into one forward pass
        self.broken: set[str] = set()  # sources that do not load
        self.poison = "\0"  # a text that holds it makes the forward pass raise
        self.unreadable = "\0"  # a text that holds it cannot be encoded

    def install(self, monkeypatch: pytest.MonkeyPatch) -> ScriptedKind:
        monkeypatch.setitem(sys.modules, "core.models.adapters.scripted", self)
        return self

    @property
    def asked(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def load(self, path: Path, checkpoint: Checkpoint, device: str) -> ScriptedModel:
        self.loads.append(path.name)
        assert self.loadable.wait(PATIENCE_S), "nobody let the model load"
        if checkpoint.source in self.broken:
            raise LoadError(f"{path.name} is broken.")
        self.devices[path.name] = device
        return ScriptedModel(self, nbytes=(path / "model.safetensors").stat().st_size)


class ScriptedModel:
    """The value of an answer is the share of vowels of the text, so that every text has its own."""

    def __init__(self, kind: ScriptedKind, nbytes: int) -> None:
        self._kind = kind
        self.nbytes = nbytes

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        for question in questions:
            if self._kind.unreadable in question.inputs[0]:
                raise BadSettingError("This cannot be encoded.")
        self._kind.encoded += [question.inputs[0] for question in questions]
        return [Row(question, self._kind.length, ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        texts = [row.question.inputs[0] for row in rows]
        self._kind.batches.append(texts)
        self._kind.entered.set()
        assert self._kind.gate.wait(PATIENCE_S), "nobody opened the gate"
        if len(texts) > self._kind.fit:
            raise MemoryFullError(f"A batch of {len(texts)} texts does not fit.")
        if any(self._kind.poison in text for text in texts):
            raise RuntimeError("poisoned")
        return [Answer((vowels(text),), tokens=row.length) for text, row in zip(texts, rows, strict=True)]


def vowels(text: str) -> float:
    return sum(letter in "aeiou" for letter in text) / len(text)


NO_HEADER = bytes(8)
"""Eight bytes that tell of no header, so that nothing says how long the file should be."""


def weights(folder: Path, content: bytes = NO_HEADER + b"weights") -> Path:
    """A folder that the pool takes for a checkpoint."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(content)
    return folder
