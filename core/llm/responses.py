"""What an OpenAI-compatible endpoint sends, read into values of ours, and its errors as messages that never name the key."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage

from core.errors import TouchstoneError
from core.llm.endpoints import Endpoint

_SAMPLING_PARAMETERS = frozenset({"max_tokens", "temperature", "top_p"})
"""What reasoning models refuse."""


def error_message(endpoint: Endpoint, model: str, error: Exception) -> str:
    """What went wrong and what to do, the narrowest error first."""
    address = endpoint.base_url
    sentences: list[tuple[type[Exception], str]] = [
        (
            openai.APITimeoutError,
            f"{address} did not answer within {endpoint.patience_s:g} s. Try again when it is less busy, "
            f"or raise {endpoint.setting('patience_s')}.",
        ),
        (
            openai.APIConnectionError,
            f"{address} cannot be reached. Start the server, or set {endpoint.setting('base_url')}.",
        ),
        (openai.AuthenticationError, f"{address} does not accept the key. Set {endpoint.setting('key_from')}."),
        (
            openai.PermissionDeniedError,
            f"{address} does not let this key use {model!r}. Set {endpoint.setting('key_from')}.",
        ),
        (
            openai.NotFoundError,
            f"{address} serves no model {model!r} or not this path. Set the name that it serves."
            if model
            else f"{address} lists no models: it does not know this path. Check its address.",
        ),
        (openai.BadRequestError, _bad_request_message(endpoint, error)),
        (openai.RateLimitError, f"{address} has reached its rate limit. {_retry_advice(error)} and try again."),
        (openai.APIStatusError, _refusal_message(endpoint, error)),
    ]
    return next((sentence for kind, sentence in sentences if isinstance(error, kind)), unexpected_format(endpoint))


def unexpected_format(endpoint: Endpoint) -> str:
    """What is said of a server that answers as no endpoint does."""
    return f"{endpoint.base_url} does not answer in the form of OpenAI. Check its address."


def _bad_request_message(endpoint: Endpoint, error: Exception) -> str:
    """What is said of a question that asks for what the model cannot do, such as a temperature from a reasoning model."""
    refused = error.param if isinstance(error, openai.APIError) else None
    if refused not in _SAMPLING_PARAMETERS or endpoint.reasoning_tokens:
        return _refusal_message(endpoint, error)
    return (
        f"{endpoint.base_url} takes no {refused} for this model, as is usual of reasoning models. "
        f"Set {endpoint.setting('reasoning_tokens')} to its limit of reasoning tokens, such as 8192."
    )


def _refusal_message(endpoint: Endpoint, error: Exception) -> str:
    return f"{endpoint.base_url} refused the question: {_redact_key(endpoint, error)}. Change it or the server."


def _retry_advice(error: Exception) -> str:
    """How long to wait, where the server says it in seconds."""
    seconds = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    return f"Wait {seconds} s" if seconds.isdecimal() else "Wait"


def _redact_key(endpoint: Endpoint, error: Exception) -> str:
    message = " ".join(str(error).split())
    # before it is cut: half a key is part of a key
    return (message.replace(endpoint.key, "…") if endpoint.key else message)[:300].rstrip(".")


_FINISH_REASONS = {"length": "length", "content_filter": "filter"}
"""Our words for how an answer ended, by OpenAI's; all others are "stop"."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The most likely first tokens of an answer with their probabilities, in descending order, and the tokens read."""

    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    """A text, how it ended (stop | length | refusal | filter), and the tokens read and written; 0 where they are not given."""

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


def read_completion(answer: object, endpoint: Endpoint) -> Completion:
    """The text of a completion."""
    choices = answer.choices if isinstance(answer, ChatCompletion) else None
    message = choices[0].message if isinstance(choices, list) and choices else None
    # the library builds its values of whatever a server sends
    if not choices or not isinstance(message, ChatCompletionMessage) or not isinstance(answer, ChatCompletion):
        raise TouchstoneError(unexpected_format(endpoint))
    ended = _FINISH_REASONS.get(choices[0].finish_reason, "stop")
    return Completion(
        text=message.refusal or message.content or "",
        finish_reason="refusal" if message.refusal else ended,
        prompt_tokens=answer.usage.prompt_tokens if answer.usage else 0,
        completion_tokens=answer.usage.completion_tokens if answer.usage else 0,
    )


def read_stream(pieces: Iterable[ChatCompletionChunk], endpoint: Endpoint) -> Completion:
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
    return Completion(refusal or text, "refusal" if refusal else _FINISH_REASONS.get(ended, "stop"), read, written)


def read_first_token(answer: object, endpoint: Endpoint) -> FirstToken:
    """The most likely first tokens of a completion that was requested with them."""
    choices = answer.choices if isinstance(answer, ChatCompletion) else None
    if not choices or not isinstance(answer, ChatCompletion):
        raise TouchstoneError(unexpected_format(endpoint))
    logprobs = choices[0].logprobs.content if choices[0].logprobs else None
    if not logprobs:
        raise TouchstoneError(
            f"{endpoint.base_url} gives no log-probabilities, which the score is made of. Serve the model with vLLM."
        )
    top = logprobs[0].top_logprobs
    shares = tuple(math.exp(token.logprob) for token in top)
    return FirstToken(tuple(token.token for token in top), shares, answer.usage.prompt_tokens if answer.usage else 0)


def read_model_names(listed: object, endpoint: Endpoint) -> list[str]:
    """The names in a list of models, sorted."""
    found = listed.get("data") if isinstance(listed, dict) else None
    names = [one.get("id") for one in found if isinstance(one, dict)] if isinstance(found, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise TouchstoneError(unexpected_format(endpoint))
    return sorted(str(name) for name in names)
