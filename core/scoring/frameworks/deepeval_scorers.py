"""Scorers of DeepEval, which extract claims by a model and have it judge them; measured without its extra call for a reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import deepeval
from deepeval.metrics import BaseMetric, FaithfulnessMetric, HallucinationMetric, SummarizationMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

from core.errors import UnscorableError
from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_REQUEST = "Summarize the text."  # stands for the input that a test case must have, where there is no question


class _DeepEvalModel(DeepEvalBaseLLM):
    """The model of ours, which takes no schema: DeepEval then reads the JSON that its prompts ask for."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        super().__init__("touchstone")

    def load_model(self) -> DeepEvalBaseLLM:
        return self

    def generate(self, prompt: str) -> str:
        return self._ask("", prompt)

    async def a_generate(self, prompt: str) -> str:
        return self.generate(prompt)

    def get_model_name(self) -> str:
        return "touchstone"


@scorer("FaithfulnessMetric")
def faithfulness(pair: ScorerTexts, ask: Ask) -> Score:
    """Share of the claims of the summary that the truths of the document do not contradict."""
    metric = FaithfulnessMetric(model=_DeepEvalModel(ask), include_reason=False)
    case = LLMTestCase(input=pair.question or _REQUEST, actual_output=pair.summary, retrieval_context=[pair.document])
    return _measure(metric, case, "verdicts", "claims")


@scorer("HallucinationMetric")
def hallucination(pair: ScorerTexts, ask: Ask) -> Score:
    """Share of the contexts, here one document, that the summary does not contradict: 0 or 1; up to 4.1 it was the other share."""
    if tuple(map(int, deepeval.__version__.split(".")[:2])) < (4, 2):
        raise UnscorableError(
            f"DeepEval {deepeval.__version__} gives the share of contradicted contexts. Install 4.2 or newer."
        )
    metric = HallucinationMetric(model=_DeepEvalModel(ask), include_reason=False)
    case = LLMTestCase(input=pair.question or _REQUEST, actual_output=pair.summary, context=[pair.document])
    return _measure(metric, case, "verdicts")


@scorer("SummarizationMetric")
def summarization(pair: ScorerTexts, ask: Ask) -> Score:
    """The lower of alignment with the document and coverage of it by questions, as DeepEval takes it."""
    metric = SummarizationMetric(model=_DeepEvalModel(ask), include_reason=False)
    score = _measure(
        metric, LLMTestCase(input=pair.document, actual_output=pair.summary), "alignment_verdicts", "claims"
    )
    parts = ", ".join(f"{name} {value:.2f}" for name, value in metric.score_breakdown.items())
    return Score(score.value, seen=Seen(notes=notes([f"{parts}.", *score.seen.notes])))


def _measure(metric: BaseMetric, case: LLMTestCase, verdicts: str, claims: str = "") -> Score:
    value = metric.measure(case, _show_indicator=False)
    judged = getattr(metric, verdicts)
    if not judged:
        raise UnscorableError("DeepEval finds no claim in the summary, and scores that 1. There is no score.")
    about: Iterable[str] = getattr(metric, claims) if claims else ["" for _ in judged]
    lines = [
        f"{_word(verdict)} {claim} {verdict.reason or ''}".strip()
        for verdict, claim in zip(judged, about, strict=False)
    ]
    return Score(float(value), seen=Seen(notes=notes(lines)))


def _word(verdict: Any) -> str:
    return f"[{getattr(verdict.verdict, 'value', verdict.verdict)}]"
