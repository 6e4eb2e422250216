"""Grading an explanation by a language model in the four setups of SummExecEdit (Thorat et al. 2024)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, WithJsonSchema

from core.errors import TouchstoneError, UnscorableError
from core.models import Prompt, Sampling, StructuredAnswer, ask_structured, load_prompt, model_signature, plain_words
from core.scoring import Conversation, ScoringEngine
from core.types import Example, ExplanationFlaw, Failure, Grade, Rounds

_GRADE_WORDS: Mapping[str, Grade] = MappingProxyType(
    {
        "entirely": Grade.ENTIRELY,
        "entirely correct": Grade.ENTIRELY,
        "correct": Grade.ENTIRELY,
        "partially": Grade.PARTIALLY,
        "partially correct": Grade.PARTIALLY,
        "not": Grade.NOT,
        "not correct": Grade.NOT,
        "incorrect": Grade.NOT,
        # an unrelated or empty explanation does not explain the error
        "unrelated": Grade.NOT,
        "no explanation": Grade.NOT,
    }
)


def parse_grade(words: str) -> Grade:
    """The grade that a dataset gives in its own words; raises TouchstoneError for unknown words."""
    grade = _GRADE_WORDS.get(plain_words(words))
    if grade is None:
        raise TouchstoneError(f"The grade is {words[:60]!r}. Known: {', '.join(_GRADE_WORDS)}.")
    return grade


class JudgeSetup(StrEnum):
    """Inputs that a judge is shown besides the explanation."""

    V1 = "V1"
    V2 = "V2"
    V3 = "V3"
    V4 = "V4"


SETUP_INPUTS: Mapping[JudgeSetup, tuple[str, ...]] = MappingProxyType(
    {
        JudgeSetup.V1: ("document", "summary", "explanation"),
        JudgeSetup.V2: ("seed", "summary", "explanation"),
        JudgeSetup.V3: ("seed", "summary", "reference", "explanation"),
        JudgeSetup.V4: ("reference", "explanation"),
    }
)
"""The texts of a case that a judge reads."""

_INPUT_TITLES = {"seed": "original summary", "reference": "reference explanation"}


@dataclass(frozen=True, slots=True)
class ExplanationCase:
    """An explanation of what is wrong with a summary, and the texts by which it may be judged."""

    id: str
    """Unique in its file or dataset; names the case in the judge's records."""
    explanation: str
    """The text to grade."""
    document: str = ""
    """The document, with its named contexts joined; "" where it is not known."""
    seed: str = ""
    """The summary before its edit; "" where it is not known."""
    summary: str = ""
    """The summary that is explained; "" where it is not known."""
    reference: str = ""
    """Explanation that the edit or the dataset gives of itself; "" where there is none."""
    group: str = ""
    """Name of the document, the unit of resampling; the id of the case where it is empty."""
    human: Grade | None = None
    """Grade by a person, which no judge is shown; None without one."""
    sample: str = ""
    """Id of the summary in its dataset; "" for that of the case."""
    by: str = ""
    """Name or signature of who wrote the explanation; "" where it is not known."""
    human_cause: ExplanationFlaw | None = None
    """Flaw that the same person named, which no judge is shown; None where nothing is wrong or nobody asked."""

    def texts(self) -> dict[str, str]:
        """The texts by the names of their variables in prompts."""
        return {name: getattr(self, name) for name in ("document", "seed", "summary", "reference", "explanation")}

    def missing_inputs(self, setup: JudgeSetup) -> list[str]:
        """Titles of the inputs that this set-up reads and that are missing."""
        return [_INPUT_TITLES.get(name, name) for name in SETUP_INPUTS[setup] if not self.texts()[name].strip()]


@dataclass(frozen=True, slots=True)
class ExplanationGrade:
    """The grade that a judge gave, why, and its signature; where it was asked for, what is wrong and by which prompt."""

    grade: Grade
    because: str
    by: str
    cause: ExplanationFlaw | None = None
    cause_by: str = ""


def _as_grade(value: object) -> object:
    """The grade, however a judge spells it; anything else unchanged."""
    return _GRADE_WORDS.get(plain_words(value), value) if isinstance(value, str) else value


_GRADE_SCHEMA = {"enum": [*map(str, Grade)], "title": "Grade", "type": "string"}
# pydantic would put the grades beside the schema, which is part of the key of cached answers


class Graded(StructuredAnswer):
    """Answer to the prompts `judge-v1` to `judge-v4`, the reason first, so that the grade follows from it."""

    because: str
    grade: Annotated[Grade, BeforeValidator(_as_grade), WithJsonSchema(_GRADE_SCHEMA)]


def judge_explanation(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Rounds[ExplanationGrade]:
    """Ask for a grade; UnscorableError where a text is missing and, with the raw answer, for one that cannot be read."""
    if missing := case.missing_inputs(setup):
        raise UnscorableError(
            f"{setup} reads the {' and the '.join(missing)}, and there is none. Give it, or judge otherwise."
        )
    used = _judge_prompt(setup)
    answer = yield from ask_structured(used.fill(case.texts()), sampling, Graded)
    return ExplanationGrade(answer.grade, answer.because.strip(), model_signature(used.name, used, sampling))


def judge_signature(setup: JudgeSetup, sampling: Sampling) -> str:
    """Signature that `ExplanationGrade.by` will be; raises MissingEndpointError where no endpoint is set."""
    used = _judge_prompt(setup)
    return model_signature(used.name, used, sampling)


def judge_conversation(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Conversation[ExplanationGrade]:
    """The conversation for the engine, about the explanation and what it is judged by."""
    # each text by its name: the engine refuses an example without texts, and `judge_explanation` has the better message
    *read, explanation = (f"{name}: {case.texts()[name]}" for name in SETUP_INPUTS[setup])
    about = Example(case.id, "\n\n".join(read), explanation)
    rounds = partial(judge_explanation, case, setup, sampling)
    return Conversation(f"judge-{setup.lower()}[{sampling}]", about, rounds, (sampling.asked,))


def _judge_prompt(setup: JudgeSetup) -> Prompt:
    return load_prompt(f"judge-{setup.lower()}", SETUP_INPUTS[setup])


SubjectT = TypeVar("SubjectT")
OutcomeT = TypeVar("OutcomeT")


def converse_in_order(
    engine: ScoringEngine, subjects: Iterable[SubjectT], conversation_of: Callable[[SubjectT], Conversation[OutcomeT]]
) -> Iterator[tuple[SubjectT, OutcomeT | Failure]]:
    """Each subject with the outcome of its conversation, in order."""
    pending: deque[SubjectT] = deque()

    def conversations() -> Iterator[Conversation[OutcomeT]]:
        for subject in subjects:
            pending.append(subject)
            yield conversation_of(subject)

    with closing(engine.converse(conversations())) as answers:
        for _, outcome in answers:
            yield pending.popleft(), outcome
