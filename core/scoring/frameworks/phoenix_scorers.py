"""The evaluator of faithfulness of Phoenix, which asks for a label by a JSON schema."""

from __future__ import annotations

import json
from typing import Any

from phoenix.evals import LLM
from phoenix.evals.metrics import FaithfulnessEvaluator

from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_REQUEST = "Summarize the text."  # stands for the input that the evaluator must have, where there is no question
_AS_JSON = "Answer with one JSON object and nothing else. It follows this JSON schema:\n{schema}"


class _PhoenixModel(LLM):
    """The model of ours."""

    def __init__(self, ask: Ask) -> None:  # that of Phoenix makes a client of a provider
        self.provider, self.model, self._ask = "touchstone", "endpoint", ask

    def generate_object(self, prompt: Any, schema: dict[str, Any], tracer: Any = None, **_: Any) -> dict[str, Any]:  # noqa: ARG002  # Phoenix gives it
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
        turns = "\n\n".join(message["content"] for message in messages if message["role"] != "system")
        text = self._ask(system, f"{turns}\n\n{_AS_JSON.format(schema=json.dumps(schema))}")
        answer: dict[str, Any] = json.loads(text[text.find("{") : text.rfind("}") + 1])
        return answer


@scorer("FaithfulnessEvaluator")
def faithfulness(pair: ScorerTexts, ask: Ask) -> Score:
    """Label of the summary: 1 for faithful to the document, 0 for unfaithful."""
    texts = {"input": pair.question or _REQUEST, "output": pair.summary, "context": pair.document}
    [score] = FaithfulnessEvaluator(llm=_PhoenixModel(ask)).evaluate(texts)
    if score.score is None:
        raise ValueError(f"Phoenix gives no score for the label {score.label!r}")
    return Score(float(score.score), seen=Seen(notes=notes([f"[{score.label}] {score.explanation or ''}"])))
