"""Messages between us and the process of a plug-in: JSON, each after its length in four bytes."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

_LENGTH = struct.Struct(">I")
_MOST_BYTES = 2**28
_PIECE = 2**16


class FrameError(Exception):
    """Bytes on the connection that are no message."""


def send_frame(connection: socket.socket, message: Any) -> None:
    """Write one message, within the time-out of the connection; raises OSError where the other side is gone."""
    text = json.dumps(message).encode()
    connection.sendall(_LENGTH.pack(len(text)) + text)


def receive_frame(connection: socket.socket, deadline: float | None = None) -> Any:
    """The next message; None at the end of the connection.

    Raises TimeoutError after the deadline, in seconds of `time.monotonic`, and FrameError for what is no message.
    """
    head = _receive(connection, _LENGTH.size, deadline)
    if not head:
        return None
    [length] = _LENGTH.unpack(head)
    if length > _MOST_BYTES:
        raise FrameError
    try:
        return json.loads(_receive(connection, length, deadline))
    except ValueError as error:
        raise FrameError from error


def _receive(connection: socket.socket, size: int, deadline: float | None) -> bytes:
    """The next `size` bytes; none at the end of the connection."""
    pieces: list[bytes] = []
    missing = size
    while missing:
        if deadline is not None:
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
        piece = connection.recv(min(missing, _PIECE))
        if not piece:
            return b""
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
