"""Scorers of autoevals, which ask for calls of tools; our endpoints are asked for the arguments as JSON."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from autoevals import Factuality
from autoevals.ragas import Faithfulness

from core.errors import UnscorableError
from core.scoring.plugins.processes.asking import Ask, ScorerTexts, notes, scorer
from core.types import Score, Seen

_REQUEST = "Summarize the text."  # stands for the input that a scorer must have, where there is no question
_AS_JSON = (
    "Give the arguments of {name} as one JSON object and nothing else. It follows this JSON schema:\n{parameters}"
)


@scorer("Faithfulness")
def faithfulness(pair: ScorerTexts, ask: Ask) -> Score:
    """Share of the statements of the summary that can be inferred from the document, by prompts of an early RAGAS."""
    result = Faithfulness(client=_client(ask), model="touchstone").eval(
        input=pair.question or _REQUEST, output=pair.summary, context=pair.document
    )
    judged = result.metadata["faithfulness"]
    if not judged:
        raise UnscorableError("autoevals finds no statement in the summary. There is no score.")
    lines = [
        f"[{'yes' if judgement['verdict'] else 'no'}] {judgement['statement']} {judgement.get('reason', '')}"
        for judgement in judged
    ]
    return Score(float(result.score), seen=Seen(notes=notes(lines)))


@scorer("Factuality")
def factuality(pair: ScorerTexts, ask: Ask) -> Score:
    """Choice of how the summary relates to the document as the expert answer: 0 for a conflict, 0.4 for a consistent subset, up to 1."""
    result = Factuality(client=_client(ask), model="touchstone").eval(
        input=pair.question or _REQUEST, output=pair.summary, expected=pair.document
    )
    line = f"[{result.metadata['choice']}] {result.metadata.get('rationale', '')}"
    return Score(float(result.score), seen=Seen(notes=notes([line])))


def _client(ask: Ask) -> Any:
    """A client of OpenAI's form, which has the completion of chats alone."""

    def complete(messages: list[dict[str, str]], tools: list[dict[str, Any]], **_: object) -> dict[str, Any]:
        [message], [tool] = messages, tools
        function = tool["function"]
        instruction = _AS_JSON.format(name=function["name"], parameters=json.dumps(function["parameters"]))
        text = ask("", f"{message['content']}\n\n{instruction}")
        call = {"name": function["name"], "arguments": text[text.find("{") : text.rfind("}") + 1]}
        return {"choices": [{"message": {"tool_calls": [{"function": call}]}}]}

    return SimpleNamespace(
        chat=SimpleNamespace(completions=SimpleNamespace(create=complete)),
        responses=SimpleNamespace(create=None),
        embeddings=SimpleNamespace(create=None),
        moderations=SimpleNamespace(create=None),
    )
