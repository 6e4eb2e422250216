"""A hub on the loopback interface that takes repositories and files as the real one does: LFS objects first, then a commit."""

from __future__ import annotations

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import urlparse

COMMIT = "b" * 40
TOKEN = "hf_loopback"  # of no account
_LARGE = (".safetensors", ".parquet")


class UploadHub(ThreadingHTTPServer):
    """`repositories` are the files of each by name, `private` who may not be seen, `kinds` model or dataset.

    Only TOKEN may write, and only to `owner`.
    """

    def __init__(self, owner: str) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.owner = owner
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.private: dict[str, bool] = {}
        self.kinds: dict[str, str] = {}
        self.objects: dict[str, bytes] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _hub(self) -> UploadHub:
        return cast(UploadHub, self.server)

    def do_GET(self) -> None:
        name = "/".join(self._path().split("/")[2:4])
        if name in self._hub.repositories:
            self._send(200, {"id": name, "sha": COMMIT, "siblings": []})
        else:
            self._send(404, {}, "RepoNotFound")

    def do_PUT(self) -> None:
        content = self._body()
        self._hub.objects[hashlib.sha256(content).hexdigest()] = content
        self._send(200, {})

    def do_POST(self) -> None:
        path, body = self._path(), self._body()
        if path != "api/validate-yaml" and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._send(401, {"error": "Invalid username or password."})
        elif path == "api/validate-yaml":
            self._send(200, {"warnings": []})
        elif path == "api/repos/create":
            self._create(json.loads(body))
        elif path.endswith("/info/lfs/objects/batch"):
            self._batch(json.loads(body))
        elif (name := "/".join(path.split("/")[2:4])) not in self._hub.repositories:
            self._send(404, {}, "RepoNotFound")
        elif "/preupload/" in path:
            files = [file["path"] for file in json.loads(body)["files"]]
            modes = [{"path": file, "uploadMode": _mode(file), "shouldIgnore": False, "oid": None} for file in files]
            self._send(200, {"files": modes})
        else:
            self._commit(name, [json.loads(line) for line in body.splitlines()])

    def _create(self, asked: dict[str, object]) -> None:
        name = f"{asked['organization']}/{asked['name']}"
        if asked["organization"] != self._hub.owner:
            self._send(403, {"error": "You don't have the rights to create a model under this namespace"})
        elif name in self._hub.repositories:
            self._send(409, {"error": "You already created this model repo"})
        else:
            self._hub.repositories[name] = {}
            self._hub.kinds[name] = str(asked.get("type", "model"))
            self._hub.private[name] = asked.get("visibility") == "private"
            self._send(200, {"url": f"{self._hub.address}/{name}", "id": "1"})

    def _batch(self, asked: dict[str, list[dict[str, object]]]) -> None:
        found = [
            {**each, "actions": {"upload": {"href": f"{self._hub.address}/objects/{each['oid']}"}}}
            for each in asked["objects"]
        ]
        self._send(200, {"transfer": "basic", "objects": found})

    def _commit(self, name: str, lines: list[dict[str, dict[str, str]]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":  # type: ignore[comparison-overlap]  # a text beside the object
                self._hub.repositories[name][value["path"]] = base64.b64decode(value["content"])
            if line["key"] == "lfsFile":  # type: ignore[comparison-overlap]
                self._hub.repositories[name][value["path"]] = self._hub.objects[value["oid"]]
        url = f"{self._hub.address}/{name}/commit/{COMMIT}"
        self._send(200, {"success": True, "commitOid": COMMIT, "commitUrl": url})

    def _path(self) -> str:
        return urlparse(self.path).path.strip("/")

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = []
        while size := int(self.rfile.readline(), 16):
            found.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(found)

    def _send(self, status: int, found: object, error: str = "") -> None:
        body = json.dumps(found).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if error:
            self.send_header("X-Error-Code", error)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _mode(file: str) -> str:
    return "lfs" if file.endswith(_LARGE) else "regular"
