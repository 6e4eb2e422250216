"""The contract of a dataset importer: a file or folder becomes a stream of items and of refusals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.registry import Registry
from core.types import Item


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that could not be read: where it stands (line or row of a file, counted from 1) and why."""

    line: int
    reason: str
    file: str = ""


class Importer(ABC):
    """A frozen dataclass; streams, so that a large file does not fill the memory.

    `release` says which release of the data it was written for. `hub` is the repository of the Hugging Face hub where
    the dataset lives, "" where it does not; `url` is where a person gets it; `shipped` is where it lies in Touchstone itself.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    licence: ClassVar[str]
    release: ClassVar[str] = ""
    url: ClassVar[str] = ""
    hub: ClassVar[str] = ""
    shipped: ClassVar[Path | None] = None

    @abstractmethod
    def read(self, source: Path) -> Iterator[Item | Refusal]:
        """The records of a source in order. A broken one is a Refusal and the rest go on."""


DATASETS: Registry[Importer] = Registry("dataset", "core.datasets")
