"""Direct assessment weighted by the probabilities of its answers (G-Eval, Liu et al. 2023, section 2, "Scoring Function")."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.errors import UnreadableAnswerError
from core.model_reference import EndpointModel, ModelRef
from core.models import (
    PAIR_VARIABLES,
    first_token_model,
    is_opening,
    load_prompt,
    model_title,
    pair_texts,
    require_whole_question,
    resolve_model,
    token_word,
    worded_prompt,
    wordings,
)
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.text import ANY
from core.types import Answer, Example, Question, Rounds, Score, Seen, Span

_MARKS = range(1, 6)
_TOP_TOKENS = 20  # the most that OpenAI gives
_MAX_TOKENS = 4  # of an answer that begins with a blank or a quotation mark
_LEAST_MASS = 0.5  # below it most of what the model would say is no mark
_MARK = re.compile(r"""["'`*_(\[]*([1-5])[]"'`*_).:,]*""")


@METRICS.add
@dataclass(frozen=True)
class WeightedAssessment(MultiRoundMetric):
    """Asks once for one digit; the model and endpoint are the configured ones by default."""

    name: ClassVar[str] = "weighted-assessment"
    card: ClassVar[Card] = Card(
        title="Direct assessment, weighted",
        family="Judge",
        languages=ANY,
        measures="The mark that a language model gives on average: each digit from 1 to 5 by the probability that it begins the "
        "answer with it, on a scale of 0 to 1. Finer than one number, and without sampling.",
        paper="Liu et al. 2023, G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment",
        url="https://aclanthology.org/2023.emnlp-main.153",
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0. The model has terms of its own.",
        differs="The prompt is in our own words and asks for no steps of reasoning first. The paper estimates the probabilities "
        "from 20 samples, as GPT-4 gave none; here they are those of the first token that is no blank, shared out among "
        "the digits; where these have less than half of the probability there is no score. The endpoint must give "
        "log-probabilities.",
    )

    model: str = ""
    endpoint: str = ""
    wording: str = ""

    def __post_init__(self) -> None:
        worded_prompt(self.name, self.wording)

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, wording=wording) for wording in wordings(self.name) if wording != self.wording]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (first_token_model(self.model, self.endpoint),)

    def rounds(self, example: Example) -> Rounds[Score]:
        used = load_prompt(worded_prompt(self.name, self.wording), PAIR_VARIABLES)
        messages, model = used.fill(pair_texts(example)), resolve_model(self.model, self.endpoint)
        options = (("model", model), ("top_tokens", _TOP_TOKENS))
        question = Question(self.checkpoints()[0], (messages.system, messages.user), options)
        answers = yield [question]
        opening = math.fsum(share for token, share in _shares(answers[0]) if is_opening(token))
        # the mark stands behind a blank or a quotation mark, where only an endpoint goes on
        if isinstance(question.checkpoint, EndpointModel) and opening >= _LEAST_MASS:
            answers = yield [replace(question, options=(*options, ("max_tokens", _MAX_TOKENS)))]
        marks = read_marks(answers[0])
        low, high = _MARKS[0], _MARKS[-1]
        seen = Seen((Span(0, len(example.document)),), answers[0].tokens, notes=(str(marks),))
        return Score(
            (marks.mean - low) / (high - low), seen=seen, asked=(f"model:{model_title(model)}", used.signature)
        )


@dataclass(frozen=True, slots=True)
class Marks:
    """Mean and standard deviation of the marks by their probabilities, and the probability of all of them together."""

    mean: float
    spread: float
    mass: float

    def __str__(self) -> str:
        return (
            f"The marks from 1 to 5 have {self.mass:.2f} of the probability, the mean {self.mean:.2f} and the standard "
            f"deviation {self.spread:.2f}."
        )


def read_marks(answer: Answer) -> Marks:
    """The marks that an answer begins with; UnreadableAnswerError where they have less than half of the probability."""
    require_whole_question(answer)
    shares = dict.fromkeys(_MARKS, 0.0)
    for token, share in _shares(answer):
        if mark := _MARK.fullmatch(token_word(token)):
            shares[int(mark[1])] += share
    mass = math.fsum(shares.values())
    if mass < _LEAST_MASS:
        tokens = ", ".join(f"{token!r} ({share:.2f})" for token, share in _shares(answer)) or "no token at all"
        digits = f"gives the digits from 1 to 5 {mass:.2f} of the probability" if mass else "gives no digit from 1 to 5"
        raise UnreadableAnswerError(f"The model {digits}, but begins its answer with {tokens}.", [answer])
    mean = math.fsum(mark * share for mark, share in shares.items()) / mass
    variance = math.fsum((mark - mean) ** 2 * share for mark, share in shares.items()) / mass
    return Marks(mean, math.sqrt(variance), mass)


def _shares(answer: Answer) -> list[tuple[str, float]]:
    # the usage of an endpoint's answer stands behind the probabilities
    return list(zip(answer.texts, answer.values, strict=False))
