"""Groundedness of TruLens, whose model splits the summary and marks each statement."""

from __future__ import annotations

import json
from typing import Any

from trulens.core.feedback.endpoint import Endpoint
from trulens.core.feedback.feedback import GroundednessConfigs
from trulens.feedback.llm_provider import LLMProvider

from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_AS_JSON = "Answer with one JSON object and nothing else. It follows this JSON schema:\n{schema}"


class _TrulensModel(LLMProvider):
    """The model of ours."""

    model_engine: str = "touchstone"

    def __init__(self, ask: Ask) -> None:
        super().__init__(endpoint=Endpoint(name="touchstone", rpm=1_000_000, retries=0))
        object.__setattr__(self, "_ask_ours", ask)

    def _create_chat_completion(
        self, prompt: str | None = None, messages: Any = None, response_format: Any = None, **_: Any
    ) -> str:
        chat = messages or [{"role": "user", "content": prompt}]
        system = "\n\n".join(message["content"] for message in chat if message["role"] == "system")
        turns = "\n\n".join(message["content"] for message in chat if message["role"] != "system")
        if response_format:
            turns += f"\n\n{_AS_JSON.format(schema=json.dumps(response_format.model_json_schema()))}"
        text: str = self._ask_ours(system, turns)
        return text


@scorer("groundedness")
def groundedness(pair: ScorerTexts, ask: Ask) -> Score:
    """Mean of the marks from 0 to 3 of how far the document supports each statement of the summary, divided by 3."""
    # its other way of splitting downloads data, and its filter runs what the model answers as Python
    configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=False)
    value, details = _TrulensModel(ask).groundedness_measure_with_cot_reasons(
        pair.document, pair.summary, groundedness_configs=configs
    )
    reasons = details.get("reasons", [])
    if not reasons:
        raise ValueError("TruLens finds no statement in the summary")
    lines = [f"[{reason['score']:.2f}] {reason['criteria']} {reason['supporting_evidence']}" for reason in reasons]
    return Score(float(value), seen=Seen(notes=notes(lines)))
