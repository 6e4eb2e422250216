"""Of a body that is too long no more is read than tells so."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.types import Message

from pages.server.request_body import read_beginning


def sent_in_parts(*parts: bytes) -> tuple[Request, list[Message]]:
    """A request whose body comes in parts, and the messages that were not received yet."""
    waiting: list[Message] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return waiting.pop(0)

    return Request({"type": "http", "method": "POST", "headers": []}, receive), waiting


def test_a_body_up_to_the_limit_is_read_whole() -> None:
    request, waiting = sent_in_parts(b"abc", b"de")
    assert asyncio.run(read_beginning(request, 5)) == b"abcde"
    assert not waiting


def test_of_a_longer_body_one_byte_more_is_given_and_the_rest_is_left() -> None:
    request, waiting = sent_in_parts(b"abc", b"def", b"ghi")
    assert asyncio.run(read_beginning(request, 4)) == b"abcde"
    assert waiting[0]["body"] == b"ghi"
