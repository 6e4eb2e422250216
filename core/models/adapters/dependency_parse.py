"""Kind "dependency_parse": the words of a text and which word each depends on, by a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.text import load_pipeline
from core.types import Answer, Question, Span


class SpacyWord(Protocol):
    """A token of spaCy."""

    i: int
    idx: int
    dep_: str

    @property
    def head(self) -> SpacyWord: ...

    def __len__(self) -> int: ...


Pipeline = Callable[[str], Iterable[SpacyWord]]


class DependencyParser:
    """Inputs: one text. Spans: its words, a run of blanks among them; texts: the relation of each to its head; values: the
    number of the head, its own for a root. Every option is only there to tell two pipelines apart.
    """

    def __init__(self, pipeline: Pipeline, nbytes: int) -> None:
        self._pipeline = pipeline
        self.nbytes = nbytes

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        answers = []
        for row in rows:
            words: Sequence[SpacyWord] = list(self._pipeline(row.question.inputs[0]))
            heads = tuple(float(word.head.i) for word in words)
            spans = tuple(Span(word.idx, word.idx + len(word)) for word in words)
            answers.append(Answer(values=heads, spans=spans, texts=tuple(word.dep_ for word in words)))
        return answers


def load(path: Path, checkpoint: Checkpoint, device: str) -> DependencyParser:  # noqa: ARG001  # the signature of every kind
    return DependencyParser(*load_pipeline(checkpoint))
