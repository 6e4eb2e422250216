"""A pair with one edit and its explanation, and a scripted language model that is asked about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from core.evaluation.explanations.judge import ExplanationCase
from core.models.llm.chat import Sampling
from core.types import Edit, Example, Span
from tests.drive import drive
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

DOCUMENT = "The harbour was closed on Tuesday by a storm. Nobody was hurt, the harbour master said."
SEED = "A storm closed the harbour. Nobody was hurt, says the harbour master."
EDIT = Edit(Span(54, 68), "pilot's wife")
SUMMARY = "A storm closed the harbour. Nobody was hurt, says the pilot's wife."
REFERENCE = "The harbour master said that nobody was hurt, not the pilot's wife."
EXPLANATION = "According to the document it was the harbour master who said so, not the wife of the pilot."

PAIR = Example("pair", DOCUMENT, SUMMARY)
CASE = ExplanationCase("case", EXPLANATION, DOCUMENT, SEED, SUMMARY, REFERENCE)
SAMPLING = Sampling("tiny")

Asked = list[tuple[str, Any]]


@contextmanager
def saying(monkeypatch: pytest.MonkeyPatch, *answers: str | Reply) -> Iterator[Asked]:
    """A language model that gives these answers in turn; what it was asked."""
    replies = iter(answers)

    def answer(_path: str, _body: Body) -> Reply:
        reply = next(replies)
        return text(reply) if isinstance(reply, str) else reply

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        yield endpoint.asked


def told(monkeypatch: pytest.MonkeyPatch, begin: Callable[[], Any], *answers: str | Reply) -> tuple[Any, Asked]:
    """What a conversation comes to where the model gives these answers, and what it was asked."""
    with saying(monkeypatch, *answers) as asked:
        return drive(begin()), asked
