"""A model hub on the loopback interface that answers as the real one does, for any number of repositories.

Large files are LFS objects: their listing has the size and hash of the content, and a request for one is sent on to
another address, as to the hub's content network.
"""

from __future__ import annotations

import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_LARGE = {".safetensors", ".bin", ".ckpt", ".model", ".h5", ".msgpack", ".onnx", ".pt"}


class ModelHub(ThreadingHTTPServer):
    """Serves the folders `root/owner/name` as repositories and notes the files that are asked for."""

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.root = root
        self.asked: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def repository(self, name: str) -> Path:
        return self.root / name


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub, path = cast(ModelHub, self.server), self.path.split("?")[0].strip("/")
        if path.startswith("content/"):
            self._send(200, (hub.root / path.removeprefix("content/")).read_bytes())
        elif path.startswith("api/models/"):
            self._list(
                hub.repository("/".join(path.split("/")[2:4])), _commit(path.split("/")[-1]), tree="/tree/" in path
            )
        elif path.count("/") < 4:
            self._send(404, b"{}")
        else:
            owner, name, _, revision, *file = path.split("/")
            self._resolve(hub, f"{owner}/{name}", _commit(revision), "/".join(file))

    def _list(self, folder: Path, commit: str, tree: bool) -> None:
        if not folder.is_dir():
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
            return
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        entries = [_entry(path, str(path.relative_to(folder)), tree) for path in files]
        info = {"id": f"{folder.parent.name}/{folder.name}", "sha": commit, "siblings": entries}
        self._send(200, json.dumps(entries if tree else info).encode(), {"Content-Type": "application/json"})

    def _resolve(self, hub: ModelHub, repository: str, commit: str, file: str) -> None:
        path = hub.repository(repository) / file
        if not path.is_file():
            self._send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
            return
        hub.asked.add(f"{repository}/{file}")
        content = path.read_bytes()
        if path.suffix not in _LARGE:
            self._send(200, content, {"X-Repo-Commit": commit, "ETag": f'"{_blob(content)}"'})
            return
        linked = {"X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{_sha256(content)}"', "X-Repo-Commit": commit}
        self._send(302, b"", {**linked, "Location": f"http://localhost:{hub.server_port}/content/{repository}/{file}"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _commit(revision: str) -> str:
    """The commit that a revision names: itself, or the one that every branch is at."""
    return revision if re.fullmatch(r"[0-9a-f]{40}", revision) else COMMIT


def _entry(path: Path, name: str, tree: bool) -> dict[str, object]:
    content = path.read_bytes()
    large = {"lfs": {"sha256": _sha256(content), "oid": _sha256(content), "size": len(content), "pointerSize": 134}}
    named = (
        {"type": "file", "path": name, "oid": _blob(content)} if tree else {"rfilename": name, "blobId": _blob(content)}
    )
    return {**named, "size": len(content), **(large if path.suffix in _LARGE else {})}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _blob(content: bytes) -> str:
    """The hash by which git knows a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
