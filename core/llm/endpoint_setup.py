"""Setting an endpoint up: the addresses of common servers, and three short questions that tell what one can do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.errors import Problem, TouchstoneError, attempt
from core.llm.chat import Sampling
from core.llm.endpoints import Endpoint
from core.llm.requests import JSON_MODE, SCHEMA, SYSTEM_ROLE, FirstTokens, likely_tokens_limits
from core.llm.responses import Completion
from core.llm.structured import StructuredAnswer, answer_schema, read_structured

if TYPE_CHECKING:
    from core.llm.client import Client

_PATIENCE_S = 30.0  # a person waits at the screen; a local server may load the model first
_ANSWER_TOKENS = 64
_TOP_TOKENS = 20  # the most that OpenAI gives; a server that gives fewer says so
_SHOWN_CHARACTERS = 80
_SYSTEM = "You answer in as few words as possible."


@dataclass(frozen=True, slots=True)
class EndpointPreset:
    """A common server: where it answers, and the variable that usually holds its key, "" where it wants none."""

    title: str
    base_url: str
    key_from: str = ""
    model: str = ""


PRESETS = (
    EndpointPreset("vLLM", "http://localhost:8000/v1", model="the name given to `vllm serve`"),
    EndpointPreset("Ollama", "http://localhost:11434/v1", model="a name of `ollama list`"),
    EndpointPreset("llama.cpp", "http://localhost:8080/v1", model="any name: the server has one model"),
    EndpointPreset("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "a name of its list of models"),
    EndpointPreset("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "maker/model"),
    EndpointPreset(
        "Azure OpenAI", "https://RESOURCE.openai.azure.com/openai/v1", "AZURE_OPENAI_API_KEY", "the deployment's name"
    ),
    EndpointPreset("Another server", "", model="a name that it serves"),
)
"""The servers that people ask most; the model is a hint."""


@dataclass(frozen=True, slots=True)
class EndpointFinding:
    """Result of testing an endpoint for one ability, and a sentence with its answer or what it means."""

    what: str
    works: bool
    message: str


class ReadyAnswer(StructuredAnswer):
    """The shape that the test of structured output asks for."""

    ready: bool


def check_endpoint(endpoint: Endpoint) -> list[EndpointFinding]:
    """Ask the endpoint's model three short questions: an answer, structured output and log-probabilities.

    Where there is no answer the others are not asked. Never raises; no message holds the key.
    """
    client = _testing_client(endpoint)
    sampling = Sampling(endpoint.model, max_tokens=_ANSWER_TOKENS)
    answered = _check_answer(lambda: client.chat((_SYSTEM, "Reply with the word: ready"), sampling, ""))
    if not answered.works:
        return [answered]
    request = 'Reply with this JSON object: {"ready": true}'
    shaped = attempt(
        lambda: read_structured(client.chat((_SYSTEM, request), sampling, answer_schema(ReadyAnswer)).text, ReadyAnswer)
    )
    likely = attempt(
        lambda: client.first_token(_SYSTEM, "Is water wet? Answer Yes or No.", FirstTokens(endpoint.model, _TOP_TOKENS))
    )
    return [
        answered,
        _finding(
            "Structured output",
            shaped,
            "Explanations, grades and edits can be read.",
            "Explaining and judging need it.",
        ),
        _finding("Log-probabilities", likely, "Bespoke-MiniCheck can ask it.", "Only Bespoke-MiniCheck needs them."),
    ]


def probed_fields(endpoint: Endpoint) -> dict[str, object]:
    """The fields of an endpoint that its test found to be otherwise than they are set, by what its server refused."""
    left_out = _testing_client(endpoint).left_out(endpoint.model) - endpoint.left_out
    fields: dict[str, object] = {}
    if SYSTEM_ROLE in left_out:
        fields["system_role"] = False
    if JSON_MODE in left_out:
        fields["structured"] = "none"
    elif SCHEMA in left_out:
        fields["structured"] = "json_object"
    if limits := likely_tokens_limits(left_out):
        fields["top_logprobs"] = min(limits)
    return fields


def _testing_client(endpoint: Endpoint) -> Client:
    # imported when asked for: openai takes a second to import
    from core.llm.client import client_for

    return client_for(replace(endpoint, retries=0, patience_s=min(endpoint.patience_s, _PATIENCE_S)))


def _check_answer(ask: Callable[[], Completion]) -> EndpointFinding:
    began = time.perf_counter()
    found = attempt(ask)
    seconds = time.perf_counter() - began
    if isinstance(found, Problem):
        return EndpointFinding("Answer", False, found.message)
    if not found.text.strip():
        return EndpointFinding(
            "Answer",
            False,
            f"It ended ({found.finish_reason}) without text. A reasoning model needs reasoning tokens: set them.",
        )
    return EndpointFinding("Answer", True, f"“{found.text.strip()[:_SHOWN_CHARACTERS]}” after {seconds:.1f} s.")


def _finding(what: str, found: object, use: str, lack: str) -> EndpointFinding:
    return (
        EndpointFinding(what, False, f"{found.message} {lack}")
        if isinstance(found, Problem)
        else EndpointFinding(what, True, use)
    )


def endpoint_table(endpoint: Endpoint, key_from: str, further: str = "") -> str:
    """The table for the file of TOUCHSTONE_ENDPOINTS that keeps an endpoint, with the further lines that were typed.

    A key never stands in it.
    """
    if '"' in endpoint.base_url + endpoint.model:
        raise TouchstoneError("Address and model may hold no quotation mark.")
    lines = [f"[{endpoint.name}]", f'base_url = "{endpoint.base_url}"', f'model = "{endpoint.model}"']
    if endpoint.reasoning_tokens:
        lines.append(f"reasoning_tokens = {endpoint.reasoning_tokens}")
    if endpoint.leave_out:
        lines.append(f"leave_out = {json.dumps(endpoint.leave_out)}")
    if not endpoint.system_role:
        lines.append("system_role = false")
    if endpoint.structured != "json_schema":
        lines.append(f'structured = "{endpoint.structured}"')
    if endpoint.price:
        lines += [f"price_read = {endpoint.price.read:g}", f"price_written = {endpoint.price.written:g}"]
    lines.append(f'key_from = "{key_from or "NAME_OF_THE_VARIABLE"}"' if endpoint.key else "")
    return "\n".join(line for line in [*lines, *map(str.strip, further.splitlines())] if line)
