"""The client of an endpoint: sends requests and turns every failure into an error message."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import httpx2
import openai

from core.errors import EndpointUnusableError, TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.completions import (
    TOOL_CALL,
    Completion,
    FirstToken,
    read_completion,
    read_first_token,
    read_model_names,
    read_stream,
    read_windows,
)
from core.models.llm.client.endpoint_errors import (
    BrokenStreamError,
    backoff_s,
    endpoint_error,
    inner_error,
    is_away,
    is_momentary,
    is_rate_limited,
    is_unknown,
    may_adapt,
    may_wait,
    names_minute,
    outcome_of,
    pause_s,
    refusal_words,
    server_words,
    wait_words,
)
from core.models.llm.client.http_client import http_client
from core.models.llm.client.pacing import CALLER, Caller, Pace
from core.models.llm.client.requests import (
    FORMS,
    JSON_MODE,
    SCHEMA,
    SCHEMA_LIMITS,
    SYSTEM_ROLE,
    FirstTokens,
    chat_body,
    concerns_every_schema,
    first_token_body,
    names_part,
    refused_part,
)
from core.models.llm.client.unknown_refusals import keep_unknown
from core.models.llm.dialect import Body
from core.models.llm.endpoints.apis import DIALECTS
from core.models.llm.endpoints.capabilities import (
    CapabilityStore,
    capabilities_without,
    capability_store,
    form_without,
    parts_without,
    parts_without_form,
    schema_title,
)
from core.models.llm.endpoints.endpoint import Endpoint
from core.settings import Settings

_CHANGING = frozenset({"temperature", SYSTEM_ROLE, *FORMS})
"""Parts of a request whose absence may change an answer."""
_STREAM_USAGE: Body = {"stream_options": {"include_usage": True}}

_SHORT_TOKENS = 1024  # longest answer, in tokens, that is requested as a whole
_MAX_PAGES = 100  # of a list of models

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)


class EndpointClient:
    """One endpoint. Safe among threads; every failure is a TouchstoneError that names the endpoint and not the key."""

    def __init__(self, endpoint: Endpoint, capabilities: CapabilityStore | None = None) -> None:
        self._endpoint = endpoint
        self._dialect = DIALECTS[endpoint.api]
        # a key must be given, or the library takes one from the environment that was meant for another server
        self._openai = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key or "none",
            timeout=endpoint.patience_s,
            max_retries=0,  # we repeat by ourselves: a refusal of the rate holds back every question
            default_headers={**self._dialect.headers, **dict(endpoint.headers)},
            default_query=dict(endpoint.query),
            http_client=http_client(endpoint),
        )
        # the library closes only a connection of its own making
        weakref.finalize(self, self._openai.close)
        self._pace = Pace(endpoint.at_once, endpoint.wait_s, endpoint.title)
        self._capabilities = capabilities or capability_store()
        self._version = self._capabilities.version
        # by model, and by model and schema: what its server was found to refuse
        self._left_out: dict[str, frozenset[str]] = {}
        self._left_out_of_schema: dict[tuple[str, str], frozenset[str]] = {}

    def first_token(self, system: str, user: str, first_tokens: FirstTokens) -> FirstToken:
        """The most likely first tokens of an answer to a system and a user message."""

        def body(left_out: frozenset[str]) -> Body:
            return first_token_body(self._endpoint, (system, user), first_tokens, left_out)

        def ask(request: Body) -> FirstToken:
            return read_first_token(self._complete(request), self._endpoint)

        return self._send(first_tokens.model, lambda: self._adapting(first_tokens.model, "", body, ask))

    def chat(self, messages: Sequence[str], sampling: Sampling, schema: str) -> Completion:
        """The answer to a system message, then requests and answers in turn.

        A schema (see `structured.answer_schema`) is relaxed, then left out where the server refuses the question with it and
        answers without, and from then on: who asks reads the answer strictly in any case.
        """

        def body(left_out: frozenset[str]) -> Body:
            request = chat_body(self._endpoint, messages, sampling, schema, left_out)
            if "stream" in left_out or not self._is_streamed(sampling):
                return request
            return request | {"stream": True} | ({} if "stream_options" in left_out else _STREAM_USAGE)

        answer = self._send(sampling.model, lambda: self._adapting(sampling.model, schema, body, self._ask))
        # servers that make a tool of the schema answer by a call of it
        return replace(answer, finish_reason="stop") if schema and answer.finish_reason == TOOL_CALL else answer

    def models(self) -> list[str]:
        """The names of the models that the endpoint says it serves, sorted."""
        return sorted({name for page in self._model_pages() for name in read_model_names(page, self._endpoint)})

    def windows(self) -> dict[str, int]:
        """The tokens that models hold, by the names in the list of models; without those of which it does not say so."""
        return {name: tokens for page in self._model_pages() for name, tokens in read_windows(page).items()}

    def _model_pages(self) -> Iterator[object]:
        """The list of models to its end, in the form of OpenAI; a server that turns in a circle is left after some pages."""
        query: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            listed = self._send("", partial(self._openai.get, "/models", cast_to=object, options={"params": query}))
            yield self._dialect.model_list(listed)
            if not (query := self._dialect.next_page(listed)):
                return

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

    def left_out(self, model: str, schema: str = "") -> frozenset[str]:
        """The parts that requests to a model go without, those for an answer of this schema."""
        if self._version != self._capabilities.version:
            self._version = self._capabilities.version
            self._left_out.clear()
            self._left_out_of_schema.clear()
        if model not in self._left_out:
            refused_parts = parts_without(self._capabilities.get(self._endpoint, model), self._endpoint)
            self._left_out[model] = self._endpoint.left_out | refused_parts
        if not schema:
            return self._left_out[model]
        if (model, schema) not in self._left_out_of_schema:
            forms = {} if "structured" in self._endpoint.own else self._capabilities.forms(self._endpoint, model)
            form = forms.get(schema_title(schema))
            self._left_out_of_schema[model, schema] = parts_without_form(str(form.value)) if form else frozenset()
        return self._left_out[model] | self._left_out_of_schema[model, schema]

    def adapt(self, body: Body, words: str, left_out: frozenset[str]) -> bool:
        """Leave out from now on what the server refused, by its words, of a request that went without `left_out` already.

        False where there is nothing that could be left out.
        """
        part = refused_part(body, words, left_out)
        if part is None or part in left_out:
            return False
        model = str(body["model"])
        self._left_out[model] = self.left_out(model) | {part}
        return True

    def call(self, ask: Callable[[openai.OpenAI], _T]) -> _T:
        """Result of a call of the library, repeated where it fails for the moment."""
        return self._send("", lambda: ask(self._openai))

    def call_once(self, ask: Callable[[openai.OpenAI], _T]) -> _T | None:
        """The same without a repeat, for a call that must not be made twice; None where it failed for the moment."""
        try:
            return ask(self._openai)
        except (openai.OpenAIError, ValueError) as error:
            if is_momentary(error) or is_rate_limited(error):
                return None
            raise endpoint_error(self._endpoint, "", error) from None

    def _adapting(
        self, model: str, schema: str, body: Callable[[frozenset[str]], Body], ask: Callable[[Body], _T]
    ) -> _T:
        """Ask, and where the server refuses a part of the request, without it and from then on."""
        left_out, refused = self.left_out(model, schema), dict[str, str]()
        while True:
            request = body(left_out)
            try:
                answer = ask(request)
            except openai.APIStatusError as error:
                words = refusal_words(error)
                part = refused_part(request, words, left_out) if may_adapt(error) else None
                if part is None or part in left_out:
                    raise
                (CALLER.get(None) or Caller()).sent.append(outcome_of(error))
                left_out |= {part}
                refused[part] = words
            else:
                if refused:
                    self._learn(model, schema, refused)
                return answer

    def _learn(self, model: str, schema: str, refused: Mapping[str, str]) -> None:
        """Go without these parts from now on, by the words that refused each; those that were named are kept for other processes."""
        everywhere = {part for part, words in refused.items() if concerns_every_schema(words, part)}
        named = {part for part, words in refused.items() if names_part(words, part)}
        self._left_out[model] = self.left_out(model) | everywhere
        if everywhere & named:
            self._capabilities.enter(self._endpoint, model, capabilities_without(everywhere & named), "call")
        if of_schema := refused.keys() - everywhere:
            self._left_out_of_schema[model, schema] = self.left_out(model, schema) | of_schema
            if of_schema <= named:
                self._capabilities.enter_form(
                    self._endpoint, model, schema_title(schema), form_without(self.left_out(model, schema))
                )
        if changing := [part for part in refused if part in _CHANGING]:
            parts = " and ".join(_part_title(part, schema) for part in changing)
            words = server_words(self._endpoint, refused[changing[-1]])
            _LOG.warning("%s: %s refuses %s, and is asked without: “%s”", self._endpoint.base_url, model, parts, words)

    def _ask(self, body: Body) -> Completion:
        if "stream" not in body:
            return read_completion(self._complete(body), self._endpoint)
        answer = self._stream(body)
        if self._endpoint.stream is None and not answer.prompt_tokens:  # it states no usage of what it streams
            model = str(body["model"])
            self._left_out[model] = self.left_out(model) | {"stream"}
        return answer

    def _is_streamed(self, sampling: Sampling) -> bool:
        if self._endpoint.stream is not None:
            return self._endpoint.stream
        return self._endpoint.api == "chat" and sampling.max_tokens + self._endpoint.reasoning_tokens > _SHORT_TOKENS

    def _complete(self, body: Body) -> object:
        """The answer as JSON: the library's own types raise errors of Python for what servers send besides."""
        path = self._dialect.path_to(str(body["model"]))
        answer = self._openai.post(path, cast_to=object, body=self._dialect.body(body))
        answer = json.loads(answer) if isinstance(answer, str) else answer  # JSON that says of itself that it is text
        completion = self._dialect.completion(answer)
        if error := inner_error(self._endpoint, completion):
            raise error
        return completion

    def _stream(self, body: Body) -> Completion:
        with self._openai.post(
            self._dialect.path,
            cast_to=object,
            body=body,
            stream=True,
            stream_cls=openai.Stream[object],
        ) as pieces:
            if not _is_event_stream(pieces.response):
                completion = pieces.response.json()
                if error := inner_error(self._endpoint, completion):
                    raise error
                return read_completion(completion, self._endpoint)
            try:
                return read_stream(pieces, self._endpoint)
            except openai.APIConnectionError:
                raise
            except openai.APIError as error:  # of the library, for a piece that holds an error
                raise inner_error(self._endpoint, {"error": error.body}) or error from None

    def _send(self, model: str, ask: Callable[[], _T]) -> _T:
        """Ask, and again where it failed for the moment: in its turn, for as long as the endpoint is waited for."""
        caller = CALLER.get(None) or Caller()
        for tries in itertools.count(1):
            sent = self._pace.begin(caller.check)
            try:
                answer = ask()
            except (openai.OpenAIError, ValueError, BrokenStreamError) as error:
                caller.sent.append(outcome_of(error))
                pause = self._pause_before_repeat(error, tries, sent)
                if pause is None:
                    # not chained: the library's errors hold the request with its key
                    raise self._final_error(model, error, caller) from None
            except TouchstoneError:
                caller.sent.append("unreadable")
                raise
            else:
                caller.sent.append("answered")
                self._pace.answered(sent)
                return answer
            finally:
                self._pace.end()
            time.sleep(pause)
        raise AssertionError("the loop ends by itself")

    def _final_error(self, model: str, error: Exception, caller: Caller) -> TouchstoneError:
        if isinstance(error, BrokenStreamError):
            return error
        if isinstance(error, openai.APIStatusError) and is_unknown(error):
            headers = error.response.headers
            keep_unknown(Settings.read().cache_dir, self._endpoint, model, error.status_code, headers, error.body)
        final = endpoint_error(self._endpoint, model, error)
        if isinstance(final, EndpointUnusableError):
            caller.refused(final)
        return final

    def _pause_before_repeat(self, error: Exception, tries: int, sent: float) -> float | None:
        """Seconds to wait beside the pace before the question is asked again; None where it is not."""
        named = pause_s(error)
        is_busy = is_rate_limited(error)
        waits = self._endpoint.retries and self._endpoint.wait_s
        if waits and (is_busy or (self._pace.has_answered and is_away(error))):
            words, is_rate = wait_words(self._endpoint, error), isinstance(error, openai.RateLimitError)
            goes_on = self._pace.refused(sent, named, words, names_minute(error), is_rate)
            return 0.0 if goes_on else None
        repeatable = is_busy or is_momentary(error) or isinstance(error, BrokenStreamError)
        if not repeatable or tries > self._endpoint.retries or not may_wait(named):
            return None
        return backoff_s(tries) if named is None else named


def _is_event_stream(response: httpx2.Response) -> bool:
    """True if an answer comes piece by piece; else it is read, whatever type it says it has.

    Raises the library's errors as where it reads by itself.
    """
    if "event-stream" in response.headers.get("content-type", ""):
        return True
    try:
        response.read()
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(response.request) from error
    except httpx2.HTTPError as error:
        raise openai.APIConnectionError(request=response.request) from error
    return response.content.lstrip().startswith((b"data:", b"event:"))


def _part_title(part: str, schema: str) -> str:
    titles = {SCHEMA_LIMITS: "the limits of", SCHEMA: "the schema of", JSON_MODE: "JSON mode for"}
    return f"{titles[part]} {schema_title(schema)}" if part in titles else part.replace("system", "the system role")


_clients: dict[Endpoint, EndpointClient] = {}
_clients_lock = threading.Lock()


def client_for(endpoint: Endpoint) -> EndpointClient:
    """The client of an endpoint, which keeps its connections."""
    with _clients_lock:  # the first questions come together, and a client takes a while to make
        if endpoint not in _clients:
            _clients[endpoint] = EndpointClient(endpoint)
        return _clients[endpoint]
