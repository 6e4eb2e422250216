"""Answers a metric's questions one at a time with freshly loaded models: the engine's work without the engine."""

from __future__ import annotations

import importlib
from collections.abc import Generator
from functools import cache
from typing import TypeVar

from core.model_reference import Checkpoint, EndpointModel
from core.models.llm.endpoints.endpoints import endpoint_of
from core.models.networks.model import Model
from core.models.weights.locations import locate
from core.types import Answer, Question

T = TypeVar("T")


@cache
def model(checkpoint: Checkpoint) -> Model:
    loaded: Model = importlib.import_module(f"core.models.adapters.{checkpoint.kind}").load(
        locate(checkpoint), checkpoint, "cpu"
    )
    return loaded


def answer(question: Question) -> Answer:
    if isinstance(question.checkpoint, EndpointModel):
        asker = importlib.import_module(f"core.models.adapters.{question.checkpoint.kind}")
        asked: Answer = asker.ask(endpoint_of(question.checkpoint), question)
        return asked
    one = model(question.checkpoint)
    [reply] = one.forward(one.encode([question]))
    return reply


def drive(rounds: Generator[list[Question], list[Answer], T]) -> T:
    """What the conversation returns."""
    try:
        questions = next(rounds)
        while True:
            questions = rounds.send([answer(question) for question in questions])
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # StopIteration forgets the type
