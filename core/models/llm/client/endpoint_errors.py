"""Errors of an endpoint: if one is worth another try, and a message that never names the key."""

from __future__ import annotations

import random
import re
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
import openai

from core.base import RefusedAddressError
from core.errors import EndpointUnusableError, TouchstoneError
from core.models.llm.client.http_client import MovedError, is_elsewhere
from core.models.llm.client.pacing import EndpointClosedError
from core.models.llm.client.refusal_kinds import (
    NOT_LOADED,
    RESPONSES_ALONE,
    RefusalKind,
    answer_share,
    refusal_kind,
    says_minute,
    token_limit,
    window_of,
)
from core.models.llm.client.refusals import named_pause_s, read_words, refuses_temperature
from core.models.llm.endpoints.apis import DIALECTS
from core.models.llm.endpoints.endpoint import Endpoint

_SAMPLING_PARAMETERS = frozenset({"max_tokens", "temperature", "top_p"})
"""Parameters that reasoning models refuse."""
_MOMENTARY_STATUSES = frozenset({408, 409, 425, 499})
_AWAY_STATUSES = frozenset({502, 503, 521, 522, 523})  # those from 520 of Cloudflare
_GATEWAY_TIMEOUT = 524  # of Cloudflare: the server took the question, and had no word for it in 100 s
_QUESTION_STATUSES = frozenset({400, 422})
_UNUSABLE_STATUSES = frozenset({403, 405, 410})
_CLOSED_KINDS = frozenset({RefusalKind.MONEY, RefusalKind.KEY, RefusalKind.MODEL})
_ADAPTABLE_KINDS = frozenset({RefusalKind.QUESTION, RefusalKind.PARAMETER, RefusalKind.SCHEMA})
_NOT_CONNECTED = frozenset({"ConnectTimeout", "PoolTimeout"})
_INTERRUPTIONS = frozenset({"ReadError", "RemoteProtocolError", "WriteError", "DecodingError"})
_GATEWAY_STATUSES = frozenset({502, 503, 504, *range(520, 528), 530})  # without words of the server itself
_STATUSES = range(400, 600)
_LONGEST_PAUSE_S = 120.0  # that a server may ask for
_SHOWN_CHARACTERS = 300
_MIN_SECRET_CHARACTERS = 6


class BrokenStreamError(TouchstoneError):
    """An answer that came in part."""


def inner_error(endpoint: Endpoint, completion: object) -> openai.APIStatusError | None:
    """The error that a server answers with status 200, with the status that it names; None where it names none."""
    choices = completion.get("choices") if isinstance(completion, dict) else None
    places = [completion, *(choices if isinstance(choices, list) else ())]
    for error in (place.get("error") for place in places if isinstance(place, dict)):
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and code in _STATUSES:
            request = httpx2.Request("POST", endpoint.base_url)
            return openai.APIStatusError("", response=httpx2.Response(code, request=request), body=error)
    return None


def kind_of(error: openai.APIStatusError) -> RefusalKind:
    """The kind of what a server refuses."""
    return refusal_kind(error.status_code, error.response.headers, error.body)


def outcome_of(error: Exception) -> str:
    """The outcome of a request that failed, as the log of costs has it: its kind, or ? where the server never said."""
    if isinstance(error, openai.APIStatusError):
        return "?" if error.status_code == _GATEWAY_TIMEOUT else kind_of(error).value
    if isinstance(error, openai.APIConnectionError):
        return "?" if _is_interrupted(error) and not _is_never_connected(error) else "unreachable"
    return "?" if isinstance(error, BrokenStreamError) else "unreadable"


def is_rate_limited(error: Exception) -> bool:
    """True if the server asks for a slower rate or for time, and not for money."""
    return isinstance(error, openai.APIStatusError) and kind_of(error) is RefusalKind.BUSY


def is_unknown(error: openai.APIStatusError) -> bool:
    """True if no row of the table of kinds fits the refusal."""
    return kind_of(error) in {RefusalKind.QUESTION, RefusalKind.SERVER} and error.status_code not in _GATEWAY_STATUSES


def is_away(error: Exception) -> bool:
    """True if no server takes questions at the address, or one in front of it says so."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _AWAY_STATUSES and kind_of(error) is RefusalKind.SERVER
    return outcome_of(error) == "unreachable" and is_momentary(error)


def is_momentary(error: Exception) -> bool:
    """True if the same question may be answered in a moment; one whose answer took too long is not asked again."""
    if isinstance(error, openai.APIStatusError):
        may_end = error.status_code in _MOMENTARY_STATUSES or kind_of(error) is RefusalKind.SERVER
        return may_end and error.status_code != _GATEWAY_TIMEOUT
    if isinstance(error, openai.APITimeoutError):
        return _is_never_connected(error)
    return isinstance(error, openai.APIConnectionError) and not _tls_error(error) and not _is_redirected(error)


def may_adapt(error: openai.APIStatusError) -> bool:
    """True if a part of the request may be what the server refuses."""
    kind = kind_of(error)
    return kind in _ADAPTABLE_KINDS and (error.status_code in _QUESTION_STATUSES or kind is not RefusalKind.QUESTION)


def refused_parameter(endpoint: Endpoint, error: openai.APIStatusError) -> str:
    """The parameter of sampling that the model does not take, as is usual of reasoning models; empty where it is not that."""
    if endpoint.reasoning_tokens or error.status_code not in _QUESTION_STATUSES or not may_adapt(error):
        return ""
    if refuses_temperature(read_words(error.body)):
        return "temperature"
    is_unsupported = "unsupported" in refusal_words(error).lower()
    return error.param if error.param in _SAMPLING_PARAMETERS and is_unsupported else ""


def names_minute(error: Exception) -> bool:
    """True if the server speaks of a limit of a minute, without a time to wait."""
    return isinstance(error, openai.APIStatusError) and says_minute(error.body)


def wait_words(endpoint: Endpoint, error: Exception) -> str:
    """The cause of a wait for an endpoint, in a few words."""
    if not isinstance(error, openai.APIStatusError):
        return "it cannot be reached"
    words = server_words(endpoint, error.body)
    return f"it says “{words}”" if words else f"it answers with status {error.status_code}"


def refusal_words(error: openai.APIStatusError) -> str:
    """All that a server says about what it refuses: the parameter, its code and its words."""
    return " ".join(filter(None, (error.param, error.code, read_words(error.body))))


def pause_s(error: Exception) -> float | None:
    """The pause that the server names before another try."""
    return named_pause_s(error.response.headers, error.body) if isinstance(error, openai.APIStatusError) else None


def may_wait(seconds: float | None) -> bool:
    """True if a pause is short enough to wait for."""
    return seconds is None or seconds <= _LONGEST_PAUSE_S


def backoff_s(tries: int) -> float:
    """The pause by the number of tries, where the server names none."""
    return min(0.5 * 2.0 ** (tries - 1), 8.0) * random.uniform(0.75, 1.0)  # no secret


def endpoint_error(endpoint: Endpoint, model: str, error: Exception) -> TouchstoneError:
    """Error that says what went wrong and what to do; EndpointUnusableError if every other question would fail too."""
    if isinstance(error, openai.APITimeoutError):
        message = (
            f"{endpoint.base_url} did not answer within {endpoint.patience_s:g} s. Try again when it is less busy, "
            f"or raise {endpoint.setting('patience_s')}."
        )
    elif isinstance(error, openai.APIConnectionError):
        message = _connection_message(endpoint, error)
    elif isinstance(error, openai.APIStatusError):
        message = _status_message(endpoint, model, error)
    elif isinstance(error, openai.APIError):
        message = refusal_message(endpoint, _redact_key(endpoint, str(error)))
    elif isinstance(error, UnicodeEncodeError):
        message = "The text holds half a character (a lone surrogate), which cannot be sent. Remove it."
    else:
        message = unexpected_format(endpoint)

    if isinstance(error, openai.APIStatusError):
        kind = kind_of(error)
        if kind in _CLOSED_KINDS or refused_parameter(endpoint, error):
            return EndpointClosedError(message)
        is_refused = kind is RefusalKind.QUESTION and error.status_code in _UNUSABLE_STATUSES
        return (EndpointUnusableError if is_refused or kind is RefusalKind.BUSY else TouchstoneError)(message)
    unreachable = isinstance(error, openai.APIConnectionError) and not _is_interrupted(error)
    return EndpointUnusableError(message) if unreachable else TouchstoneError(message)


def _connection_message(endpoint: Endpoint, error: openai.APIConnectionError) -> str:
    address, setting = endpoint.base_url, endpoint.setting("base_url")
    if isinstance(error.__cause__, MovedError):
        path, _, _ = DIALECTS[endpoint.api].path.partition("{model}")
        moved = error.__cause__.address.partition(path)[0].rstrip("/")
        return f"{address} redirects questions to {moved}, where their text would be lost. Set {setting} to {moved}."
    if isinstance(error.__cause__, RefusedAddressError):
        return f"{error.__cause__} Change {setting}."
    if problem := _tls_error(error):
        advice = f"Install its certificate on this machine, or set {setting}"
        if "WRONG_VERSION_NUMBER" in problem:
            problem, advice = "it does not speak TLS at this port", f"Set {setting} to http:// in place of https://"
        return f"{address} cannot be reached by TLS: {problem}. {advice}."
    if _is_redirected(error):
        return f"{address} redirects again and again. Set {setting} to where it leads."
    if _is_interrupted(error):
        words = _redact_key(endpoint, str(error.__cause__)) or "the connection was reset"
        return f"{address} broke off in the middle of its answer: {words}. Ask again."

    return _unreachable_message(endpoint, error)


def _unreachable_message(endpoint: Endpoint, error: openai.APIConnectionError) -> str:
    address, setting = endpoint.base_url, endpoint.setting("base_url")
    host = urlsplit(address).hostname or ""
    named = getproxies().get(urlsplit(address).scheme) or getproxies().get("all")
    if named and not proxy_bypass(host):
        proxy = re.sub(r"//[^/@]*@", "//", named)  # without a password
        return (
            f"{address} cannot be reached through the proxy {proxy}, which the environment names. Start the proxy, or set "
            f"NO_PROXY={host} where the server is reached without it."
        )
    if any(isinstance(cause, socket.gaierror) for cause in _causes(error)):
        return f"No server is named {host}: its address is not found (DNS). Check the spelling in {setting}, or the network."
    return f"{address} cannot be reached. Start the server, or set {setting}."


def _status_message(endpoint: Endpoint, model: str, error: openai.APIStatusError) -> str:
    words = server_words(endpoint, error.body)
    status, kind = error.status_code, kind_of(error)
    if unsupported := refused_parameter(endpoint, error):
        left_out = f", or {endpoint.setting('leave_out')} to its name" if endpoint.name else ""
        return (
            f"{endpoint.base_url} takes no {unsupported} for this model, as is usual of reasoning models. Set "
            f"{endpoint.setting('reasoning_tokens')} to its limit of reasoning tokens, such as 8192{left_out}."
        )

    if status in {401, 403} and is_elsewhere(endpoint, error.response.request.url):
        other = error.response.request.url.host
        return (
            f"{endpoint.base_url} redirects to {other}, which gets no key, as it is another server, and says: “{words}”. "
            f"If the key is meant for it, set {endpoint.setting('base_url')} to its address."
        )

    if re.search(RESPONSES_ALONE, words.lower()):
        where = endpoint.setting("api") if endpoint.name else "api of an endpoint in the file of TOUCHSTONE_ENDPOINTS"
        return f"{endpoint.base_url} serves {model!r} by the Responses API alone. Set {where} to responses. It says: “{words}”."

    served = f"serves no model {model!r} or not this path. Set the name that it serves.{_path_hint(endpoint)}"

    if re.search(NOT_LOADED, words.lower()):
        served = f"has not loaded {model!r}. Load it there (LM Studio: lms load; Ollama: ollama pull), or set the name of another."

    seconds = pause_s(error)
    retry_advice = f"Wait {seconds:.0f} s" if seconds and seconds >= 1 else "Wait"
    messages = {
        RefusalKind.MONEY: "wants money. Pay there, or ask another endpoint.",
        RefusalKind.KEY: f"does not accept the key. Set {endpoint.setting('key_from')}.",
        RefusalKind.MODEL: served
        if model
        else f"lists no models: it does not know this path. Check its address.{_path_hint(endpoint)}",
        RefusalKind.BUSY: f"has reached its rate limit. {retry_advice} and try again."
        if status == 429
        else f"is busy. {retry_advice} and try again.",
        RefusalKind.FILTER: "does not let this text through. Change the text, or ask another endpoint.",
        RefusalKind.TOO_LONG: _too_long_advice(error.body),
    }
    if status == 403:
        messages[RefusalKind.QUESTION] = f"does not let this key use {model!r}. Set {endpoint.setting('key_from')}."
    if kind not in messages:
        code = f"Error code: {status}"
        words = f"{code} - {words}" if words else code
        if kind is RefusalKind.SERVER:
            return _server_message(endpoint, status, words)
        refusal = refusal_message(endpoint, words)
        return f"{refusal}{_path_hint(endpoint)}" if status == 405 else refusal
    return f"{endpoint.base_url} {messages[kind]} It says: “{words or f'Error code: {error.status_code}'}”."


def _server_message(endpoint: Endpoint, status: int, words: str) -> str:
    """Message about an error of the server or of the gateway before it."""
    if status != _GATEWAY_TIMEOUT:
        return f"{endpoint.base_url} failed: {words}. Ask again later, or look at the log of the server."
    where = endpoint.setting("stream") if endpoint.name else "stream of an endpoint in the file of TOUCHSTONE_ENDPOINTS"
    return (
        f"{endpoint.base_url} gave no answer in the time of the gateway before it, and may still work on it: {words}. Ask for a shorter one, or "
        f"set {where} to true, so that its pieces come in time."
    )


def _too_long_advice(body: object) -> str:
    if limit := token_limit(body):
        return (
            f"takes {limit[1]:,} tokens in its time at most, and this question has {limit[0]:,}. Shorten the document."
        )
    window = window_of(body)
    share = answer_share(body)
    if window and share and share[0] < window <= sum(share):
        return (
            f"has a window of {window:,} tokens, and this question has {share[0]:,} and leaves {share[1]:,} for the answer. Set max_tokens to "
            f"at most {window - share[0]:,}, shorten the document, or serve the model with a larger window."
        )
    size = f"a window of {window:,} tokens" if window else "too small a window"
    return (
        f"has {size} for this question. Shorten the document, give it chunks, or serve the model with a larger one "
        "(llama.cpp: -c; vLLM: --max-model-len; Ollama: num_ctx)."
    )


def unexpected_format(endpoint: Endpoint) -> str:
    """Message about a server that answers as no endpoint does."""
    maker = DIALECTS[endpoint.api].maker
    return f"{endpoint.base_url} does not answer in the form of {maker}. Check its address.{_path_hint(endpoint)}"


def _path_hint(endpoint: Endpoint) -> str:
    """Hint at a version that most addresses end with and this one does not; empty where it has a version or a path of its own."""
    if urlsplit(endpoint.base_url).path.strip("/"):
        return ""
    return f" It has no /v1 at its end, as most have: {endpoint.base_url}/v1."


def refusal_message(endpoint: Endpoint, words: str) -> str:
    """Message about a question that was refused, with the server's own words."""
    return f"{endpoint.base_url} refused the question: {words}. Change it or the server."


def server_words(endpoint: Endpoint, body: object) -> str:
    """The words of a server about an error, in at most 300 characters and without the key."""
    return _redact_key(endpoint, read_words(body))


def _tls_error(error: Exception) -> str:
    """Problem with the certificate; empty where it is something else."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(cause) or "[SSL" in str(cause):
            return " ".join(str(cause).split())[:_SHOWN_CHARACTERS].rstrip(".")
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it came from, the last one first."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_interrupted(error: Exception) -> bool:
    """True if there is a server, which did not end its answer."""
    return isinstance(error, openai.APITimeoutError) or type(error.__cause__).__name__ in _INTERRUPTIONS


def _is_never_connected(error: Exception) -> bool:
    return type(error.__cause__).__name__ in _NOT_CONNECTED


def _is_redirected(error: Exception) -> bool:
    return isinstance(error.__cause__, MovedError | httpx2.TooManyRedirects)


def _redact_key(endpoint: Endpoint, words: str) -> str:
    message = " ".join(words.encode("utf-8", "replace").decode().split())
    # before it is cut: half a key is part of a key
    # a short header stands in ordinary words, a key is a key
    values = [value for _, value in endpoint.headers if len(value) >= _MIN_SECRET_CHARACTERS]
    for hidden in filter(None, (endpoint.key, *values)):
        message = message.replace(hidden, "…")
    return message[:_SHOWN_CHARACTERS].rstrip(".")
