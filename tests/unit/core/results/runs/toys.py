"""Metrics that are gamed in a known way, and an engine that scores by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from core.scoring.metric import METRICS, Card, Metric
from core.text.segmentation import padded_words, words
from core.types import Answer, Example, Question, Score

CARD = Card("Toy", "Test", "Nothing.", "None", "https://example.org", low=0, high=None)


@dataclass(frozen=True)
class Length(Metric):
    """The more words, the better."""

    name: ClassVar[str] = "toy-length"
    card: ClassVar[Card] = replace(CARD, title="Length")

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        return Score(float(len(words(example.summary))))


@dataclass(frozen=True)
class Brevity(Length):
    """The more words, the worse."""

    name: ClassVar[str] = "toy-brevity"
    card: ClassVar[Card] = replace(CARD, title="Brevity", direction="lower")


@dataclass(frozen=True)
class Describing(Length):
    """The number of words, which is neither good nor bad."""

    name: ClassVar[str] = "toy-describing"
    card: ClassVar[Card] = replace(CARD, title="Describing", direction="neutral")


@dataclass(frozen=True)
class Constant(Metric):
    """The same for everything."""

    name: ClassVar[str] = "toy-constant"
    card: ClassVar[Card] = replace(CARD, title="Constant")

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        return Score(0.7)


@dataclass(frozen=True)
class Adoring(Metric):
    """How often two words follow each other."""

    name: ClassVar[str] = "toy-adoring"
    card: ClassVar[Card] = replace(CARD, title="Adoring")
    bigram: str = "clear skies"

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        return Score(float(padded_words(example.summary).count(f" {self.bigram} ")))


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the toys be found by name for one test."""
    METRICS.names()  # what is listed now stays registered when the test is over
    for toy in (Length, Brevity, Describing, Constant, Adoring):
        monkeypatch.setitem(METRICS._classes, toy.name, toy)
