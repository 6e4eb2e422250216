"""Kinds of refusals, by one table of status and words: the first row that fits; the kind decides repeats and advice."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.models.llm.client.refusals import named_pause_s, read_words, wants_money


class RefusalKind(StrEnum):
    """Subject of a refusal, as it stands in the log of costs."""

    BUSY = "busy"
    """A rate that is too high, or a server that is loading or overloaded: it is waited for."""

    MONEY = "money"
    """An account or a budget that is empty: nothing is asked any more."""

    KEY = "key"
    """A key that is not accepted: nothing is asked any more."""

    MODEL = "model"
    """A model that is not served: nothing is asked of it any more."""

    FILTER = "filter"
    """A text that is not let through: the failure of its own question."""

    TOO_LONG = "too long"
    """A question beyond the window of the model or above a limit of tokens: never repeated."""

    PARAMETER = "parameter"
    """A parameter that the model does not take: left out where that changes nothing, else a person decides."""

    SCHEMA = "schema"
    """A form of structured answers that is not taken, or not with this schema: relaxed, then left out."""

    SERVER = "server"
    """An error of the server."""

    QUESTION = "question"
    """Any other refusal."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Refusals with one of these statuses, any if there is none, whose JSON in small letters holds the words."""

    kind: RefusalKind
    statuses: frozenset[int]
    words: re.Pattern[str]
    source: str


RESPONSES_ALONE = r"only (?:supported|available) in (?:the )?(?:/?v1/responses|responses)|use the responses api"
"""Words by which a server says that a model speaks the Responses API alone, in small letters."""

NOT_LOADED = r"no models? (?:is |are )?loaded|model (?:is )?unloaded|failed to load model|try pulling it|requires more (?:system )?memory"
"""Words by which a server says that it knows a model and has not loaded it, in small letters."""


def _row(kind: RefusalKind, statuses: str, words: str, source: str) -> _Row:
    return _Row(kind, frozenset(map(int, statuses.split())), re.compile(words), source)


_TABLE = (
    _row(RefusalKind.TOO_LONG, "413 429", r"request too large", "OpenAI and Groq: above the tokens of a minute"),
    _row(
        RefusalKind.TOO_LONG,
        "400 413 422 500",
        r"context_length_exceeded|maximum context|max(?:imum)? model length|exceed_context_size|available context size",
        "OpenAI, vLLM#20409, llama.cpp#15780, SGLang",
    ),
    _row(
        RefusalKind.TOO_LONG,
        "400 413 422 500",
        r"exceeds? (?:the )?context window|prompt (?:\(.{0,30}\) )?is too long|range of input length|input token count",
        "llama-cpp-python#416, Anthropic, vLLM#10440, DashScope, Gemini",
    ),
    _row(
        RefusalKind.TOO_LONG,
        "400 413 422 500",
        r"longer than the model's context|exceeds the maximum allowed length|at least 1, got -|max_new_tokens` must be <=",
        "QwenLM/Qwen3#1321 and sglang#4048 of SGLang, vLLM#4667, Text Generation Inference",
    ),
    _row(
        RefusalKind.FILTER,
        "400 403 422 451",
        r"flagged|content_filter|content management policy|content_policy_violation|moderation|data_inspection_failed",
        "OpenRouter docs/errors, Azure OpenAI, OpenAI, DashScope",
    ),
    _row(
        RefusalKind.FILTER,
        "400 403 422 451",
        r"content exists risk|blocked by content filter|prohibited_content",
        "DeepSeek, Anthropic, Gemini",
    ),
    _row(
        RefusalKind.FILTER,
        "400 403 422",
        r"contentpolicyviolation|responsibleaipolicyviolation",
        "Azure OpenAI behind litellm (litellm#16231)",
    ),
    _row(RefusalKind.FILTER, "498", r"blocked|guidelines|unsafe", "Cohere (cohere-developer-experience#189)"),
    _row(
        RefusalKind.BUSY,
        "400 424",
        r"throttlingexception|too many (?:tokens|requests), please wait",
        "Bedrock behind gateways (MARRVEL_MCP#225, billion-context-pi#169)",
    ),
    _row(
        RefusalKind.KEY,
        "400 403",
        r"api[ _]key (?:not valid|not found|expired)|invalid[ _]api[ _]key|incorrect api key|authenticationerror",
        "Gemini, Groq, OpenAI behind litellm",
    ),
    _row(
        RefusalKind.KEY,
        "400 403",
        r"authentication error|token_not_found_in_db|no_db_connection|no connected db",
        "litellm#20837: a key that is not the master's",
    ),
    _row(
        RefusalKind.MODEL,
        "400 403 422",
        r"invalid model(?: name)?\b|not a valid model|model[ _]not[ _](?:found|exist|supported)|unknown model",
        "litellm#8821, Mistral, OpenRouter, DeepSeek",
    ),
    _row(
        RefusalKind.MODEL,
        "400 403 422",
        r"no 'model_name' with this string|the model .{1,120} does not exist",
        "litellm#8326, OpenAI and vLLM",
    ),
    _row(
        RefusalKind.MODEL,
        "400 500",
        NOT_LOADED,
        "LM Studio (openhuman#4181, continue#10150), Ollama",
    ),
    _row(
        RefusalKind.MODEL,
        "400",
        r"with on-demand throughput isn.t supported",
        "Bedrock: a model of inference profiles alone (claude-code#1466)",
    ),
    _row(RefusalKind.SERVER, "400", r"the model has crashed", "LM Studio, which loads it again"),
    _row(RefusalKind.MODEL, "400 404", RESPONSES_ALONE, "OpenAI: models of the Responses API alone"),
    _row(
        RefusalKind.SCHEMA,
        "400 422 500",
        r"response_format|json_schema|json schema|invalid schema|\bgrammar\b|guided_|structured output",
        "OpenAI, DeepSeek, vLLM, llama.cpp, llama-cpp-python",
    ),
    _row(
        RefusalKind.PARAMETER,
        "400 422",
        r"unsupported[ _](?:parameter|value)|unrecognized request argument|is deprecated for this model|extra inputs are not",
        "OpenAI, Anthropic, Mistral and others with pydantic",
    ),
    _row(
        RefusalKind.PARAMETER,
        "404",
        r"no endpoints found that (?:support|can handle) the requested parameters",
        "OpenRouter docs/provider-routing, require_parameters",
    ),
    _row(RefusalKind.KEY, "401", "", "everywhere"),
    _row(RefusalKind.MODEL, "404", "", "everywhere; also an address without its path"),
    _row(RefusalKind.BUSY, "429 529", "", "everywhere; 529 of Anthropic"),
    _row(
        RefusalKind.BUSY,
        "500 502 503",
        r"loading model|is (?:currently )?loading|overload|at capacity|too many requests|model is not ready|server busy",
        "llama.cpp, Hugging Face, DeepSeek, Gemini, Ollama",
    ),
)
_MINUTE = re.compile(
    r"(?:per|/)[ _-]?min|\b[rt]pm\b|no deployments available"
)  # the last of litellm 1.108, for its rpm and tpm
_ECHOES = frozenset({"input", "ctx"})  # of pydantic
_LIMIT_WORDS = (r"limit[:= ]+([\d,]+).*?requested[:= ]+~?([\d,]+)", r"requested[:= ]+~?([\d,]+).*?limit[:= ]+([\d,]+)")
_WINDOW_WORDS = (
    r"(?:context|model) (?:length|window|size)\D{0,40}?([\d,]{3,})",
    r"maximum context is ([\d,]{3,})",
    r'n_ctx"?[:= ]+([\d,]+)',
    r"> ([\d,]+) maximum",
    r"exceeds limit of ([\d,]+)",
    r"maximum number of tokens allowed \(([\d,]+)",
    r"maximum allowed length \(([\d,]+)",
    r"max_new_tokens` must be <= ([\d,]+)",
    r"range of input length should be \[\d+, ([\d,]+)",
)
_SHARE_WORDS = (
    r"([\d,]+) (?:tokens )?(?:in|from) the (?:input )?(?:messages|prompt).{0,20}?([\d,]+) (?:tokens )?(?:in|for) the completion",
    r"given: ([\d,]+) `inputs` tokens and ([\d,]+) `max_new_tokens`",
    r"is too large: ([\d,]+)\..*?your request has ([\d,]+) input tokens",
)


def refusal_kind(status: int, headers: Mapping[str, str], body: object) -> RefusalKind:
    """The kind of a refusal by its status, its headers and its body."""
    words = json.dumps(without_echo(body), default=str).lower()
    if token_limit(body) is not None:
        return RefusalKind.TOO_LONG
    if wants_money(status, headers, body):
        return RefusalKind.MONEY
    for row in _TABLE:
        if status in row.statuses and row.words.search(words):
            return row.kind
    return RefusalKind.SERVER if status >= 500 else RefusalKind.QUESTION


def without_echo(body: object) -> object:
    """The body without the parts of the question that validators repeat: the words of a document are none of the server."""
    if isinstance(body, list):
        return [without_echo(part) for part in body]
    if not isinstance(body, Mapping):
        return body
    return {name: without_echo(part) for name, part in body.items() if name not in _ECHOES}


def token_limit(body: object) -> tuple[int, int] | None:
    """Tokens that a question takes and a limit that it can never fit, as in "Limit 10000, Requested 24000"; else None.

    "Used 9000, Requested 2000" fits a later minute and is None.
    """
    words = read_words(body).lower()
    for form, order in zip(_LIMIT_WORDS, ((1, 2), (2, 1)), strict=True):
        if pair := re.search(form, words):
            limit, requested = (int(pair[place].replace(",", "")) for place in order)
            return (requested, limit) if requested > limit else None
    return None


def window_of(body: object) -> int | None:
    """Tokens that the model holds, as the refusal of a longer question names them."""
    words = json.dumps(body, default=str).lower()
    for form in _WINDOW_WORDS:
        if number := re.search(form, words):
            return int(number[1].replace(",", ""))
    return None


def answer_share(body: object) -> tuple[int, int] | None:
    """Tokens of a question and of its longest answer, as a refusal of both together names them; else None."""
    words = json.dumps(body, default=str).lower()
    for form, order in zip(_SHARE_WORDS, ((1, 2), (1, 2), (2, 1)), strict=True):
        if pair := re.search(form, words):
            question, answer = (int(pair[place].replace(",", "")) for place in order)
            return question, answer
    return None


def says_minute(body: object) -> bool:
    """True if the words name a limit of a minute, and no time to wait."""
    words = json.dumps(body, default=str).lower()
    return named_pause_s({}, body) is None and bool(_MINUTE.search(words))
