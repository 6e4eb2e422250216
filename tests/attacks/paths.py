"""Paths that lead out of what a server gives, sent as they are: clients would straighten them."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

_WAIT_S = 60
_UP = (
    "../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%252f", "..\\", "..%5c", "..%c0%af", "..%ef%bc%8f", "....//", ".%00./", "..;/", "/", "//",
)  # fmt: skip
_ROOTS = ("/docs/", "/static/", "/_stcore/bidi-components/", "/media/")
_OTHERS = (
    "/.env", "/.git/config", "/app.py", "/pages/server/services.py", "/touchstone.db", "/touchstone.db-wal", "/cache/spending-1.sqlite",
    "/app/static/../../app.py", "/component/x/../../../etc/passwd", "/api/v1/../../_stcore/metrics", "/api/v1/campaigns/..%2f..%2fpeople",
    "/study/../_stcore/metrics", "/_stcore/upload_file/../../x", "/_stcore/metrics", "/_stcore/agent/mcp", "/docs%00.html", "/docs/.",
    "/?invite=../../x", "//evil.example/..", "/%5cevil.example", "/index.html%00.py", "http://evil.example/", "*", "/docs/\x7f", "/?%",
)  # fmt: skip
_MARKS = (
    b"root:x:",
    b"SQLite format 3",
    b"[project]",
    b"import streamlit",
    b"from __future__",
    b"[core]",
    b"streamlit_sessions",
)
"""Contents of the files that these paths are after."""


def hostile_paths() -> list[str]:
    """Ways up from the folders that the server gives, and files beside them."""
    return [*(f"{root}{up * 6}etc/passwd" for root in _ROOTS for up in _UP), *_OTHERS]


def answers(url: str, headers: Mapping[str, str]) -> Iterator[tuple[str, int, bytes]]:
    """Each path with the status and the content of the answer; 0 where the connection was ended without one."""
    place = urlsplit(url)
    for path in hostile_paths():
        fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n{fields}\r\n"
        with socket.create_connection((place.hostname or "", place.port or 80), _WAIT_S) as connection:
            connection.sendall(request.encode("latin-1", "replace"))
            content = b"".join(iter(lambda connection=connection: connection.recv(65536), b""))  # type: ignore[misc]
        first, _, rest = content.partition(b"\r\n")
        yield path, int(first.split()[1]) if first.startswith(b"HTTP/") else 0, rest


def leaks(content: bytes) -> bool:
    """True for an answer with a file that the server does not give."""
    return any(mark in content for mark in _MARKS)
