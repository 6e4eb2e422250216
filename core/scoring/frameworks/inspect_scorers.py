"""The model-graded scorer of inspect_ai, with consistency as the criterion."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import Target, model_graded_qa
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolChoice, ToolInfo

from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_REQUEST = "Summarize the text."
_CRITERION = "Every statement of the submission is supported by the text of the task, and none contradicts it."
_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0}


class _InspectModel(ModelAPI):
    """The model of ours."""

    def __init__(self, model_name: str, ask: Ask, **_: Any) -> None:
        super().__init__(model_name)
        self._ask = ask

    async def generate(
        self,
        input: list[ChatMessage],  # the name is inspect_ai's
        tools: list[ToolInfo],  # noqa: ARG002  # inspect_ai gives it
        tool_choice: ToolChoice,  # noqa: ARG002  # inspect_ai gives it
        config: GenerateConfig,  # noqa: ARG002  # inspect_ai gives it
    ) -> ModelOutput:
        [message] = input
        return ModelOutput.from_content(self.model_name, self._ask("", message.text))


@modelapi(name="touchstone")
def _provider() -> type[ModelAPI]:
    return _InspectModel


@scorer("model_graded_qa")
def graded(pair: ScorerTexts, ask: Ask) -> Score:
    """Grade of the summary, with partial credit: 1 for C, 0.5 for P, 0 for I."""
    model = get_model("touchstone/endpoint", memoize=False, ask=ask)
    state = TaskState(
        model=model,
        sample_id="pair",
        epoch=1,
        input=f"{pair.question or _REQUEST}\n\n{pair.document}",
        messages=[],
        output=ModelOutput.from_content("summary", pair.summary),
    )
    grade = asyncio.run(_grade(state, model))
    if grade.value not in _VALUES:
        raise ValueError(f"inspect_ai finds no grade in the answer: {grade.explanation}")
    return Score(_VALUES[str(grade.value)], seen=Seen(notes=notes([str(grade.explanation)])))


async def _grade(state: TaskState, model: Any) -> Any:
    return await model_graded_qa(model=model, partial_credit=True)(state, Target(_CRITERION))
