"""The HTTP client of an endpoint: where its key goes, which redirects are followed, and the limits of an answer."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial

import httpx2
import openai

from core.base import CheckedTransport, LookUp, goes_by_proxy, look_up, secrets_refusal
from core.models.llm.endpoints.apis import DIALECTS
from core.models.llm.endpoints.endpoint import Endpoint

_MAX_REDIRECTS = 5
_PROTOCOL = frozenset(
    {
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host"),
        *("idempotency-key", "transfer-encoding"),
    }
)
_LIBRARY = "x-stainless-"  # its version and that of Python
_MOVED = frozenset({301, 302, 303})
_MAX_ANSWER_BYTES = 32 * 2**20
_MAX_FILE_BYTES, _FILE_S = 2 * 2**30, 3600.0  # of the answers to a whole batch


class MovedError(httpx2.RequestError):
    """A server that says of a question that it belongs to another address."""

    def __init__(self, url: httpx2.URL) -> None:
        # without what may be secret
        self.address = str(url.copy_with(username=None, password=None, query=None, fragment=None))
        super().__init__(self.address)


def is_elsewhere(endpoint: Endpoint, url: httpx2.URL) -> bool:
    """True for an address of another server than the endpoint's, to which a redirect may lead; https for http is the same."""
    own = _parsed_address(endpoint.base_url)
    if (own.scheme, own.port, url.scheme, url.port) == ("http", None, "https", None):
        return own.host != url.host
    return (own.scheme, own.host, own.port) != (url.scheme, url.host, url.port)


@lru_cache(maxsize=64)
def _parsed_address(address: str) -> httpx2.URL:
    return httpx2.URL(address)


def http_client(endpoint: Endpoint, resolve: LookUp = look_up) -> openai.DefaultHttpxClient:
    """The client by which the library asks an endpoint; one that a person typed leads to no secrets of a cloud."""
    checked = endpoint.typed and not goes_by_proxy(endpoint.base_url)

    def send_key(request: httpx2.Request) -> None:
        if is_elsewhere(endpoint, request.url):
            for name in ("Authorization", endpoint.key_header, *(header for header, _ in endpoint.headers)):
                request.headers.pop(name, None)
        elif endpoint.key_header and request.headers.pop("Authorization", ""):
            request.headers[endpoint.key_header] = endpoint.key

    def limit(response: httpx2.Response) -> None:
        if not isinstance(response.stream, httpx2.SyncByteStream):
            return
        whole_file = response.request.url.path.endswith("/content")
        streams = endpoint.stream or "event-stream" in response.headers.get("content-type", "")
        answer_s = endpoint.total_s if streams else endpoint.patience_s
        limits = (_FILE_S, _MAX_FILE_BYTES) if whole_file else (answer_s, _MAX_ANSWER_BYTES)
        response.stream = _LimitedStream(response.stream, *limits)

    return openai.DefaultHttpxClient(
        base_url=endpoint.base_url,
        timeout=endpoint.patience_s,
        verify=_trusted_certificates(),
        transport=CheckedTransport(secrets_refusal, resolve, _trusted_certificates()) if checked else None,
        max_redirects=_MAX_REDIRECTS,
        event_hooks={"request": [partial(_keep_own_headers, endpoint), send_key], "response": [_refuse_moves, limit]},
    )


def post(client: httpx2.Client, endpoint: Endpoint, path: str, body: Mapping[str, object]) -> bytes:
    """The answer to a question. It raises the library's errors, and takes half as long as the library does for a request.

    Raises ValueError for a text that is no UTF-8.
    """
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    headers = {"Authorization": f"Bearer {endpoint.key or 'none'}", "Content-Type": "application/json"}
    headers |= {"Accept": "application/json", **DIALECTS[endpoint.api].headers, **dict(endpoint.headers)}
    # a query that is empty would take away that of the address
    request = client.build_request("POST", path, content=content, headers=headers, params=dict(endpoint.query) or None)
    try:
        response = client.send(request)
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(request) from error
    except httpx2.HTTPError as error:
        raise openai.APIConnectionError(request=request) from error
    if response.is_success:
        return response.content
    text = response.text.strip()
    try:
        refused = json.loads(text)
    except (ValueError, RecursionError):
        refused = text
    refused = refused.get("error", refused) if isinstance(refused, dict) else refused
    kind = openai.RateLimitError if response.status_code == httpx2.codes.TOO_MANY_REQUESTS else openai.APIStatusError
    raise kind(f"Error code: {response.status_code}", response=response, body=refused)


def _keep_own_headers(endpoint: Endpoint, request: httpx2.Request) -> None:
    """Send what HTTP needs and what the table of the endpoint has; the library adds more from the environment of the operator."""
    own = {
        "user-agent": f"OpenAI/Python {openai.__version__}",
        "authorization": f"Bearer {endpoint.key or 'none'}",
        **{name.lower(): value for name, value in DIALECTS[endpoint.api].headers.items()},
        **{name.lower(): value for name, value in endpoint.headers},
    }
    for name in [*request.headers]:
        if name in own:
            request.headers[name] = own[name]
        elif name not in _PROTOCOL and not name.startswith(_LIBRARY):
            del request.headers[name]


class _LimitedStream(httpx2.SyncByteStream):
    """The bytes of an answer, up to a time and a size: a server that drips is never silent for long, and never done."""

    def __init__(self, stream: httpx2.SyncByteStream, limit_s: float, limit_bytes: int) -> None:
        self._stream = stream
        self._until = time.monotonic() + limit_s
        self._limit_bytes = limit_bytes

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > self._limit_bytes:
                raise httpx2.ReadError(f"it sends more than {self._limit_bytes // 2**20} MB")
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer takes too long as a whole")
            yield chunk

    def close(self) -> None:
        self._stream.close()


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """One for all clients: to read the certificates of a machine takes a while."""
    return httpx2.create_ssl_context()


def _refuse_moves(response: httpx2.Response) -> None:
    """Raise MovedError where following would turn a question into a GET without its text."""
    if response.request.method == "POST" and response.status_code in _MOVED and response.has_redirect_location:
        raise MovedError(response.request.url.join(response.headers["Location"]))
