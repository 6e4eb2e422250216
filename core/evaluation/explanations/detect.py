"""Detecting and explaining an inconsistency by a language model, for one summary or many (SummExecEdit, Thorat et al. 2024)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, model_validator

from core.evaluation.explanations.edited_summaries import SummaryWithEdit
from core.evaluation.explanations.judge import converse_in_order
from core.models import (
    PAIR_VARIABLES,
    Sampling,
    StructuredAnswer,
    ask_structured,
    load_prompt,
    model_signature,
    pair_texts,
    plain_words,
)
from core.scoring import Conversation, Engine
from core.text import document_for_reader
from core.types import Example, Failure, Rounds, Verdict


@dataclass(frozen=True, slots=True)
class Detection:
    """Verdict of a language model on a summary, the explanation, and its signature."""

    verdict: Verdict
    explanation: str
    by: str


ExplainFunction = Callable[[Example, Sampling, str], Rounds[Detection]]
"""A way to ask for an explanation, in the words of a paper where one is named."""


class ExplainMode(StrEnum):
    """Task of the model: find the error first (D&E), or explain an error that is given (E|D)."""

    DETECT = "detect"
    GIVEN = "given"


_EXPLAIN_PROMPTS = MappingProxyType({ExplainMode.DETECT: "detect-explain", ExplainMode.GIVEN: "explain-given"})


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


def _as_yes_or_no(value: object) -> object:
    """The word in small letters, also for a truth value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain_words(value) if isinstance(value, str) else value


NonBlankText = Annotated[str, AfterValidator(_not_blank)]


class Detected(StructuredAnswer):
    """Answer to the prompt `detect-explain`."""

    consistent: Annotated[Literal["yes", "no"], BeforeValidator(_as_yes_or_no)]
    explanation: str

    # what is consistent needs no explanation
    @model_validator(mode="before")
    @classmethod
    def _explains_nothing(cls, fields: object) -> object:
        if not isinstance(fields, dict) or _as_yes_or_no(fields.get("consistent")) != "yes":
            return fields
        return {**fields, "explanation": fields.get("explanation") or ""}

    @model_validator(mode="after")
    def _explains_an_error(self) -> Detected:
        if self.consistent == "no":
            _not_blank(self.explanation)
        return self


class GivenExplanation(StructuredAnswer):
    """Answer to the prompt `explain-given`."""

    explanation: NonBlankText


def detect_and_explain(example: Example, sampling: Sampling, profile: str = "") -> Rounds[Detection]:
    """D&E: ask whether the summary is consistent, and why; UnscorableError, with the raw answer, for one not to be read."""
    used = load_prompt("detect-explain", PAIR_VARIABLES, profile)
    answer = yield from ask_structured(used.fill(pair_texts(example)), sampling, Detected)
    verdict = Verdict.CONSISTENT if answer.consistent == "yes" else Verdict.INCONSISTENT
    return Detection(verdict, answer.explanation.strip(), model_signature("detect-explain", used, sampling))


def explain_given_detection(example: Example, sampling: Sampling, profile: str = "") -> Rounds[Detection]:
    """E|D: state that the summary is inconsistent, and ask why; UnscorableError as above."""
    used = load_prompt("explain-given", PAIR_VARIABLES, profile)
    answer = yield from ask_structured(used.fill(pair_texts(example)), sampling, GivenExplanation)
    return Detection(Verdict.INCONSISTENT, answer.explanation.strip(), model_signature("explain-given", used, sampling))


def explanation_signature(ask: ExplainMode, sampling: Sampling, profile: str = "") -> str:
    """Signature that `Detection.by` will be; raises MissingEndpointError where no endpoint is set."""
    name = _EXPLAIN_PROMPTS[ask]
    return model_signature(name, load_prompt(name, PAIR_VARIABLES, profile), sampling)


def explain_conversation(
    explain: ExplainFunction, example: Example, sampling: Sampling, profile: str = ""
) -> Conversation[Detection]:
    """The conversation for the engine."""
    prompt = next(_EXPLAIN_PROMPTS[mode] for mode, function in _EXPLAIN_FUNCTIONS.items() if function is explain)
    form = f"{prompt}@{profile}" if profile else prompt
    return Conversation(f"{form}[{sampling}]", example, partial(explain, example, sampling, profile), (sampling.asked,))


_EXPLAIN_FUNCTIONS: MappingProxyType[ExplainMode, ExplainFunction] = MappingProxyType(
    {ExplainMode.DETECT: detect_and_explain, ExplainMode.GIVEN: explain_given_detection}
)


def is_applicable(subject: SummaryWithEdit, ask: ExplainMode) -> bool:
    """True if the question fits: that there is an error may be said only of a summary that is labelled inconsistent."""
    return ask is ExplainMode.DETECT or subject.item.intended is Verdict.INCONSISTENT


def summary_conversation(
    subject: SummaryWithEdit, ask: ExplainMode, sampling: Sampling, profile: str = ""
) -> Conversation[Detection]:
    """The conversation for the engine."""
    return explain_conversation(_EXPLAIN_FUNCTIONS[ask], subject.item.example, sampling, profile)


def explain_all(
    engine: Engine, subjects: Iterable[SummaryWithEdit], ask: ExplainMode, sampling: Sampling, profile: str = ""
) -> Iterator[tuple[SummaryWithEdit, Detection | Failure]]:
    """Each summary with what the model said of it, or with the reason why there is no answer, in order."""
    return converse_in_order(engine, subjects, lambda subject: summary_conversation(subject, ask, sampling, profile))


def explanation_record(
    subject: SummaryWithEdit, ask: ExplainMode, outcome: Detection | Failure, by: str
) -> dict[str, object]:
    """One line, which `cli.py judge` grades and the importer `explained` reads; `by` is who was asked.

    The verdict is null where it was given to the model, and where there is no answer.
    """
    item = subject.item
    record: dict[str, object] = {
        "sample": item.example.id,
        "group": subject.group,
        "document": document_for_reader(item.example),
        "seed": subject.seed,
        "summary": item.example.summary,
        "reference": subject.reference,
        "label": item.intended,
    }
    if isinstance(outcome, Failure):
        return {**record, "status": "failed", "by": by, "verdict": None, "explanation": "", "error": outcome.error}
    verdict = outcome.verdict if ask is ExplainMode.DETECT else None
    answer = {"by": outcome.by, "verdict": verdict, "explanation": outcome.explanation}
    return {**record, "status": "ok", **answer, "error": None}
