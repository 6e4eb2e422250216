"""Reads what an OpenAI-compatible endpoint sends: values of ours, or a TouchstoneError for what has another form."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage

from core.errors import TouchstoneError
from core.llm.complaint import strange
from core.llm.endpoint import Endpoint

_ENDS = {"length": "length", "content_filter": "filter"}
"""Our words for how an answer ended, by OpenAI's; all others are "stop"."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The likeliest first tokens of an answer with their probabilities, the likeliest first, and the tokens read."""

    tokens: tuple[str, ...]
    shares: tuple[float, ...]
    read: int


@dataclass(frozen=True, slots=True)
class Saying:
    """A text, how it ended (stop | length | refusal | filter), and the tokens read and written; 0 where they are not told."""

    text: str
    ended: str
    read: int
    written: int


def saying(answer: object, endpoint: Endpoint) -> Saying:
    """The text of a completion."""
    choices = answer.choices if isinstance(answer, ChatCompletion) else None
    message = choices[0].message if isinstance(choices, list) and choices else None
    # the library builds its values of whatever a server sends
    if not choices or not isinstance(message, ChatCompletionMessage) or not isinstance(answer, ChatCompletion):
        raise TouchstoneError(strange(endpoint))
    ended = _ENDS.get(choices[0].finish_reason, "stop")
    return Saying(
        text=message.refusal or message.content or "",
        ended="refusal" if message.refusal else ended,
        read=answer.usage.prompt_tokens if answer.usage else 0,
        written=answer.usage.completion_tokens if answer.usage else 0,
    )


def joined(pieces: Iterable[ChatCompletionChunk], endpoint: Endpoint) -> Saying:
    """The whole answer of a stream; raises TouchstoneError for one that breaks off, as half an answer is none."""
    text, refusal, ended, read, written = "", "", "", 0, 0
    for piece in pieces:
        for choice in piece.choices or ():
            text += choice.delta.content or ""
            refusal += choice.delta.refusal or ""
            ended = choice.finish_reason or ended
        if piece.usage:
            read, written = piece.usage.prompt_tokens, piece.usage.completion_tokens
    if not ended:
        raise TouchstoneError(f"{endpoint.base_url} broke off in the middle of its answer. Ask again.")
    return Saying(refusal or text, "refusal" if refusal else _ENDS.get(ended, "stop"), read, written)


def first_token(answer: object, endpoint: Endpoint) -> FirstToken:
    """The likeliest first tokens of a completion that was asked for them."""
    choices = answer.choices if isinstance(answer, ChatCompletion) else None
    if not choices or not isinstance(answer, ChatCompletion):
        raise TouchstoneError(strange(endpoint))
    told = choices[0].logprobs.content if choices[0].logprobs else None
    if not told:
        raise TouchstoneError(
            f"{endpoint.base_url} gives no log-probabilities, which the score is made of. Serve the model with vLLM."
        )
    top = told[0].top_logprobs
    shares = tuple(math.exp(token.logprob) for token in top)
    return FirstToken(tuple(token.token for token in top), shares, answer.usage.prompt_tokens if answer.usage else 0)


def served(listed: object, endpoint: Endpoint) -> list[str]:
    """The names in a list of models, sorted."""
    found = listed.get("data") if isinstance(listed, dict) else None
    names = [one.get("id") for one in found if isinstance(one, dict)] if isinstance(found, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise TouchstoneError(strange(endpoint))
    return sorted(str(name) for name in names)
