"""Scorers of other frameworks, which ask a model through our endpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.errors import BadSettingError, UnreadableAnswerError
from core.model_reference import ModelRef, PluginFunction
from core.models import Sampling, answer_text, chat_model, chat_question, model_title, resolve_model, sampling_signature
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.scoring.plugins.environments import FRAMEWORKS, framework_environment
from core.scoring.plugins.function_metric import score_of_answer
from core.scoring.plugins.processes.asking import UNREADABLE, function_name, read_question
from core.text import ANY
from core.types import Answer, Example, Question, Rounds, Score

_MOST_ROUNDS = 40

Scorer = Literal[
    "autoevals:Factuality",
    "autoevals:Faithfulness",
    "deepeval:FaithfulnessMetric",
    "deepeval:HallucinationMetric",
    "deepeval:SummarizationMetric",
    "inspect:model_graded_qa",
    "phoenix:FaithfulnessEvaluator",
    "ragas:Faithfulness",
    "ragas:ResponseGroundedness",
    "trulens:groundedness",
]
"""A framework and its scorer."""


@METRICS.add
@dataclass(frozen=True)
class FrameworkScorer(MultiRoundMetric):
    """Asks the scorer what it would ask its model, asks that of the endpoint, and hands it the answers, until it has a score.

    The scorer runs in a process of its own; the model and endpoint are the configured ones by default.
    """

    name: ClassVar[str] = "frameworks"
    card: ClassVar[Card] = Card(
        title="Scorer of another framework",
        family="Judge",
        languages=ANY,
        measures="Consistency as a scorer of DeepEval, RAGAS or another framework of evaluation measures it, by its own prompts; "
        "the model is asked through an endpoint of Touchstone.",
        paper="Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation; each framework documents its own",
        url="https://aclanthology.org/2024.eacl-demo.16",
        low=0.0,
        high=1.0,
        licence="Each framework has its own: DeepEval and RAGAS Apache-2.0, autoevals, inspect_ai and TruLens MIT, Phoenix Elastic-2.0. "
        "The model has terms of its own.",
        differs="The document is the one context, and the question, or where there is none “Summarize the text.”, the input. Answers are "
        "plain text that the scorer reads as JSON. Reasons that would cost another question and change no score are not asked for.",
    )

    scorer: Scorer = "deepeval:FaithfulnessMetric"
    model: str = ""
    endpoint: str = ""
    temperature: float = 0.0
    max_tokens: int = 2048
    sample: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 2 or self.max_tokens < 1 or self.sample < 0:
            raise BadSettingError(
                f"{self.name}: temperature must be 0 to 2, max_tokens 1 or more and sample 0 or more; "
                f"got {self.temperature:g}, {self.max_tokens} and {self.sample}."
            )
        framework, _, scorer = self.scorer.partition(":")
        titled = replace(self.card, title=f"{FRAMEWORKS[framework].title} {scorer}")
        object.__setattr__(self, "card", titled)  # the fields alone are frozen

    @property
    def _function(self) -> PluginFunction:
        framework, _, scorer = self.scorer.partition(":")
        return PluginFunction(FRAMEWORKS[framework].source, function_name(scorer))

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint), self._function)

    def rounds(self, example: Example) -> Rounds[Score]:
        sampling = Sampling(
            resolve_model(self.model, self.endpoint),
            self.temperature,
            max_tokens=self.max_tokens,
            sample=self.sample,
            endpoint=self.endpoint,
        )
        texts: dict[str, str] = {}
        received: list[Answer] = []
        for _ in range(_MOST_ROUNDS):
            [reply] = yield [self._scorer_question(example, texts)]
            if reply.values:
                return self._score(example, reply, received, sampling)
            kind, *question_texts = reply.texts
            if kind == UNREADABLE:
                raise UnreadableAnswerError(
                    f"{self.scorer} cannot read an answer of its model. {question_texts[0]}", received
                )
            questions = []
            for text in question_texts:
                messages, draw = read_question(text)
                question_sampling = replace(sampling, sample=sampling.sample * _MOST_ROUNDS + draw)
                questions.append(chat_question(messages, question_sampling))
            answers = yield questions
            received += answers
            texts |= {text: answer_text(answer) for text, answer in zip(question_texts, answers, strict=True)}
        raise UnreadableAnswerError(
            f"{self.scorer} asked its model in {_MOST_ROUNDS} rounds, and has no score.", received
        )

    def _scorer_question(self, example: Example, texts: Mapping[str, str]) -> Question:
        inputs = (example.document, example.summary, example.question)
        return Question(self._function, inputs, (("answers", json.dumps(texts, sort_keys=True)),))

    def _score(self, example: Example, reply: Answer, received: list[Answer], sampling: Sampling) -> Score:
        framework = FRAMEWORKS[self.scorer.partition(":")[0]]
        facts = (
            f"{framework.package}:{framework_environment(framework).version}",
            f"model:{model_title(sampling.model)}",
            *sampling_signature(sampling).split("|"),
        )
        score = score_of_answer(example, reply, reply.texts, facts)
        return replace(score, seen=replace(score.seen, tokens=sum(answer.tokens for answer in received)))
