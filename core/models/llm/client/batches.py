"""The Batch API in the form of OpenAI: a file of requests, a batch of it, and the files of answers and errors.

Fields after the reference of OpenAI (Files, Batches): lines `custom_id`, `method`, `url`, `body`; answers out of order.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import openai

from core.errors import TouchstoneError
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.endpoint_errors import backoff_s, server_words, unexpected_format
from core.models.llm.dialect import Body
from core.models.llm.endpoints.endpoint import Endpoint

# no more than the strictest of the known servers takes: OpenAI has 50,000 lines and 200 MB
MAX_LINES, MAX_BYTES = 10_000, 100 * 2**20
TOO_MANY_TOKENS = "token_limit_exceeded"
"""Code of a batch that is too large for now: with those under way it has too many tokens."""
_PATH = "/v1/chat/completions"
UNKNOWN = "unknown"
"""The status of a batch that the server does not know any more."""
_ENDED = frozenset({"completed", "failed", "expired", "cancelled", "canceled", UNKNOWN})
_NO_SUCH_PATH = frozenset({404, 405, 501})
_PAGE = 100  # batches of one page of the list
_SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class BatchState:
    """State of a batch: its status in the server's word, lines done of all, and its files once there are any.

    `error` is the reason why it failed as a whole, `code` the server's word for that; both are empty otherwise.
    """

    status: str
    done: int
    total: int
    files: tuple[str, ...]
    error: str
    code: str

    @property
    def ended(self) -> bool:
        return self.status in _ENDED


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Result of one line: the completion as JSON, or a problem with the parameter that the server names."""

    custom_id: str
    completion: object = None
    error: str = ""
    refused_words: str = ""


def request_line(custom_id: str, body: Body) -> bytes:
    """One line of the file of requests; raises TouchstoneError for half a character, which cannot be sent."""
    line = {"custom_id": custom_id, "method": "POST", "url": _PATH, "body": body}
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        raise TouchstoneError(
            "The text holds half a character (a lone surrogate), which cannot be sent. Remove it."
        ) from None


def count_that_fit(lines: Sequence[bytes], max_lines: int) -> int:
    """Number of the first lines that make a batch."""
    sizes = itertools.accumulate(map(len, lines[: min(max_lines, MAX_LINES)]))
    return max(1, sum(size <= MAX_BYTES for size in sizes))


def upload(client: EndpointClient, endpoint: Endpoint, lines: Iterable[bytes]) -> str:
    """Upload a file of requests; its id."""
    file = ("touchstone.jsonl", b"".join(lines), "application/jsonl")

    def post(api: openai.OpenAI) -> object:
        try:
            return api.post(
                "/files",
                cast_to=object,
                body={"purpose": "batch"},
                files={"file": file},
                options={"headers": {"Content-Type": "multipart/form-data"}},
            )
        except openai.APIStatusError as error:
            if error.status_code in _NO_SUCH_PATH:
                raise TouchstoneError(f"{endpoint.base_url} has no Batch API. Start without --batch.") from None
            raise

    return _id(client.call(post), endpoint)


def create(client: EndpointClient, endpoint: Endpoint, file: str) -> str:
    """Have a file of requests answered; the id of the batch, empty where it is not known whether the server has made one."""
    body = {"input_file_id": file, "endpoint": _PATH, "completion_window": "24h"}
    for tries in range(1, endpoint.retries + 2):
        answer = client.call_once(lambda api: api.post("/batches", cast_to=object, body=body))
        if answer is not None:
            return _id(answer, endpoint)
        time.sleep(backoff_s(tries))
        if batch := find(client, endpoint, file):  # the answer was lost, and not the request
            return batch
    return ""


def find(client: EndpointClient, endpoint: Endpoint, file: str) -> str:
    """The batch that answers a file of requests; empty where there is none, or the server does not say."""
    page: dict[str, object] = {"limit": _PAGE}
    while True:
        listed = _fields(client.call_once(partial(_get, path="/batches", params=page)))
        batches = listed.get("data")
        records = [_fields(record) for record in batches] if isinstance(batches, list) else []
        for batch in records:
            if batch.get("input_file_id") == file:
                return _id(batch, endpoint)
        if not listed.get("has_more") or not records:
            return ""
        page = {"limit": _PAGE, "after": _id(records[-1], endpoint)}


def read_state(client: EndpointClient, endpoint: Endpoint, batch: str) -> BatchState | None:
    """State of a batch; None where the server cannot be asked at the moment."""
    response = client.call_once(partial(_get, path=f"/batches/{batch}", params={}))
    if response is None:
        return None
    answer = _fields(response)
    status = answer.get("status")
    if not isinstance(status, str):
        raise TouchstoneError(unexpected_format(endpoint))
    counts = _fields(answer.get("request_counts"))
    done, failed, total = (_number(counts.get(name)) for name in ("completed", "failed", "total"))
    files = (answer.get("output_file_id"), answer.get("error_file_id"))
    listed = _fields(answer.get("errors")).get("data")
    errors = [_fields(entry) for entry in listed] if isinstance(listed, list) else []
    problems = []
    for error in errors[:_SHOWN_PROBLEMS]:
        line = f"line {error['line']}: " if error.get("line") is not None else ""
        problems.append(f"{line}{server_words(endpoint, dict(error))}")
    return BatchState(
        status.lower(),
        done + failed,
        total,
        tuple(file for file in files if isinstance(file, str) and file),
        "; ".join(problems),
        str(errors[0].get("code") or "") if errors else "",
    )


def download(client: EndpointClient, endpoint: Endpoint, files: Iterable[str]) -> list[BatchResult] | None:
    """Download the results of the lines of a batch from its files; None where a file cannot be had at the moment.

    A line that is cut off or no JSON is passed over.
    """
    contents = [client.call_once(partial(_lines_of, file=file)) for file in files]
    if None in contents:
        return None
    results = []
    for line in itertools.chain.from_iterable(filter(None, contents)):
        try:
            result = _fields(json.loads(line))
        except ValueError:  # half a line, or no UTF-8
            continue
        name, response = result.get("custom_id"), _fields(result.get("response"))
        if not isinstance(name, str):
            continue
        body, status = response.get("body"), _number(response.get("status_code"))
        if body is not None and (200 <= status < 300 or not status):
            results.append(BatchResult(name, body))
            continue
        error = result.get("error") or _fields(body).get("error") or body or f"status {status or 'unknown'}"
        words = server_words(endpoint, error)
        refused = f"{_fields(error).get('param')} {words}" if status in {400, 422} else ""
        results.append(BatchResult(name, error=words, refused_words=refused))
    return results


def _get(api: openai.OpenAI, path: str, params: Mapping[str, object]) -> object:
    try:
        answer: object = api.get(path, cast_to=object, options={"params": params})
    except openai.NotFoundError:
        return {"status": UNKNOWN}
    return answer


def _lines_of(api: openai.OpenAI, file: str) -> list[bytes]:
    with api.with_streaming_response.files.content(file) as answer:
        # not by text: U+2028 and the like end no line of JSON
        content = b"".join(answer.iter_bytes()).removeprefix(b"\xef\xbb\xbf")
    return [line for line in content.split(b"\n") if line.strip()]


def _id(answer: object, endpoint: Endpoint) -> str:
    id = _fields(answer).get("id")
    if not isinstance(id, str) or not id:
        raise TouchstoneError(unexpected_format(endpoint))
    return id


def _fields(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
