"""Asks an OpenAI-compatible endpoint, and says in a sentence what went wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import openai
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageParam,
)
from openai.types.shared_params import ResponseFormatJSONSchema

from core.errors import TouchstoneError
from core.llm.complaint import complaint, strange
from core.llm.endpoint import Endpoint
from core.llm.saying import Sampling

_NO_SCHEMAS = (openai.BadRequestError, openai.UnprocessableEntityError)
"""How servers refuse a question that asks for a schema, which they do not know."""

_ENDS = {"length": "length", "content_filter": "filter"}
"""Our words for how an answer ended, by OpenAI's; all others are "stop"."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The likeliest first tokens of an answer with their probabilities, the likeliest first, and the tokens read."""

    tokens: tuple[str, ...]
    shares: tuple[float, ...]
    read: int


@dataclass(frozen=True, slots=True)
class Saying:
    """A text, how it ended (stop | length | refusal | filter), and the tokens read and written."""

    text: str
    ended: str
    read: int
    written: int


class Client:
    """One endpoint. Safe among threads; every failure is a TouchstoneError that names the endpoint and not the key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        # a key must be given, or the library takes one from the environment that was meant for another server
        self._openai = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key or "none",
            timeout=endpoint.patience_s,
            # what times out or is refused for the moment: with back-off, or after the pause that the server names
            max_retries=endpoint.retries,
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

    def say(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Saying:
        """The answer to a system message, then requests and answers in turn.

        A schema (see `structured.schema_of`) is left out where the server refuses the question with it: who asks reads the
        answer strictly in any case.
        """
        return self._asked(sampling.model, lambda: self._said(messages, sampling, schema))

    def models(self) -> list[str]:
        """The names of the models that the endpoint says it serves, sorted."""
        return self._asked("", lambda: sorted(self._served()))

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

    def _served(self) -> list[str]:
        listed = self._openai.get("/models", cast_to=object)
        found = listed.get("data") if isinstance(listed, dict) else None
        names = [one.get("id") for one in found if isinstance(one, dict)] if isinstance(found, list) else [None]
        if not all(isinstance(name, str) for name in names):
            raise TouchstoneError(strange(self._endpoint))
        return [str(name) for name in names]

    def _said(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Saying:
        ask = self._streamed if self._endpoint.stream else self._completed
        try:
            return ask(messages, sampling, schema)
        except _NO_SCHEMAS:
            if not schema:
                raise
            return ask(messages, sampling, "")

    def _completed(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Saying:
        answer: object = self._openai.chat.completions.create(
            model=sampling.model,
            messages=_dialogue(messages),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            stop=sampling.stop or openai.omit,
            response_format=_format(schema) if schema else openai.omit,
        )
        return self._saying(answer)

    def _streamed(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Saying:
        with self._openai.chat.completions.create(
            model=sampling.model,
            messages=_dialogue(messages),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            stop=sampling.stop or openai.omit,
            response_format=_format(schema) if schema else openai.omit,
            stream=True,
            stream_options={"include_usage": True},
        ) as pieces:
            return self._joined(pieces)

    def _joined(self, pieces: Iterable[ChatCompletionChunk]) -> Saying:
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
            raise TouchstoneError(f"{self._endpoint.base_url} broke off in the middle of its answer. Ask again.")
        return Saying(refusal or text, "refusal" if refusal else _ENDS.get(ended, "stop"), read, written)

    def _saying(self, answer: object) -> Saying:
        choices = answer.choices if isinstance(answer, ChatCompletion) else None
        message = choices[0].message if isinstance(choices, list) and choices else None
        # the library builds its values of whatever a server sends
        if not choices or not isinstance(message, ChatCompletionMessage) or not isinstance(answer, ChatCompletion):
            raise TouchstoneError(strange(self._endpoint))
        ended = _ENDS.get(choices[0].finish_reason, "stop")
        return Saying(
            text=message.refusal or message.content or "",
            ended="refusal" if message.refusal else ended,
            read=answer.usage.prompt_tokens if answer.usage else 0,
            written=answer.usage.completion_tokens if answer.usage else 0,
        )

    def _first_token(self, answer: object) -> FirstToken:
        choices = answer.choices if isinstance(answer, ChatCompletion) else None
        if not choices or not isinstance(answer, ChatCompletion):
            raise TouchstoneError(strange(self._endpoint))
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
            raise TouchstoneError(complaint(self._endpoint, model, error)) from None


def _dialogue(messages: Sequence[str]) -> list[ChatCompletionMessageParam]:
    system, *turns = messages
    dialogue: list[ChatCompletionMessageParam] = [{"role": "system", "content": system}]
    for number, text in enumerate(turns):
        dialogue.append({"role": "assistant", "content": text} if number % 2 else {"role": "user", "content": text})
    return dialogue


def _format(schema: str) -> ResponseFormatJSONSchema:
    told = json.loads(schema)
    return {"type": "json_schema", "json_schema": {"name": told["name"], "schema": told["schema"], "strict": True}}


@cache
def client(endpoint: Endpoint) -> Client:
    """The client of an endpoint, which keeps its connections."""
    return Client(endpoint)
