"""The bodies of requests to an endpoint, and what is left out of them where a server refuses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.models.llm.chat import Sampling
from core.models.llm.dialect import Body
from core.models.llm.endpoints.endpoint import LIKELY_TOKENS_LIMIT, Endpoint

SYSTEM_ROLE, SCHEMA, JSON_MODE = "system", "json_schema", "json_object"
"""Parts of a request that are no parameter by themselves."""

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
)


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
            named = json.loads(schema)
            form = {"name": named["name"], "schema": named["schema"], "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body | endpoint.extra


@dataclass(frozen=True, slots=True)
class FirstTokens:
    """A question about the most likely first tokens: how many of them, of an answer of so many tokens.

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

    Only what does not change how an answer is drawn: a temperature that is refused is for a person to decide.
    """
    words = words.lower()
    # the number of most likely tokens to ask for after one that was refused; None where it is not the number
    numbers = [int(digits) for digits in re.findall(r"(?<![\w.])\d{1,2}(?![\w.]*\w)", words)]
    steps = _TOP_TOKENS if re.search(r"large|exceed|greater|less|most|max|range|between|limit", words) else ()
    most = body.get("top_logprobs")
    smaller = [number for number in numbers or steps if isinstance(most, int) and 0 < number < most]
    lower = max(smaller, default=None)
    plain = body.get("top_p") == 1 or body.get("temperature") == 0
    parameters = {
        "max_tokens": "max_tokens" in body and "max_tokens" in words,
        "top_p": "top_p" in body and "top_p" in words and plain,
        f"{LIKELY_TOKENS_LIMIT}{lower}": lower and "logprobs" in words,
        "stream_options": "stream_options" not in left_out and "stream_options" in words,
        "seed": "seed" not in left_out and "seed" in words,
        SYSTEM_ROLE: SYSTEM_ROLE not in left_out and any(phrase in words for phrase in _SYSTEM_WORDS),
    }
    if refused := next((name for name, is_refused in parameters.items() if is_refused), None):
        return refused

    form = body.get("response_format")
    if not isinstance(form, Mapping):
        return None
    named = any(phrase in words for phrase in _SCHEMA_WORDS)
    # a server that names nothing is asked without any form at once
    return SCHEMA if named and form["type"] == "json_schema" else JSON_MODE


def names_part(words: str, part: str) -> bool:
    """True if a server named the part that it refused; a form of answers is left out where it names nothing too."""
    return part not in {SCHEMA, JSON_MODE} or any(phrase in words.lower() for phrase in _SCHEMA_WORDS)


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
