"""Direct assessment by a language model (Wang et al. 2023, section 3.1), and its control without the document.

The control is that of Ramprasad & Wallace 2024: without the document it asks for factual accuracy, by what a model knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field

from core.errors import BadSettingError
from core.model_reference import ModelRef
from core.models import (
    PAIR_VARIABLES,
    Sampling,
    StructuredAnswer,
    ask_structured,
    chat_model,
    collect_answers,
    load_prompt,
    model_title,
    pair_texts,
    plain_words,
    resolve_model,
    scaled_prompt,
    scales,
    worded_prompt,
    wordings,
)
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.text import ANY
from core.types import Answer, Example, Rounds, Score, Seen, Span

_PAPER = "Wang et al. 2023, Is ChatGPT a Good NLG Evaluator? A Preliminary Study"
_URL = "https://aclanthology.org/2023.newsum-1.1"
_DIFFERS = (
    "The prompt is in our own words, the answer is asked for as JSON, and the score is divided by 100. A refused, cut or "
    "unreadable answer, or a mark between 0 and 1, is a failure, never a score. sample= draws afresh what is kept under another "
    "number; wording= takes one of the prompts that ask the same in other words, scale= one that asks for 1 to 5 (5) or yes or "
    "no (yes-no), where there is one."
)


_NUMBER = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*(?:%|/\s*100)?\s*")


def _as_number(value: object) -> object:
    """The number that a text holds, as many models write it; anything else as it is."""
    number = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return float(number[1]) if number else value


def _on_the_scale(score: float) -> float:
    if 0 < score < 1:
        raise ValueError(f"{score:g} looks like a mark from 0 to 1, and the scale is 0 to 100")
    return score


class Mark(StructuredAnswer):
    """The score that a model gives, 0 for inconsistency to 100 for perfect consistency."""

    score: Annotated[float, BeforeValidator(_as_number), AfterValidator(_on_the_scale)] = Field(ge=0, le=100)

    @property
    def share(self) -> float:
        """Place of the mark on its scale, 0 to 1."""
        return self.score / 100


class FivePointMark(StructuredAnswer):
    """The same from 1 to 5."""

    score: Annotated[float, BeforeValidator(_as_number)] = Field(ge=1, le=5)

    @property
    def share(self) -> float:
        return (self.score - 1) / 4


def _as_answer(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain_words(value) if isinstance(value, str) else value


class YesNo(StructuredAnswer):
    """The same as an answer to the question if the summary is consistent."""

    consistent: Annotated[Literal["yes", "no"], BeforeValidator(_as_answer)]

    @property
    def share(self) -> float:
        return float(self.consistent == "yes")


_SHAPES: Mapping[str, type[Mark | FivePointMark | YesNo]] = MappingProxyType(
    {"": Mark, "5": FivePointMark, "yes-no": YesNo}
)
"""Answers by the setting `scale`."""


@dataclass(frozen=True)
class _Assessment(MultiRoundMetric):
    """Asks once, and once more where the answer cannot be read; the model and endpoint are the configured ones by default."""

    prompt_name: ClassVar[str]
    reads_document: ClassVar[bool]

    model: str = ""
    """Name of the model; empty for the configured one."""
    endpoint: str = ""
    """Name of the endpoint; empty for the default one."""
    temperature: float = 0.0
    """Sampling temperature, 0 to 2; 0 takes the most likely token."""
    top_p: float = 1.0
    """Share of the probability that tokens are sampled from, above 0 and at most 1."""
    max_tokens: int = 512
    """Limit of the answer in tokens, at least 1."""
    sample: int = 0
    """Number of the draw, 0 or more: each is cached as an answer of its own."""
    wording: str = ""
    """Name of another wording of the prompt; empty for the standard one."""
    scale: str = ""
    """Answer scale, a key of `_SHAPES`; empty for marks from 0 to 100. Excludes `wording`."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 2 or not 0 < self.top_p <= 1:
            raise BadSettingError(
                f"{self.name}: temperature must be 0 to 2 and top_p above 0 and at most 1; "
                f"got {self.temperature:g} and {self.top_p:g}."
            )
        if self.max_tokens < 1 or self.sample < 0:
            raise BadSettingError(
                f"{self.name}: max_tokens must be 1 or more and sample 0 or more; got {self.max_tokens} and {self.sample}."
            )
        _ = self._prompt

    @property
    def _prompt(self) -> str:
        """Name of the prompt in its wording or on its scale; raises BadSettingError for one that there is not."""
        if self.scale and self.wording:
            raise BadSettingError(f"{self.name}: other scales have no other wordings. Leave wording or scale out.")
        if self.scale:
            return scaled_prompt(self.prompt_name, self.scale)
        return worded_prompt(self.prompt_name, self.wording)

    def rewordings(self) -> Sequence[Self]:
        if self.scale:
            return ()
        return [replace(self, wording=wording) for wording in wordings(self.prompt_name) if wording != self.wording]

    def rescalings(self) -> Sequence[Self]:
        return [replace(self, scale=scale, wording="") for scale in scales(self.prompt_name) if scale != self.scale]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint),)

    def rounds(self, example: Example) -> Rounds[Score]:
        used = load_prompt(self._prompt, PAIR_VARIABLES, self.profile)
        messages = used.fill(pair_texts(example))
        mark, answers = yield from collect_answers(ask_structured(messages, self._sampling(), _SHAPES[self.scale]))
        model = f"model:{model_title(self._sampling().model)}"
        return Score(mark.share, seen=self._seen(example, answers, mark), asked=(model, used.signature))

    def _sampling(self) -> Sampling:
        model = resolve_model(self.model, self.endpoint)
        return Sampling(model, self.temperature, self.top_p, self.max_tokens, self.sample, self.endpoint)

    def _seen(self, example: Example, answers: Sequence[Answer], mark: Mark | FivePointMark | YesNo) -> Seen:
        pieces = (Span(0, len(example.document)),) if self.reads_document else ()
        again = ("The first answer could not be read and was asked for once more.",) if len(answers) > 1 else ()
        scale = ("The mark is 1 of 100; on a scale of 0 to 1 it would be the best.",) if mark == Mark(score=1) else ()
        return Seen(pieces, sum(answer.tokens for answer in answers), notes=(*again, *scale))


@METRICS.add
@dataclass(frozen=True)
class DirectAssessment(_Assessment):
    """Rating by a language model of the consistency of the summary with the document."""

    name: ClassVar[str] = "direct-assessment"
    card: ClassVar[Card] = Card(
        title="Direct assessment",
        family="Judge",
        languages=ANY,
        measures="How consistent a language model says that the summary is with the document, asked for a number from 0 to 100.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0. The model has terms of its own.",
        differs=_DIFFERS,
    )
    prompt_name: ClassVar[str] = "direct-assessment"
    reads_document: ClassVar[bool] = True


@METRICS.add
@dataclass(frozen=True)
class ClosedBook(_Assessment):
    """Rating of the factual accuracy of the summary by a language model that does not see the document."""

    name: ClassVar[str] = "closed-book"
    card: ClassVar[Card] = Card(
        title="Direct assessment, closed book",
        family="Judge",
        languages=ANY,
        measures="How factually accurate a language model says that the summary is without seeing the document: the control, "
        "which shows how much of direct assessment the model knows or guesses without the source.",
        paper=f"{_PAPER}; the control after Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
        url=_URL,
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0. The model has terms of its own.",
        differs="It asks for factual accuracy without the source, as the control of Ramprasad & Wallace does; direct assessment "
        f"asks for consistency with the source. {_DIFFERS}",
    )
    prompt_name: ClassVar[str] = "direct-closed-book"
    reads_document: ClassVar[bool] = False
