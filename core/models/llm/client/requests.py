"""The bodies of requests to an endpoint, and what is left out of them where a server refuses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.models.llm.chat import Sampling
from core.models.llm.client.refusals import deprecates_temperature, refuses_temperature
from core.models.llm.dialect import Body, field, without_limits
from core.models.llm.endpoints.endpoint import LIKELY_TOKENS_LIMIT, Endpoint

SYSTEM_ROLE, SCHEMA_LIMITS, SCHEMA, JSON_MODE = "system", "schema_limits", "json_schema", "json_object"
"""Parts of a request that are no parameter by themselves."""
FORMS = (SCHEMA_LIMITS, SCHEMA, JSON_MODE)
"""Those of structured answers, in the order in which they are left out."""

SPECIAL_TOKENS: Body = {"add_special_tokens": True}
"""Asks vLLM to put the tokenizer's own tokens in front of the template."""

_TOP_TOKENS = (10, 5)  # of servers that name no limit

_SCHEMA_WORDS = ("response_format", "json_schema", "json schema", "schema", "grammar", "guided", "structured output")
_SYSTEM_WORDS = (
    "system role",
    "system message",
    "system prompt",
    "role: system",
    "'system'",
    '"system"',
    "developer instruct",
    "roles must alternate",  # of templates without a system role, as that of Gemma and Mistral
)
_ANY_PARAMETER = "the requested parameters"  # of OpenRouter, which names none
_SCHEMA_DETAILS = re.compile(
    r"invalid.{0,40}schema|schema.{0,120}(?:minimum|maximum|keyword|permitted|too complex|invalid|not valid|must)|"
    r"grammar|minimum|maximum|minlength|maxitems|minitems|pattern"
)
"""Words about one schema, of which a server takes others."""
_STREAM = re.compile(r"\bstream(?:ing|ed)?\b")
_NO_SCHEMAS = re.compile(
    r"(?:json_schema|response_format)\W.{0,60}(?:unknown|unavailable|not available|supported|unsupported|unrecognized)|"
    r"(?:unknown|unsupported|unrecognized|does not support).{0,40}(?:json_schema|response_format|structured output)"
)
"""Words about a form of answers as such."""


def chat_body(
    endpoint: Endpoint, messages: Sequence[str], sampling: Sampling, schema: str, left_out: frozenset[str]
) -> Body:
    """A request for an answer to a system message, then requests and answers in turn."""
    body: Body = {"model": sampling.model, "messages": _messages(messages, SYSTEM_ROLE not in left_out)}
    if reasoning := endpoint.reasoning_tokens:
        body["max_completion_tokens"] = sampling.max_tokens + reasoning
    else:
        limit = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
        options: Body = {"temperature": sampling.temperature, "top_p": sampling.top_p, limit: sampling.max_tokens}
        # one that was found to be refused is left out where that changes nothing, one that a person leaves out always
        plain = sampling.top_p == 1 or sampling.temperature == 0
        without = set(endpoint.leave_out) | (left_out - ({"top_p"} if not plain else set()))
        body |= {name: value for name, value in options.items() if name not in without}
    if sampling.stop:
        body["stop"] = sampling.stop
    if endpoint.seed is not None and "seed" not in left_out:
        body["seed"] = endpoint.seed + sampling.sample
    if schema and JSON_MODE not in left_out:
        if SCHEMA in left_out:
            body["response_format"] = {"type": "json_object"}
        else:
            body["response_format"] = {"type": "json_schema", "json_schema": _form(schema, SCHEMA_LIMITS in left_out)}
    return body | endpoint.extra


@lru_cache(maxsize=256)
def _form(schema: str, relaxed: bool) -> Mapping[str, object]:
    named = json.loads(schema)
    if relaxed:
        return {"name": named["name"], "schema": without_limits(named["schema"])}
    return {"name": named["name"], "schema": named["schema"], "strict": True}


@dataclass(frozen=True, slots=True)
class FirstTokens:
    """A question about the most likely first tokens: their number, and the length of the answer in tokens.

    `special_tokens` asks the server to put the tokenizer's own in front of the template, as vLLM can.
    """

    model: str
    top_tokens: int
    max_tokens: int = 1
    special_tokens: bool = False


def first_token_body(
    endpoint: Endpoint, messages: Sequence[str], first_tokens: FirstTokens, left_out: frozenset[str]
) -> Body:
    """A request for the first tokens, not sampled, with the probabilities of the most likely ones at each place."""
    body: Body = {"model": first_tokens.model, "messages": _messages(messages, SYSTEM_ROLE not in left_out)}
    top_tokens = min([first_tokens.top_tokens, *likely_tokens_limits(left_out)])
    if reasoning := endpoint.reasoning_tokens:
        body["max_completion_tokens"] = first_tokens.max_tokens + reasoning
    else:
        limit = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
        body |= {limit: first_tokens.max_tokens} | ({} if "temperature" in left_out else {"temperature": 0})
    body |= {"logprobs": True, "top_logprobs": top_tokens}
    return body | endpoint.extra | (SPECIAL_TOKENS if first_tokens.special_tokens else {})


def refused_part(body: Body, words: str, left_out: frozenset[str]) -> str | None:
    """Part that a request can omit after a server refused it with these words; None where nothing can be left out.

    Only what does not change how an answer is drawn: a temperature that is refused is for a person to decide, unless the model
    takes none any more.
    """
    words = words.lower()
    if "temperature" in body and refuses_temperature(words):
        return "temperature" if deprecates_temperature(words) else None
    # the number of most likely tokens to ask for after one that was refused; None where it is not the number
    numbers = [int(digits) for digits in re.findall(r"(?<![\w.])\d{1,2}(?![\w.]*\w)", words)]
    steps = _TOP_TOKENS if re.search(r"large|exceed|greater|less|most|max|range|between|limit", words) else ()
    most = body.get("top_logprobs")
    smaller = [number for number in numbers or steps if isinstance(most, int) and 0 < number < most]
    lower = max(smaller, default=None)
    plain = body.get("top_p") == 1 or body.get("temperature") == 0
    any_part = _ANY_PARAMETER in words
    parameters = {
        "max_tokens": "max_tokens" in body and "max_tokens" in words,
        "top_p": "top_p" in body and ("top_p" in words or any_part) and plain,
        f"{LIKELY_TOKENS_LIMIT}{lower}": lower and "logprobs" in words,
        "stream_options": "stream_options" not in left_out and "stream_options" in words,
        "stream": "stream" in body and "stream" not in left_out and bool(_STREAM.search(words)),
        "seed": "seed" in body and "seed" not in left_out and ("seed" in words or any_part),
        SYSTEM_ROLE: SYSTEM_ROLE not in left_out and any(phrase in words for phrase in _SYSTEM_WORDS),
    }
    if refused := next((name for name, is_refused in parameters.items() if is_refused), None):
        return refused

    form = body.get("response_format")
    if not isinstance(form, Mapping):
        return None
    named = any_part or any(phrase in words for phrase in _SCHEMA_WORDS)
    # a server that names nothing is asked without any form at once
    if not named or form["type"] != "json_schema":
        return JSON_MODE
    schema = field(form["json_schema"], "schema")
    about_schema = _SCHEMA_DETAILS.search(words) and not _NO_SCHEMAS.search(words)
    return (
        SCHEMA_LIMITS if about_schema and SCHEMA_LIMITS not in left_out and schema != without_limits(schema) else SCHEMA
    )


def names_part(words: str, part: str) -> bool:
    """True if a server named the part that it refused; a form of answers is left out where it names nothing too."""
    return part not in FORMS or any(phrase in words.lower() for phrase in (*_SCHEMA_WORDS, _ANY_PARAMETER))


def concerns_every_schema(words: str, part: str) -> bool:
    """True if no schema needs to be tried without this part of a request, by the words that refused it."""
    if part in {SCHEMA_LIMITS, JSON_MODE}:
        return part == JSON_MODE and names_part(words, part)
    return part not in FORMS or _ANY_PARAMETER in words.lower() or bool(_NO_SCHEMAS.search(words.lower()))


def likely_tokens_limits(left_out: frozenset[str]) -> list[int]:
    """The numbers of most likely tokens that a server says it gives at most."""
    return [int(part.removeprefix(LIKELY_TOKENS_LIMIT)) for part in left_out if part.startswith(LIKELY_TOKENS_LIMIT)]


def _messages(messages: Sequence[str], system_role: bool) -> list[dict[str, str]]:
    system, *turns = messages
    dialogue = [{"role": "assistant" if number % 2 else "user", "content": text} for number, text in enumerate(turns)]
    if not system:  # a paper may print none
        return dialogue
    if system_role:
        return [{"role": "system", "content": system}, *dialogue]
    dialogue[0]["content"] = f"{system}\n\n{dialogue[0]['content']}"
    return dialogue
