"""Bodies of requests, of which no more is read than a request may have."""

from __future__ import annotations

from starlette.requests import Request


async def read_beginning(request: Request, most_bytes: int) -> bytes:
    """Return the body of a request; of a longer one the beginning, with one byte more than it may have."""
    received = bytearray()
    async for part in request.stream():
        received += part
        if len(received) > most_bytes:
            break
    return bytes(received[: most_bytes + 1])
