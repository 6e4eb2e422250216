"""A server on loopback that speaks as an OpenAI-compatible endpoint, from a script."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.model_reference import EndpointModel

Body = Mapping[str, Any]

CHAT_MODEL = EndpointModel("", "endpoint_chat")
"""Chat with the default endpoint."""


@dataclass(frozen=True)
class Reply:
    """What the server sends: JSON, or bytes as they are; or it hangs up without a word.

    It may also hang up after so many bytes of its content, or pause so long after each of them.
    """

    content: object = None
    status: int = 200
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    dropped: bool = False
    cut: int | None = None
    drip_s: float = 0.0


@dataclass
class Endpoint:
    """A running server: its address, and what it was asked."""

    url: str
    asked: list[tuple[str, Body]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[str, Body], Reply], port: int = 0) -> Iterator[Endpoint]:
    """A server that answers each path and body as told, a GET with an empty one; what it was asked is kept in order.

    An uploaded form is a body with the bytes of "form". A free port is taken where none is named.
    """
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            sent = self.rfile.read(size)
            if len(sent) < size:  # who asked broke off
                self.close_connection = True
                return
            is_form = self.headers["Content-Type"].startswith("multipart/")
            self._answer({"form": sent} if is_form else json.loads(sent))

        def _answer(self, body: Body) -> None:
            with lock:
                endpoint.asked.append((self.path, body))
                endpoint.keys.append(self.headers["Authorization"] or "")
                endpoint.headers.append(self.headers)
            reply = answer(self.path, body)  # not under the lock: questions may be answered at once
            if reply.dropped:
                self.close_connection = True
                return
            content = json.dumps(reply.content).encode() if reply.raw is None else reply.raw
            with suppress(ConnectionError):  # who asked may have lost patience
                self._send(reply, content)

        def _send(self, reply: Reply, content: bytes) -> None:
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.writelines(_pieces(content[: reply.cut], reply.drip_s))

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 512  # 5 is the default, and a test may ask 200 questions at once

    server = Server(("127.0.0.1", port), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _pieces(content: bytes, drip_s: float) -> Iterator[bytes]:
    if not drip_s:
        yield content
        return
    for byte in content:
        time.sleep(drip_s)
        yield bytes([byte])


def completion(shares: Mapping[str, float], read: int = 7) -> Reply:
    """A chat completion of one token, with the probabilities of the most likely first tokens."""
    top = [{"token": token, "logprob": math.log(share), "bytes": None} for token, share in shares.items()]
    choice = {
        "index": 0,
        "finish_reason": "length",
        "message": {"role": "assistant", "content": top[0]["token"]},
        "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
    }
    usage = {"prompt_tokens": read, "completion_tokens": 1, "total_tokens": read + 1}
    return Reply(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    )


def text(
    content: str | None, ended: str = "stop", refused: str | None = None, read: int = 7, written: int = 3
) -> Reply:
    """A chat completion of a whole text, how it ended in OpenAI's words, and the model's refusal where it gives one."""
    message = {"role": "assistant", "content": content, "refusal": refused}
    choice = {"index": 0, "finish_reason": ended, "message": message}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return Reply(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    )


def stream(*pieces: str, ended: str = "stop", read: int = 7, written: int = 3) -> Reply:
    """The same text in pieces, as server-sent events, with the usage at its end; not `ended` where it breaks off."""
    choices = [{"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces]
    last = [{"index": 0, "delta": {}, "finish_reason": ended}] if ended else []
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    chunks = [{**chunk, "choices": [choice]} for choice in [*choices, *last]] + [
        {**chunk, "choices": [], "usage": usage}
    ]
    events = [f"data: {json.dumps(one)}\n\n" for one in chunks] + ["data: [DONE]\n\n"]
    return Reply(raw="".join(events).encode(), headers={"Content-Type": "text/event-stream"})


def listing(*models: str) -> Reply:
    """What /v1/models answers."""
    return Reply({"object": "list", "data": [{"id": model, "object": "model", "created": 0} for model in models]})


def refusal(status: int, message: str, **headers: str) -> Reply:
    return Reply({"error": {"message": message, "type": "x", "code": "x"}}, status, headers=headers)
