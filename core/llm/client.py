"""The client of an OpenAI-compatible endpoint: sends requests and turns every failure into an error message."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import openai

from core.errors import TouchstoneError
from core.llm.chat import Sampling
from core.llm.endpoint_errors import (
    BrokenStreamError,
    backoff_s,
    endpoint_error,
    is_momentary,
    is_rate_limited,
    may_wait,
    named_pause_s,
)
from core.llm.endpoints import Endpoint
from core.llm.pacing import Pace
from core.llm.responses import (
    Completion,
    FirstToken,
    read_completion,
    read_first_token,
    read_model_names,
    read_stream,
)

_SCHEMA_REFUSALS = (openai.BadRequestError, openai.UnprocessableEntityError)
"""How servers refuse a question that asks for a schema, which they do not know."""

_RATE_REPEATS = 6  # more than of other failures
_COMPLETIONS = "/chat/completions"

_T = TypeVar("_T")


class Client:
    """One endpoint. Safe among threads; every failure is a TouchstoneError that names the endpoint and not the key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        # a key must be given, or the library takes one from the environment that was meant for another server
        self._openai = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key or "none",
            timeout=endpoint.patience_s,
            max_retries=0,  # we repeat by ourselves: a refusal of the rate holds back every question
        )
        self._pace = Pace()
        self._without_schemas: set[str] = set()  # models that answered only when they were asked without

    def first_token(self, model: str, system: str, user: str, top_tokens: int, special_tokens: bool) -> FirstToken:
        """The most likely tokens that an answer to a system and a user message would begin with.

        `special_tokens` asks the server to put the tokenizer's own in front of the template, as vLLM can.
        """
        body: dict[str, object] = {
            "model": model,
            "messages": _to_messages((system, user)),
            "temperature": 0,
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": top_tokens,
        }
        if special_tokens:
            body["add_special_tokens"] = True
        return self._send(model, lambda: read_first_token(self._complete(body), self._endpoint))

    def chat(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Completion:
        """The answer to a system message, then requests and answers in turn.

        A schema (see `structured.answer_schema`) is left out where the server refuses the question with it and answers without,
        and from then on: who asks reads the answer strictly in any case.
        """
        return self._send(sampling.model, lambda: self._chat(messages, sampling, schema))

    def models(self) -> list[str]:
        """The names of the models that the endpoint says it serves, sorted."""
        return self._send("", lambda: read_model_names(self._openai.get("/models", cast_to=object), self._endpoint))

    def count_tokens(self, model: str, text: str) -> int:
        """The tokens of a text without special ones, by the path /tokenize that vLLM adds to those of OpenAI."""
        body = {"model": model, "prompt": text, "add_special_tokens": False}
        url = f"{self._endpoint.root}/tokenize"
        answer = self._send(model, lambda: self._openai.post(url, cast_to=object, body=body))
        count = answer.get("count") if isinstance(answer, dict) else None
        if not isinstance(count, int):
            raise TouchstoneError(
                f"{url} does not count tokens as vLLM does. Shorten the document, or serve with vLLM."
            )
        return count

    def _chat(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Completion:
        if not schema or sampling.model in self._without_schemas:
            return self._ask(self._body(messages, sampling, ""))
        try:
            return self._ask(self._body(messages, sampling, schema))
        except _SCHEMA_REFUSALS:
            answer = self._ask(self._body(messages, sampling, ""))
        self._without_schemas.add(sampling.model)
        return answer

    def _ask(self, body: Mapping[str, object]) -> Completion:
        if self._endpoint.stream:
            return self._stream(body)
        return read_completion(self._complete(body), self._endpoint)

    def _complete(self, body: Mapping[str, object]) -> object:
        """The answer as JSON: the library's own types raise errors of Python for what servers send besides."""
        return self._openai.post(_COMPLETIONS, cast_to=object, body=body)

    def _stream(self, body: Mapping[str, object]) -> Completion:
        streamed = {**body, "stream": True, "stream_options": {"include_usage": True}}
        with self._openai.post(
            _COMPLETIONS, cast_to=object, body=streamed, stream=True, stream_cls=openai.Stream[object]
        ) as pieces:
            return read_stream(pieces, self._endpoint)

    def _body(self, messages: Sequence[str], sampling: Sampling, schema: str) -> dict[str, object]:
        body = {"model": sampling.model, "messages": _to_messages(messages), **self._sampling_options(sampling)}
        if sampling.stop:
            body["stop"] = sampling.stop
        if schema:
            body["response_format"] = _response_format(schema)
        return body

    def _sampling_options(self, sampling: Sampling) -> dict[str, object]:
        """How the answer is drawn; reasoning tokens count as completion tokens, and reasoning models take no temperature."""
        if reasoning := self._endpoint.reasoning_tokens:
            return {"max_completion_tokens": sampling.max_tokens + reasoning}
        return {"temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens}

    def _send(self, model: str, ask: Callable[[], _T]) -> _T:
        """Ask, and again where it failed for the moment: with back-off, or after the pause that the server names."""
        for tries in itertools.count(1):
            self._pace.wait()
            try:
                answer = ask()
            except BrokenStreamError:
                if tries > self._endpoint.retries:
                    raise
                time.sleep(backoff_s(tries))
            except (openai.OpenAIError, ValueError) as error:
                if not self._may_repeat(error, tries):
                    # not chained: the library's errors hold the request with its key
                    raise endpoint_error(self._endpoint, model, error) from None
            else:
                self._pace.speed_up()
                return answer
        raise AssertionError("the loop ends by itself")

    def _may_repeat(self, error: Exception, tries: int) -> bool:
        """Whether the question is asked again, after the pause that it takes."""
        pause_s = named_pause_s(error)
        if is_rate_limited(error):
            # the others are held back too, so that this one will have its turn
            if not self._endpoint.retries or tries > self._endpoint.retries + _RATE_REPEATS or not may_wait(pause_s):
                return False
            self._pace.slow_down(pause_s)
            return True
        if not is_momentary(error) or tries > self._endpoint.retries or not may_wait(pause_s):
            return False
        time.sleep(backoff_s(tries) if pause_s is None else pause_s)
        return True


def _to_messages(messages: Sequence[str]) -> list[dict[str, str]]:
    system, *turns = messages
    dialogue = [{"role": "system", "content": system}]
    for number, text in enumerate(turns):
        dialogue.append({"role": "assistant", "content": text} if number % 2 else {"role": "user", "content": text})
    return dialogue


def _response_format(schema: str) -> dict[str, object]:
    named = json.loads(schema)
    return {"type": "json_schema", "json_schema": {"name": named["name"], "schema": named["schema"], "strict": True}}


_clients: dict[Endpoint, Client] = {}
_clients_lock = threading.Lock()


def client_for(endpoint: Endpoint) -> Client:
    """The client of an endpoint, which keeps its connections."""
    with _clients_lock:  # the first questions come together, and a client takes a while to make
        if endpoint not in _clients:
            _clients[endpoint] = Client(endpoint)
        return _clients[endpoint]
