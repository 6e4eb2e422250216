"""Setting an endpoint up: the addresses of common servers, and a few short questions that tell what one can do."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.errors import Problem, TouchstoneError, attempt
from core.models.llm.chat import Sampling
from core.models.llm.client.refusals import refuses_temperature
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoints.capabilities import (
    CapabilityName,
    CapabilityStore,
    Value,
    capabilities_without,
    capability_store,
)
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints_file import LEFT_OUT_FIELDS, STRUCTURED_FORMS, Api
from core.models.llm.structured import StructuredAnswer, answer_schema, read_structured

if TYPE_CHECKING:
    from core.models.llm.client.client import EndpointClient
    from core.models.llm.client.completions import Completion

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
    api: Api = "chat"


PRESETS = (
    EndpointPreset("vLLM", "http://localhost:8000/v1", model="the name given to `vllm serve`"),
    EndpointPreset("Ollama", "http://localhost:11434/v1", model="a name of `ollama list`"),
    EndpointPreset("llama.cpp", "http://localhost:8080/v1", model="any name: the server has one model"),
    EndpointPreset("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "a name of its list of models"),
    EndpointPreset(
        "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "a name of its list of models", "anthropic"
    ),
    EndpointPreset(
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        "a name of its list of models",
        "gemini",
    ),
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
    """The shape that the test of structured output asks for in its prompt too."""

    ready: bool


class SpiderAnswer(StructuredAnswer):
    """A shape that no prompt shows and nobody guesses: only a server that enforces it answers so."""

    legs_in_pairs: Literal[4]
    class_of_animal: Literal["arachnid"]


def check_endpoint(endpoint: Endpoint) -> list[EndpointFinding]:
    """Ask the endpoint's model a few short questions: an answer, structured output and log-probabilities.

    Where there is no answer the others are not asked, but for a temperature that is refused: they go without it then. What is
    found is kept for the calls. Never raises; no message holds the key.
    """
    store = CapabilityStore()  # what was found before is found again: a server changes
    client = _testing_client(endpoint, store)
    answered, completion = _check_answer(client, endpoint.model)
    sent: set[CapabilityName] = set() if endpoint.reasoning_tokens else {"temperature", "top_p", "max_tokens"}
    sent -= set(endpoint.leave_out)
    values: dict[CapabilityName, Value] = dict.fromkeys(sent, True)
    if completion is None and refuses_temperature(answered.message):
        values["temperature"] = False
        values.pop("top_p", None)  # it is not sent then
        client = _testing_client(replace(endpoint, leave_out=LEFT_OUT_FIELDS), store)
        answered, completion = _check_answer(client, endpoint.model)
    if completion is None:
        return [answered]

    shaped, shapes = _check_structure(client, endpoint.model)
    likely = _check_likely(client, endpoint.model)
    values |= {"shapes": shapes} if shapes else {}
    values |= {"reasoning": completion.reasoned, "usage": completion.prompt_tokens > 0}
    if endpoint.system_role:
        values["system_role"] = True
    if shaped.works and endpoint.structured == STRUCTURED_FORMS[0]:
        values["structured"] = STRUCTURED_FORMS[0]
    if likely.works and endpoint.top_logprobs is None:
        values["top_logprobs"] = _TOP_TOKENS
    elif not likely.works and "prob" in likely.message.lower():  # and not, for example, an answer that came too late
        values["top_logprobs"] = 0
    left_out = client.left_out(endpoint.model, answer_schema(ReadyAnswer))
    values |= capabilities_without(left_out - endpoint.left_out)
    if isinstance(window := attempt(lambda: client.windows().get(endpoint.model)), int):
        values["context"] = window
    capability_store().enter(endpoint, endpoint.model, values, "test")
    return [answered, shaped, likely]


def probed_fields(endpoint: Endpoint) -> dict[str, object]:
    """The fields of an endpoint that are known to be otherwise than they are set, by what its server refused."""
    values = {name: capability.value for name, capability in capability_store().get(endpoint, endpoint.model).items()}
    fields: dict[str, object] = {}
    if values.get("temperature") is False and "temperature" not in endpoint.leave_out and not endpoint.reasoning_tokens:
        fields["leave_out"] = list(LEFT_OUT_FIELDS)
    if values.get("system_role") is False and endpoint.system_role:
        fields["system_role"] = False
    form = values.get("structured")
    if form in STRUCTURED_FORMS and STRUCTURED_FORMS.index(endpoint.structured) < STRUCTURED_FORMS.index(form):
        fields["structured"] = form
    limit = values.get("top_logprobs")
    if isinstance(limit, int) and 0 < limit < (endpoint.top_logprobs or _TOP_TOKENS):
        fields["top_logprobs"] = limit
    return fields


def _testing_client(endpoint: Endpoint, store: CapabilityStore) -> EndpointClient:
    # imported when asked for: openai takes a second to import
    from core.models.llm.client.client import EndpointClient

    quick = replace(endpoint, retries=0, patience_s=min(endpoint.patience_s, _PATIENCE_S))
    return EndpointClient(quick, store)


def _check_answer(client: EndpointClient, model: str) -> tuple[EndpointFinding, Completion | None]:
    began = time.perf_counter()
    sampling = Sampling(model, max_tokens=_ANSWER_TOKENS)
    reply = attempt(lambda: client.chat((_SYSTEM, "Reply with the word: ready"), sampling, ""))
    seconds = time.perf_counter() - began
    if isinstance(reply, Problem):
        return EndpointFinding("Answer", False, reply.error), None
    if not reply.text.strip():
        problem = f"It ended ({reply.finish_reason}) without text. A reasoning model needs reasoning tokens: set them."
        return EndpointFinding("Answer", False, problem), None
    shown = f"“{reply.text.strip()[:_SHOWN_CHARACTERS]}” after {seconds:.1f} s."
    return EndpointFinding("Answer", True, shown), reply


def _check_structure(client: EndpointClient, model: str) -> tuple[EndpointFinding, str]:
    """If answers of a shape can be read, and the value of the capability "shapes", "" where no answer came."""

    def ask(request: str, shape: type[StructuredAnswer]) -> StructuredAnswer | Problem:
        sampling, schema = Sampling(model, max_tokens=_ANSWER_TOKENS), answer_schema(shape)
        return attempt(lambda: read_structured(client.chat((_SYSTEM, request), sampling, schema).text, shape))

    # the word JSON is wanted by the JSON mode of OpenAI
    hidden = ask("How many legs has a spider, and what is it? Answer as JSON.", SpiderAnswer)
    if not isinstance(hidden, Problem):
        enforced = (
            "Enforced: an answer has a shape that its prompt does not show. Explanations, grades and edits can be read."
        )
        return EndpointFinding("Structured output", True, enforced), "enforced"
    shown = ask('Reply with this JSON object: {"ready": true}', ReadyAnswer)
    if not isinstance(shown, Problem):
        followed = (
            "Followed where the prompt shows the shape, as those of Touchstone do; the server does not enforce it. "
            "Explanations, grades and edits can mostly be read, and what cannot is asked for once more."
        )
        return EndpointFinding("Structured output", True, followed), "followed"
    is_answer = "The model said" in shown.error
    return (
        EndpointFinding("Structured output", False, f"{shown.error} Explaining and judging need it."),
        "none" if is_answer else "",
    )


def _check_likely(client: EndpointClient, model: str) -> EndpointFinding:
    first_tokens = FirstTokens(model, _TOP_TOKENS)
    likely = attempt(lambda: client.first_token(_SYSTEM, "Is water wet? Answer Yes or No.", first_tokens))
    if isinstance(likely, Problem):
        return EndpointFinding(
            "Log-probabilities", False, f"{likely.error} Only Bespoke-MiniCheck and weighted-assessment need them."
        )
    return EndpointFinding("Log-probabilities", True, "Bespoke-MiniCheck and weighted-assessment can ask it.")


def endpoint_table(endpoint: Endpoint, key_from: str, further: str = "") -> str:
    """The table for the file of TOUCHSTONE_ENDPOINTS that keeps an endpoint, with the further lines that were typed.

    A key never stands in it.
    """
    if '"' in endpoint.base_url + endpoint.model:
        raise TouchstoneError("Address and model may hold no quotation mark.")
    lines = [f"[{endpoint.name}]", f'base_url = "{endpoint.base_url}"', f'model = "{endpoint.model}"']
    if endpoint.api != "chat":
        lines.append(f'api = "{endpoint.api}"')
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
