"""Kind "spacy_parse": sentences, names, noun chunks and words of a text, by a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from core.errors import BadSettingError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.text import load_pipeline
from core.types import Answer, Question, Span


class SpacySpan(Protocol):
    """A span of spaCy."""

    start_char: int
    end_char: int


class SpacyToken(Protocol):
    """A token of spaCy."""

    i: int
    idx: int
    pos_: str
    tag_: str
    dep_: str
    is_punct: bool

    @property
    def head(self) -> SpacyToken: ...

    def __len__(self) -> int: ...


class SpacyDocument(Protocol):
    """A parsed text of spaCy."""

    sents: Iterable[SpacySpan]
    ents: Iterable[SpacySpan]
    noun_chunks: Iterable[SpacySpan]

    def __iter__(self) -> Iterator[SpacyToken]: ...


Pipeline = Callable[[str], SpacyDocument]


class SpacyParser:
    """Inputs: one text. Option "of" says what is asked:

    "sentences", "entities", "noun_chunks": spans. "words", "tags", "dependencies": spans, texts with the part of speech, its
    Penn Treebank tag or the relation to the head of each, values 1 for punctuation and 0 for the rest; a run of blanks is a
    word. "heads": the same as "dependencies", the values the number of the head, its own for a root.
    """

    def __init__(self, pipeline: Pipeline, nbytes: int) -> None:
        self._pipeline = pipeline
        self.nbytes = nbytes

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        for question in questions:
            if _of_option(question) not in _ANSWERS_BY_OPTION:
                raise BadSettingError(
                    f"A parser tells {', '.join(_ANSWERS_BY_OPTION)}; got of={_of_option(question)!r}."
                )
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        parsed = {text: self._pipeline(text) for text in dict.fromkeys(row.question.inputs[0] for row in rows)}
        return [_ANSWERS_BY_OPTION[_of_option(row.question)](parsed[row.question.inputs[0]]) for row in rows]


def _spans(spans: Iterable[SpacySpan]) -> Answer:
    return Answer(spans=tuple(Span(words.start_char, words.end_char) for words in spans))


def _words(document: SpacyDocument, label: Callable[[SpacyToken], str]) -> Answer:
    words = list(document)
    return Answer(
        values=tuple(float(word.is_punct) for word in words),
        spans=tuple(Span(word.idx, word.idx + len(word)) for word in words),
        texts=tuple(label(word) for word in words),
    )


_ANSWERS_BY_OPTION: Mapping[str, Callable[[SpacyDocument], Answer]] = {
    "sentences": lambda document: _spans(document.sents),
    "entities": lambda document: _spans(document.ents),
    "noun_chunks": lambda document: _spans(document.noun_chunks),
    "words": lambda document: _words(document, lambda word: word.pos_),
    "tags": lambda document: _words(document, lambda word: word.tag_),
    "dependencies": lambda document: _words(document, lambda word: word.dep_),
    "heads": lambda document: replace(
        _words(document, lambda word: word.dep_), values=tuple(float(word.head.i) for word in document)
    ),
}


def _of_option(question: Question) -> str:
    return str(dict(question.options).get("of"))


def load(path: Path, checkpoint: Checkpoint, device: str) -> SpacyParser:  # noqa: ARG001  # the signature of every kind
    return SpacyParser(*load_pipeline(checkpoint))
