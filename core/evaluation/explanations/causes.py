"""Flaws of an explanation that is not entirely correct (SummExecEdit, Thorat et al. 2024, section 5.3), by its judge."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import get_args

from core.errors import TouchstoneError
from core.evaluation.explanations.judge import (
    Cause,
    ExplanationCase,
    ExplanationGrade,
    JudgeSetup,
    judge_conversation,
    judge_explanation,
)
from core.models import Sampling, StructuredAnswer, ask_structured, load_prompt
from core.scoring import Conversation
from core.types import Rounds

_PROMPT = "explanation-cause"
_VARIABLES = ("explanation", "because")
_CAUSES: tuple[Cause, ...] = get_args(Cause)


class NamedCause(StructuredAnswer):
    """Answer to the prompt `explanation-cause`, the reason first."""

    because: str
    cause: Cause


def parse_cause(words: str) -> Cause:
    """The cause that a person or file names; raises TouchstoneError for an unknown name."""
    name = words.replace("_", " ").strip().lower()
    cause = next((cause for cause in _CAUSES if cause == name), None)
    if cause is None:
        raise TouchstoneError(f"The cause is {words[:60]!r}. Known: {', '.join(_CAUSES)}.")
    return cause


def judge_with_cause(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Rounds[ExplanationGrade]:
    """The grade and, where it is not "entirely", what the same judge says is wrong; UnscorableError as for the grade."""
    judged = yield from judge_explanation(case, setup, sampling)
    if judged.grade == "entirely":
        return judged
    used = load_prompt(_PROMPT, _VARIABLES)
    texts = {"explanation": case.explanation, "because": judged.because}
    answer = yield from ask_structured(used.fill(texts), sampling, NamedCause)
    return replace(judged, cause=answer.cause, cause_by=used.signature)


def cause_conversation(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Conversation[ExplanationGrade]:
    """The conversation for the engine."""
    graded = judge_conversation(case, setup, sampling)
    return replace(graded, spec=f"cause-{graded.spec}", rounds=partial(judge_with_cause, case, setup, sampling))
