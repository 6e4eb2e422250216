"""Flaws of an explanation that is not entirely correct (SummExecEdit, Thorat et al. 2024, section 5.3), by its judge."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import WithJsonSchema

from core.errors import TouchstoneError
from core.evaluation.explanations.judge import (
    ExplanationCase,
    ExplanationGrade,
    JudgeSetup,
    judge_conversation,
    judge_explanation,
)
from core.models import Sampling, StructuredAnswer, ask_structured, load_prompt
from core.scoring import Conversation
from core.types import ExplanationFlaw, Grade, Rounds

_PROMPT = "explanation-cause"
_VARIABLES = ("explanation", "because")


_CAUSE_SCHEMA = {"enum": [*map(str, ExplanationFlaw)], "title": "Cause", "type": "string"}  # see `judge.Graded`


class NamedCause(StructuredAnswer):
    """Answer to the prompt `explanation-cause`, the reason first."""

    because: str
    cause: Annotated[ExplanationFlaw, WithJsonSchema(_CAUSE_SCHEMA)]


def parse_cause(words: str) -> ExplanationFlaw:
    """The cause that a person or file names; raises TouchstoneError for an unknown name."""
    name = words.replace("_", " ").strip().lower()
    cause = next((cause for cause in ExplanationFlaw if cause == name), None)
    if cause is None:
        raise TouchstoneError(f"The cause is {words[:60]!r}. Known: {', '.join(ExplanationFlaw)}.")
    return cause


def judge_with_cause(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Rounds[ExplanationGrade]:
    """The grade and, where it is not "entirely", what the same judge says is wrong; UnscorableError as for the grade."""
    judged = yield from judge_explanation(case, setup, sampling)
    if judged.grade is Grade.ENTIRELY:
        return judged
    used = load_prompt(_PROMPT, _VARIABLES)
    texts = {"explanation": case.explanation, "because": judged.because}
    answer = yield from ask_structured(used.fill(texts), sampling, NamedCause)
    return replace(judged, cause=answer.cause, cause_by=used.signature)


def cause_conversation(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Conversation[ExplanationGrade]:
    """The conversation for the engine."""
    graded = judge_conversation(case, setup, sampling)
    return replace(graded, spec=f"cause-{graded.spec}", rounds=partial(judge_with_cause, case, setup, sampling))
