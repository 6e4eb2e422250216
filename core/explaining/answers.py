"""What a language model says of many summaries, one JSON object a line: its verdict and its explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from types import MappingProxyType

from core.engine import Engine
from core.explaining.batch import in_order
from core.explaining.finding import Explain, Finding, detect_and_explain, explain_given_detection, explaining
from core.explaining.subject import Subject
from core.job import Talk
from core.llm.saying import Sampling
from core.types import Failure, Verdict


class Ask(StrEnum):
    """Whether the model has to find the error first (D&E), or is told that there is one (E|D)."""

    DETECT = "detect"
    GIVEN = "given"


_WAYS: MappingProxyType[Ask, Explain] = MappingProxyType(
    {Ask.DETECT: detect_and_explain, Ask.GIVEN: explain_given_detection}
)


def askable(subject: Subject, ask: Ask) -> bool:
    """Whether the question fits: that there is an error may be said only of a summary that is labelled inconsistent."""
    return ask is Ask.DETECT or subject.item.intended is Verdict.INCONSISTENT


def asking(subject: Subject, ask: Ask, sampling: Sampling) -> Talk[Finding]:
    """The conversation for the engine."""
    return explaining(_WAYS[ask], subject.item.example, sampling)


def answered(
    engine: Engine, asked: Iterable[Subject], ask: Ask, sampling: Sampling
) -> Iterator[tuple[Subject, Finding | Failure]]:
    """Each summary with what the model said of it, or with the reason why there is no answer, in order."""
    return in_order(engine, asked, lambda subject: asking(subject, ask, sampling))


def as_record(subject: Subject, ask: Ask, outcome: Finding | Failure) -> dict[str, object]:
    """One line, which `cli.py judge` grades and the importer `explained` reads.

    The verdict is null where the model was told it, and where there is no answer.
    """
    item = subject.item
    told: dict[str, object] = {
        "sample": item.example.id,
        "group": subject.group,
        "document": item.example.document,
        "seed": subject.seed,
        "summary": item.example.summary,
        "reference": subject.reference,
        "label": item.intended,
    }
    if isinstance(outcome, Failure):
        return {**told, "status": "failed", "by": "", "verdict": None, "explanation": "", "error": outcome.message}
    verdict = outcome.verdict if ask is Ask.DETECT else None
    said = {"by": outcome.by, "verdict": verdict, "explanation": outcome.explanation}
    return {**told, "status": "ok", **said, "error": None}
