"""Question sets: what people are asked of an item, read from YAML and checked; and whether answers fit them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml  # type: ignore[import-untyped]  # it ships no types
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotations.errors import RecordError
from annotations.records import require_storable

Unit = Literal["pair", "summary", "explanation"]
"""What an item of a campaign is: an original beside its edited version, one summary, or an explanation with its pair."""

Kind = Literal["choice", "several", "scale", "text", "span", "edit"]
Answer = str | int | list[Any] | None
Answers = Mapping[str, Answer]

_SETS = Path(__file__).parent / "sets"
_NAME = r"^[a-z][a-z0-9_]*$"
_MOST_OPTIONS = 12


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_Strict):
    """One answer to choose: what is stored, what is read, and what it means."""

    value: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1)
    means: str = ""


class Asked(_Strict):
    """One question. `when` names an earlier question and the answers to it after which this one is asked.

    A `choice` has one of `options`, `several` any of them; a `scale` runs from `low` to `high`; an `edit` is made in the
    editor. A `span` has pieces of the document or of the summary, each [start, end) in code points, of a pair with the side:
    [start, end, "left"].
    """

    id: Annotated[str, Field(pattern=_NAME)]
    ask: str = Field(min_length=1)
    kind: Kind
    options: tuple[Option, ...] = Field(default=(), max_length=_MOST_OPTIONS)
    low: int = 1
    high: int = 5
    of: Literal["document", "summary"] = "document"
    required: bool = True
    when: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    ordered: bool = False
    hint: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.kind in {"choice", "several"}) != bool(self.options):
            raise ValueError(f"question {self.id!r}: a choice needs options, and nothing else has any")
        if len({option.value for option in self.options}) < len(self.options):
            raise ValueError(f"question {self.id!r}: two options have the same value")
        if self.kind == "scale" and not self.low < self.high <= self.low + 9:
            raise ValueError(f"question {self.id!r}: a scale has two to ten steps; got {self.low} to {self.high}")
        return self

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(option.value for option in self.options)


class QuestionSet(_Strict):
    """What a campaign asks; `measure` names the question that agreement, gold and qualification look at.

    `required_type` says that every item comes with the error type that is to be written.
    """

    name: str = Field(min_length=1, max_length=80)
    title: str = Field(min_length=1)
    unit: Unit
    source: str = ""
    questions: tuple[Asked, ...] = Field(min_length=1)
    measure: str
    required_type: bool = False
    guidelines: str = ""

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        earlier: dict[str, Asked] = {}
        for question in self.questions:
            if question.id in earlier:
                raise ValueError(f"two questions are called {question.id!r}")
            for name, values in question.when.items():
                _check_condition(question, name, values, earlier)
            if self.unit == "explanation" and question.kind == "span" and question.of == "summary":
                raise ValueError(
                    f"question {question.id!r}: words of a marked difference cannot be marked; of: document"
                )
            earlier[question.id] = question
        if self.measure not in earlier or earlier[self.measure].kind not in {"choice", "scale"}:
            raise ValueError(f"measure: {self.measure!r} is not the id of a choice or a scale among the questions")
        return self

    @property
    def by_id(self) -> dict[str, Asked]:
        return {question.id: question for question in self.questions}


def _check_condition(question: Asked, name: str, values: Sequence[str], earlier: Mapping[str, Asked]) -> None:
    if name not in earlier:
        raise ValueError(f"question {question.id!r}: when names {name!r}, which is no earlier question")
    wrong = sorted(set(values) - set(earlier[name].values))
    if wrong:
        raise ValueError(f"question {question.id!r}: {name!r} has no option {', '.join(map(repr, wrong))}")


@lru_cache(maxsize=256)  # reading YAML takes longer than all else between a label and the next task
def read_questions(text: str) -> QuestionSet:
    """The question set of a YAML text. Raises RecordError, which names the place, for one that cannot be used."""
    try:
        told = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RecordError(f"The question set is no YAML: {' '.join(str(error).split())}. Mend it there.") from None
    if not isinstance(told, dict):
        raise RecordError(
            "The question set is no mapping. It begins with name:, title:, unit:, measure: and questions:."
        )
    try:
        return QuestionSet.model_validate(told)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the set'}: {one['msg']}" for one in error.errors())
        raise RecordError(f"The question set cannot be used: {wrong}.") from None


@cache
def ready_made() -> Mapping[str, str]:
    """The YAML of each question set that comes with Touchstone, by its name."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(_SETS.glob("*.yaml"))}


def is_asked(question: Asked, answers: Answers) -> bool:
    """Whether a question comes up after what was answered so far."""
    return all(answers.get(name) in values for name, values in question.when.items())


def check_answers(questions: QuestionSet, answers: Answers) -> dict[str, Answer]:
    """The answers that belong to questions that came up, in their order.

    Raises RecordError for one that is missing, of another kind, or to a question that is not asked.
    """
    unknown = sorted(set(answers) - set(questions.by_id))
    if unknown:
        raise RecordError(f"There is no question {unknown[0]!r} in {questions.name!r}. Reload the page.")
    kept: dict[str, Answer] = {}
    for question in questions.questions:
        answer = answers.get(question.id)
        if not is_asked(question, kept):
            continue
        if answer in (None, "", []):
            if question.required:
                raise RecordError(f"“{question.ask}” is not answered yet.")
            continue
        _check(question, answer)
        kept[question.id] = answer
    return kept


def _check(question: Asked, answer: Answer) -> None:
    if not _fits(question, answer):
        raise RecordError(f"{answer!r} is no answer to “{question.ask}”. Choose one of those that are offered.")
    for text in (part for part in (answer if isinstance(answer, list) else [answer]) if isinstance(part, str)):
        require_storable(f"the answer to “{question.ask}”", text)


def _fits(question: Asked, answer: Answer) -> bool:
    match question.kind:
        case "choice":
            return answer in question.values
        case "several":
            return isinstance(answer, list) and all(
                question.values.count(one) == answer.count(one) == 1 for one in answer
            )
        case "scale":
            return type(answer) is int and question.low <= answer <= question.high
        case "text":
            return isinstance(answer, str)
        case "span":
            return isinstance(answer, list) and all(_is_span(piece) for piece in answer)
        case "edit":
            return isinstance(answer, list) and all(isinstance(record, dict) for record in answer)


def _is_span(piece: object) -> bool:
    match piece:
        case [start, end] | [start, end, "left" | "right"]:
            return type(start) is int and type(end) is int and 0 <= start < end
    return False
