"""What went wrong at an endpoint, in a sentence that names the endpoint and never the key."""

from __future__ import annotations

import openai

from core.llm.endpoint import Endpoint

_OF_DRAWING = frozenset({"max_tokens", "temperature", "top_p"})
"""What models that think refuse."""


def complaint(endpoint: Endpoint, model: str, error: Exception) -> str:
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
        (openai.BadRequestError, _unfit(endpoint, error)),
        (openai.RateLimitError, f"{address} is asked too often. {_pause(error)} and try again."),
        (openai.APIStatusError, _refused(endpoint, error)),
    ]
    return next((sentence for kind, sentence in sentences if isinstance(error, kind)), strange(endpoint))


def strange(endpoint: Endpoint) -> str:
    """What is said of a server that answers as no endpoint does."""
    return f"{endpoint.base_url} does not answer in the form of OpenAI. Check its address."


def _unfit(endpoint: Endpoint, error: Exception) -> str:
    """What is said of a question that asks for what the model cannot do, such as a temperature where it thinks."""
    refused = error.param if isinstance(error, openai.APIError) else None
    if refused not in _OF_DRAWING or endpoint.thoughts:
        return _refused(endpoint, error)
    return (
        f"{endpoint.base_url} takes no {refused} for this model, as those that think before they answer. "
        f"Set {endpoint.setting('thoughts')} to the tokens that it may think, such as 8192."
    )


def _refused(endpoint: Endpoint, error: Exception) -> str:
    return f"{endpoint.base_url} refused the question: {_without_key(endpoint, error)}. Change it or the server."


def _pause(error: Exception) -> str:
    """How long to wait, where the server says it in seconds."""
    told = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    return f"Wait {told} s" if told.isdecimal() else "Wait"


def _without_key(endpoint: Endpoint, error: Exception) -> str:
    said = " ".join(str(error).split())
    # before it is cut: half a key is part of a key
    return (said.replace(endpoint.key, "…") if endpoint.key else said)[:300].rstrip(".")
