"""Scorers of RAGAS."""

from __future__ import annotations

import asyncio
import math

from pydantic import BaseModel
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import Faithfulness, ResponseGroundedness

from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_REQUEST = "Summarize the text."  # stands for the input that faithfulness must have, where there is no question


class _RagasModel(InstructorBaseRagasLLM):
    """The model of ours, whose answers are read as the JSON that the prompts ask for."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def generate(self, prompt: str, response_model: type[BaseModel]) -> BaseModel:
        text = self._ask("", prompt)
        return response_model.model_validate_json(text[text.find("{") : text.rfind("}") + 1])

    async def agenerate(self, prompt: str, response_model: type[BaseModel]) -> BaseModel:
        return self.generate(prompt, response_model)


class _Verdicts(_RagasModel):
    """The same, which keeps the statements that were judged, for RAGAS gives their share alone."""

    lines: tuple[str, ...] = ()

    def generate(self, prompt: str, response_model: type[BaseModel]) -> BaseModel:
        result = super().generate(prompt, response_model)
        judged = [judgement for judgement in getattr(result, "statements", []) if hasattr(judgement, "verdict")]
        self.lines = tuple(
            f"[{'yes' if judgement.verdict else 'no'}] {judgement.statement} {judgement.reason}" for judgement in judged
        )
        return result


@scorer("Faithfulness")
def faithfulness(pair: ScorerTexts, ask: Ask) -> Score:
    """Share of the statements of the summary that can be inferred from the document."""
    model = _Verdicts(ask)
    measured = Faithfulness(llm=model).ascore(
        user_input=pair.question or _REQUEST, response=pair.summary, retrieved_contexts=[pair.document]
    )
    value = _number(asyncio.run(measured).value)
    if not model.lines:
        raise ValueError("RAGAS finds no statement in the summary")
    return Score(value, seen=Seen(notes=notes(model.lines)))


@scorer("ResponseGroundedness")
def response_groundedness(pair: ScorerTexts, ask: Ask) -> Score:
    """Mean of the marks 0, 1 and 2 that two prompts give to the support of the summary by the document, divided by 2."""
    measured = ResponseGroundedness(llm=_RagasModel(ask)).ascore(
        response=pair.summary, retrieved_contexts=[pair.document]
    )
    return Score(_number(asyncio.run(measured).value))


def _number(value: float) -> float:
    if math.isnan(value):
        raise ValueError("RAGAS gives no score: no statement was found, or no answer could be read")
    return float(value)
