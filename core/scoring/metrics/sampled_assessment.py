"""Direct assessment by self-consistency: the mean of several draws (G-Eval, Liu et al. 2023, section 2; Wang et al. 2023)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.errors import BadSettingError, UnreadableAnswerError
from core.model_reference import ModelRef
from core.models import (
    PAIR_VARIABLES,
    Sampling,
    ask_side_by_side,
    ask_structured,
    chat_model,
    load_prompt,
    model_title,
    pair_texts,
    resolve_model,
    worded_prompt,
    wordings,
)
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.scoring.metrics.direct_assessment import Mark
from core.text import ANY
from core.types import Example, Rounds, Score, Seen, Span

_PROMPT = "direct-assessment"
_MAX_SAMPLES = 100


@METRICS.add
@dataclass(frozen=True)
class SampledAssessment(MultiRoundMetric):
    """Asks `samples` times at once; the model and endpoint are the configured ones by default."""

    name: ClassVar[str] = "sampled-assessment"
    card: ClassVar[Card] = Card(
        title="Direct assessment, sampled",
        family="Judge",
        languages=ANY,
        measures="The mean of what a language model says in several draws of how consistent the summary is with the document, "
        "from 0 to 100, with the standard deviation of the draws.",
        paper="Liu et al. 2023, G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment",
        url="https://aclanthology.org/2023.emnlp-main.153",
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0. The model has terms of its own.",
        differs="The paper draws 20 marks from 1 to 5 after steps of reasoning; here the prompt is that of direct-assessment, and "
        "the mark is divided by 100. A draw that cannot be read counts in no figure, and a note says so; there is a score where at "
        "least two draws, and half of them, can be read. The standard deviation is that of a sample (n - 1).",
    )

    model: str = ""
    endpoint: str = ""
    samples: int = 10
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 512
    wording: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.temperature <= 2 or not 0 < self.top_p <= 1:
            raise BadSettingError(
                f"{self.name}: temperature must be above 0 and at most 2, as draws at 0 are all the same, and top_p above 0 "
                f"and at most 1; got {self.temperature:g} and {self.top_p:g}."
            )
        if not 2 <= self.samples <= _MAX_SAMPLES or self.max_tokens < 1:
            raise BadSettingError(
                f"{self.name}: samples must be 2 to {_MAX_SAMPLES} and max_tokens 1 or more; got {self.samples} and "
                f"{self.max_tokens}."
            )
        worded_prompt(_PROMPT, self.wording)

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, wording=wording) for wording in wordings(_PROMPT) if wording != self.wording]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint),)

    def rounds(self, example: Example) -> Rounds[Score]:
        used, model = (
            load_prompt(worded_prompt(_PROMPT, self.wording), PAIR_VARIABLES),
            resolve_model(self.model, self.endpoint),
        )
        messages = used.fill(pair_texts(example))
        first = Sampling(model, self.temperature, self.top_p, self.max_tokens, endpoint=self.endpoint)
        draws = [ask_structured(messages, replace(first, sample=place), Mark) for place in range(self.samples)]
        outcomes = yield from ask_side_by_side(draws)
        marks = [outcome.score for outcome in outcomes if isinstance(outcome, Mark)]
        unread = [outcome for outcome in outcomes if isinstance(outcome, UnreadableAnswerError)]
        if len(marks) < max(2, self.samples / 2):
            raise UnreadableAnswerError(
                f"{len(unread)} of {self.samples} draws cannot be read. The last: {unread[-1]}",
                [answer for problem in unread for answer in problem.answers],
            )
        mean, more = statistics.fmean(marks), f"; {len(unread)} more could not be read" if unread else ""
        note = (
            f"The marks from 0 to 100 of {len(marks)} draws have the mean {mean:.1f} and the standard deviation "
            f"{statistics.stdev(marks):.1f}{more}."
        )
        seen = Seen((Span(0, len(example.document)),), notes=(note,))
        return Score(mean / 100, seen=seen, asked=(f"model:{model_title(model)}", used.signature))
