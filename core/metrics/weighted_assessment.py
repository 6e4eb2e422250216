"""Direct assessment weighted by the probabilities of its answers (G-Eval, Liu et al. 2023, section 2, "Scoring Function")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.errors import UnreadableAnswerError
from core.language import ANY
from core.llm.chat import token_word
from core.llm.endpoints import resolve_model
from core.llm.local_models import first_token_model, model_title
from core.llm.prompts import PAIR_VARIABLES, load_prompt, pair_texts, worded_prompt, wordings
from core.metric import METRICS, Card
from core.model_reference import ModelRef
from core.question_answering import MultiRoundMetric
from core.types import Answer, Example, Question, Rounds, Score, Seen, Span

_MARKS = range(1, 6)
_TOP_TOKENS = 20  # the most that OpenAI gives


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
        "from 20 samples, as GPT-4 gave none; here they are those of the first token, shared out among the digits that are "
        "found, and where none is found there is no score. The endpoint must give log-probabilities.",
    )

    model: str = ""
    endpoint: str = ""
    wording: str = ""

    def __post_init__(self) -> None:
        worded_prompt(self.name, self.wording)

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, wording=one) for one in wordings(self.name) if one != self.wording]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (first_token_model(self.model, self.endpoint),)

    def rounds(self, example: Example) -> Rounds[Score]:
        used = load_prompt(worded_prompt(self.name, self.wording), PAIR_VARIABLES)
        messages, model = used.fill(pair_texts(example)), resolve_model(self.model, self.endpoint)
        options = (("model", model), ("top_tokens", _TOP_TOKENS))
        [answer] = yield [Question(self.checkpoints()[0], (messages.system, messages.user), options)]
        mean, spread = expected_mark(answer)
        low, high = _MARKS[0], _MARKS[-1]
        note = f"The marks from 1 to 5 have the mean {mean:.2f} and the standard deviation {spread:.2f}."
        seen = Seen((Span(0, len(example.document)),), answer.tokens, notes=(note,))
        return Score((mean - low) / (high - low), seen=seen, asked=(f"model:{model_title(model)}", used.signature))


def expected_mark(answer: Answer) -> tuple[float, float]:
    """Mean and standard deviation of the marks by their probabilities; UnreadableAnswerError where no token is a mark."""
    shares = dict.fromkeys(_MARKS, 0.0)
    for token, share in zip(answer.texts, answer.values, strict=True):
        word = token_word(token)
        if word in set(map(str, _MARKS)):
            shares[int(word)] += share
    total = sum(shares.values())
    if not total:
        found = ", ".join(repr(token) for token in answer.texts) or "no token at all"
        raise UnreadableAnswerError(
            f"The model begins its answer with no digit from 1 to 5, but with {found}.", [answer]
        )
    mean = sum(mark * share for mark, share in shares.items()) / total
    variance = sum((mark - mean) ** 2 * share for mark, share in shares.items()) / total
    return mean, math.sqrt(variance)
