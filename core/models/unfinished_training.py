"""Progress of a training in the folder that it writes: a second run with the same inputs goes on from there."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

UNFINISHED = "unfinished"
_KEY_FILE = "inputs.sha256"

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """Step of a training; `loss` is the log loss of words of documents that were not learned from, None where none was measured."""

    stage: str
    done: int
    total: int
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class UnfinishedTraining:
    """Named arrays on the disk, and files of larger ones in its folder; those of other inputs were removed."""

    folder: Path

    @classmethod
    def open(cls, target: Path, inputs: Iterable[object]) -> UnfinishedTraining:
        """Open what is kept of a training into `target` with these inputs, whose repr must distinguish them."""
        digest = hashlib.sha256()
        for part in inputs:
            digest.update(repr(part).encode())
        folder, key = target / UNFINISHED, digest.hexdigest()
        key_file = folder / _KEY_FILE
        if not key_file.is_file() or key_file.read_text(encoding="utf-8") != key:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            key_file.write_text(key, encoding="utf-8")
        return cls(folder)

    def load(self, name: str) -> Arrays | None:
        """Arrays that were saved under a name; None where none were, or the file is broken."""
        try:
            return load((self.folder / f"{name}.safetensors").read_bytes())
        except (OSError, SafetensorError):
            return None

    def save(self, name: str, arrays: Arrays) -> None:
        """Writes the whole file or none: a process that is killed in between leaves no partial file."""
        new = self.folder / f"{name}.new"
        new.write_bytes(save({key: np.ascontiguousarray(values) for key, values in arrays.items()}))
        os.replace(new, self.folder / f"{name}.safetensors")

    def remove(self) -> None:
        """Nothing is left to go on with."""
        shutil.rmtree(self.folder, ignore_errors=True)
