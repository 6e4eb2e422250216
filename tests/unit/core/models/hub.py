"""A stand-in for the model hub on the loopback interface: it serves the files of a folder as one repository."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TypeVar, cast

COMMIT = "a" * 40
Serving = TypeVar("Serving", bound=ThreadingHTTPServer)


class Hub(ThreadingHTTPServer):
    """Holds `folder` as owner/name and notes the files that are asked for; with a status it refuses everything.

    Of the file `broken` half is sent before the line goes dead.
    """

    def __init__(self, folder: Path, status: int = 200, error: str = "", broken: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.folder, self.status, self.error, self.broken = folder, status, error, broken
        self.asked: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def content(self, path: str) -> bytes:
        if self.status != 200:
            return b"{}"
        if "/resolve/" in path:
            name = path.rsplit("/", 1)[-1]
            self.asked.add(name)
            return (self.folder / name).read_bytes()
        files = sorted(self.folder.iterdir())
        if "/tree/" in path:
            return json.dumps([_entry(file) for file in files]).encode()
        return json.dumps(
            {
                "id": "owner/name",
                "sha": COMMIT,
                "siblings": [{"rfilename": f.name, "size": f.stat().st_size} for f in files],
            }
        ).encode()


class Answering(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self._head()

    def do_GET(self) -> None:
        body = self._head()
        broken = cast(Hub, self.server).broken
        self.wfile.write(body[: len(body) // 2] if broken and self.path.split("?")[0].endswith(broken) else body)

    def _head(self) -> bytes:
        hub = cast(Hub, self.server)
        body = hub.content(self.path.split("?")[0])
        headers = {"Content-Length": str(len(body)), "X-Repo-Commit": COMMIT, "X-Error-Code": hub.error}
        self.send_response(hub.status)
        for name, value in {**headers, "ETag": f'"{hashlib.sha256(body).hexdigest()}"'}.items():
            self.send_header(name, value)
        self.end_headers()
        return body

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(hub: Serving) -> Iterator[Serving]:
    thread = Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()


def _entry(file: Path) -> dict[str, object]:
    oid = hashlib.sha1(file.name.encode(), usedforsecurity=False).hexdigest()
    return {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": oid}
