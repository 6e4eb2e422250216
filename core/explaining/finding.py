"""Detecting and explaining an inconsistency by a language model (SummExecEdit, Thorat et al. 2024: D&E and E|D)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator

from core.job import Talk
from core.llm.addressee import at
from core.llm.promptfile import prompt
from core.llm.saying import Sampling
from core.llm.signing import signed
from core.llm.structured import Shape, structured
from core.prompt import Messages, Prompt
from core.types import Example, Rounds, Verdict

_TEXTS = ("document", "summary")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a language model says of a summary, why, and its signature."""

    verdict: Verdict
    explanation: str
    by: str


Explain = Callable[[Example, Sampling], Rounds[Finding]]
"""A way to ask for an explanation."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


Words = Annotated[str, AfterValidator(_not_blank)]


class Detected(Shape):
    """What the prompt `detect-explain` asks for."""

    consistent: Literal["yes", "no"]
    explanation: Words


class Explained(Shape):
    """What the prompt `explain-given` asks for."""

    explanation: Words


def detect_and_explain(example: Example, sampling: Sampling) -> Rounds[Finding]:
    """D&E: ask whether the summary is consistent, and why; UnscorableError, with the raw answer, for one not to be read."""
    used = prompt("detect-explain", _TEXTS)
    found = yield from structured(_filled(used, example), sampling, Detected)
    verdict = Verdict.CONSISTENT if found.consistent == "yes" else Verdict.INCONSISTENT
    return Finding(verdict, found.explanation.strip(), signed("detect-explain", used, sampling))


def explain_given_detection(example: Example, sampling: Sampling) -> Rounds[Finding]:
    """E|D: tell that the summary is inconsistent, and ask why; UnscorableError as above."""
    used = prompt("explain-given", _TEXTS)
    found = yield from structured(_filled(used, example), sampling, Explained)
    return Finding(Verdict.INCONSISTENT, found.explanation.strip(), signed("explain-given", used, sampling))


def signature(sampling: Sampling) -> str:
    """What `Finding.by` of D&E will be; raises NoEndpointError where nobody can be asked."""
    return signed("detect-explain", prompt("detect-explain", _TEXTS), sampling)


def explaining(explain: Explain, example: Example, sampling: Sampling) -> Talk[Finding]:
    """The conversation for the engine."""
    spec = f"{explain.__name__}[{sampling}]"
    return Talk(spec, example, partial(explain, example, sampling), (at(sampling.endpoint, "say"),))


def _filled(used: Prompt, example: Example) -> Messages:
    return used.fill({"document": example.document, "summary": example.summary})
