"""A parser made of rules, which stands where spaCy would."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.types import Answer, Question, Span
from tests import drive

WORD = re.compile(r"\d+\.\d+|\w+|[^\w\s]|\s*\n\s*")


def sentence_spans(text: str) -> list[Span]:
    """What stands between full stops, question and exclamation marks that a blank follows."""
    return [Span(*match.span()) for match in re.finditer(r"\S.*?(?:[.!?](?=\s)|$)", text.strip("\n"), re.DOTALL)]


def entity_spans(text: str) -> list[Span]:
    return [Span(*match.span()) for match in re.finditer(r"\d+(?:\.\d+)?|(?<=[a-z,] )[A-Z]\w+(?: [A-Z]\w+)*", text)]


def chunk_spans(text: str) -> list[Span]:
    return [Span(*match.span()) for match in re.finditer(r"(?:\b[Tt]he |\ba )?\b[a-zA-Z]{6,}\b", text)]


def word_spans(text: str) -> list[Span]:
    return [Span(*match.span()) for match in WORD.finditer(text)]


def relation(word: str) -> str:
    return {"i": "nsubj", "you": "nsubj", "my": "poss", "your": "poss"}.get(word.lower(), "dep")


def part_of_speech(word: str) -> str:
    return "NOUN" if re.match(r"\w", word) else "PUNCT"


class ToyParser:
    """Stands where the module of kind "spacy_parse" would, and is its model too."""

    nbytes = 0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Let the pool find it when it looks for the kind."""
        patch.setitem(sys.modules, "core.models.adapters.spacy_parse", self)
        drive.model.cache_clear()

    def load(self, path: Path, checkpoint: Checkpoint, device: str) -> ToyParser:  # noqa: ARG002  # as every kind
        return self

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, 0, ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [self._read(row.question.inputs[0], str(dict(row.question.options)["of"])) for row in rows]

    def _read(self, text: str, what: str) -> Answer:
        spans = {"sentences": sentence_spans, "entities": entity_spans, "noun_chunks": chunk_spans}
        if what in spans:
            return Answer(spans=tuple(spans[what](text)))
        found = word_spans(text)
        return Answer(
            values=tuple(float(not re.match(r"[\w\s]", span.of(text))) for span in found),
            spans=tuple(found),
            texts=tuple((relation if what == "dependencies" else part_of_speech)(span.of(text)) for span in found),
        )


def parser(folder: Path) -> Path:
    """A folder that the pool takes for a checkpoint."""
    folder.mkdir(parents=True)
    for name, content in {"config.cfg": b"", "config.json": b"{}", "model.safetensors": b"toy"}.items():
        (folder / name).write_bytes(content)
    return folder


def stand_in(folder: Path) -> Path:
    """The same, with the parser of rules in the place of spaCy from here on."""
    sys.modules["core.models.adapters.spacy_parse"] = cast(ModuleType, ToyParser())
    return parser(folder)
