"""Asks an OpenAI-compatible endpoint, and says in a sentence what went wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import openai
from openai.types.chat import ChatCompletion

from core.errors import TouchstoneError
from core.llm.endpoint import Endpoint

PATIENCE_S = 60.0
"""How long an answer may take; a request that times out or is refused for the moment is repeated twice, with back-off."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The likeliest first tokens of an answer with their probabilities, the likeliest first, and the tokens read."""

    tokens: tuple[str, ...]
    shares: tuple[float, ...]
    read: int


class Client:
    """One endpoint. Safe among threads; every failure is a TouchstoneError that names the endpoint and not the key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        # a key must be given, or the library takes one from the environment that was meant for another server
        self._openai = openai.OpenAI(
            base_url=endpoint.base_url, api_key=endpoint.key or "none", timeout=PATIENCE_S, max_retries=2
        )

    def first_token(self, model: str, system: str, user: str, likeliest: int, special_tokens: bool) -> FirstToken:
        """The likeliest tokens that an answer to a system and a user message would begin with.

        `special_tokens` asks the server to put the tokenizer's own in front of the template, as vLLM can.
        """
        answer = self._asked(
            model,
            lambda: self._openai.chat.completions.create(
                model=model,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                temperature=0,
                max_tokens=1,
                logprobs=True,
                top_logprobs=likeliest,
                extra_body={"add_special_tokens": True} if special_tokens else {},
            ),
        )
        return self._first_token(answer)

    def count(self, model: str, text: str) -> int:
        """The tokens of a text without special ones, by the path /tokenize that vLLM adds to those of OpenAI."""
        body = {"model": model, "prompt": text, "add_special_tokens": False}
        url = f"{self._endpoint.root}/tokenize"
        answer = self._asked(model, lambda: self._openai.post(url, cast_to=object, body=body))
        count = answer.get("count") if isinstance(answer, dict) else None
        if not isinstance(count, int):
            raise TouchstoneError(
                f"{url} does not count tokens as vLLM does. Shorten the document, or serve with vLLM."
            )
        return count

    def _first_token(self, answer: object) -> FirstToken:
        choices = answer.choices if isinstance(answer, ChatCompletion) else None
        if not choices or not isinstance(answer, ChatCompletion):
            raise TouchstoneError(
                f"{self._endpoint.base_url} does not answer in the form of OpenAI. Check its address."
            )
        told = choices[0].logprobs.content if choices[0].logprobs else None
        if not told:
            raise TouchstoneError(
                f"{self._endpoint.base_url} gives no log-probabilities, which the score is made of. Serve the model with vLLM."
            )
        top = told[0].top_logprobs
        shares = tuple(math.exp(token.logprob) for token in top)
        return FirstToken(
            tuple(token.token for token in top), shares, answer.usage.prompt_tokens if answer.usage else 0
        )

    def _asked(self, model: str, ask: Callable[[], _T]) -> _T:
        try:
            return ask()
        except (openai.OpenAIError, ValueError) as error:
            # not chained: the library's errors hold the request with its key
            raise TouchstoneError(self._sentence(model, error)) from None

    def _sentence(self, model: str, error: Exception) -> str:
        """What went wrong and what to do, the narrowest error first."""
        address = self._endpoint.base_url
        sentences: list[tuple[type[Exception], str]] = [
            (
                openai.APITimeoutError,
                f"{address} did not answer within {PATIENCE_S:.0f} s. Try again when it is less busy.",
            ),
            (
                openai.APIConnectionError,
                f"{address} cannot be reached. Start the server, or set TOUCHSTONE_LLM_BASE_URL.",
            ),
            (openai.AuthenticationError, f"{address} does not accept the key. Set TOUCHSTONE_LLM_API_KEY."),
            (
                openai.PermissionDeniedError,
                f"{address} does not let this key use {model!r}. Set TOUCHSTONE_LLM_API_KEY.",
            ),
            (
                openai.NotFoundError,
                f"{address} serves no model {model!r} or not this path. Set the name that it serves.",
            ),
            (openai.RateLimitError, f"{address} is asked too often. Wait and try again."),
            (
                openai.APIStatusError,
                f"{address} refused the question: {self._without_key(error)}. Change it or the server.",
            ),
        ]
        strange = f"{address} does not answer in the form of OpenAI. Check its address."
        return next((sentence for kind, sentence in sentences if isinstance(error, kind)), strange)

    def _without_key(self, error: Exception) -> str:
        said = " ".join(str(error).split())[:300].rstrip(".")
        return said.replace(self._endpoint.key, "…") if self._endpoint.key else said


@cache
def client(endpoint: Endpoint) -> Client:
    """The client of an endpoint, which keeps its connections."""
    return Client(endpoint)
