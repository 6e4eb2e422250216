"""The Batch API of OpenAI in the form of its reference, on loopback: files, batches, and whatever a test lets come of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.unit.core.models.llm.scripted import Reply, refusal, text

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Ending:
    """How a batch ends: its status, the bytes of its files, None where it has none, and the errors of its validation."""

    status: str = "completed"
    output: bytes | None = None
    errors: bytes | None = None
    refused: tuple[Mapping[str, object], ...] = ()


def answered(line: Line, content: str | None = None) -> dict[str, object]:
    """A line of the file of answers; the answer repeats the question by default."""
    said = line["body"]["messages"][-1]["content"] if content is None else content
    body = text(said, read=100, written=10).content
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": line["custom_id"], "response": response, "error": None}


def failed(line: Line, code: str, message: str) -> dict[str, object]:
    """A line of the file of errors, of a request that was never made."""
    return {
        "id": "batch_req_2",
        "custom_id": line["custom_id"],
        "response": None,
        "error": {"code": code, "message": message},
    }


def refused(line: Line, status: int, message: str, param: str | None = None) -> dict[str, object]:
    """A line of the file of errors, of a request that was refused."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    response = {"status_code": status, "request_id": "r", "body": {"error": error}}
    return {"id": "batch_req_3", "custom_id": line["custom_id"], "response": response, "error": None}


def jsonl(lines: Iterable[object]) -> bytes:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def all_answered(lines: list[Line]) -> Ending:
    return Ending(output=jsonl(map(answered, lines)))


@dataclass
class BatchServer:
    """Call it with path and body. A batch ends at its `polls`-th look, as `end` says of its lines."""

    end: Callable[[list[Line]], Ending] = all_answered
    polls: int = 1
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    live: int = 0
    """Questions that were not asked by a batch."""

    def __call__(self, path: str, body: Mapping[str, Any]) -> Reply:
        place = path.partition("?")[0].removeprefix("/v1")
        if place == "/files":
            return self._upload(body["form"])
        if place == "/batches":
            return self._create(body) if body else self._list()
        if found := re.fullmatch(r"/batches/(\S+)", place):
            return self._look(found[1])
        if found := re.fullmatch(r"/files/(\S+)/content", place):
            return Reply(raw=self.files[found[1]], headers={"Content-Type": "application/octet-stream"})
        self.live += 1
        return text(body["messages"][-1]["content"])

    def lines(self, batch: str) -> list[Line]:
        """The requests of a batch."""
        return [json.loads(line) for line in self.files[self.batches[batch]["input_file_id"]].splitlines()]

    @property
    def submitted(self) -> list[int]:
        """How many requests each batch has."""
        return [len(self.lines(batch)) for batch in self.batches]

    def _upload(self, form: bytes) -> Reply:
        assert b'name="purpose"\r\n\r\nbatch\r\n' in form
        content = form.split(b'filename="touchstone.jsonl"')[1].split(b"\r\n\r\n", 1)[1].rsplit(b"\r\n--", 2)[0]
        return self._file(content)

    def _file(self, content: bytes) -> Reply:
        id = f"file-{len(self.files)}"
        self.files[id] = content
        return Reply({"id": id, "object": "file", "bytes": len(content), "purpose": "batch", "status": "processed"})

    def _create(self, body: Mapping[str, Any]) -> Reply:
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        id = f"batch_{len(self.batches)}"
        self.batches[id] = {
            "id": id,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            "looks": 0,
        }
        return Reply(self.batches[id])

    def _list(self) -> Reply:
        return Reply({"object": "list", "data": list(self.batches.values())[::-1], "has_more": False})

    def _look(self, id: str) -> Reply:
        if id not in self.batches:
            return refusal(404, f"No batch found with id '{id}'.")
        batch = self.batches[id]
        batch["looks"] += 1
        if batch["status"] in {"validating", "in_progress"}:
            lines = self.lines(id)
            batch |= {"status": "in_progress", "request_counts": {"total": len(lines), "completed": 0, "failed": 0}}
            if batch["looks"] >= self.polls:
                self._finish(batch, self.end(lines))
        return Reply(batch)

    def _finish(self, batch: dict[str, Any], ending: Ending) -> None:
        batch["status"] = ending.status
        files = {"output_file_id": ending.output, "error_file_id": ending.errors}
        done, failed = (len((content or b"").splitlines()) for content in files.values())
        batch["request_counts"] |= {"completed": done, "failed": failed}
        for name, content in files.items():
            if content is not None:
                reply = self._file(content).content
                assert isinstance(reply, dict)
                batch[name] = reply["id"]
        if ending.refused:
            batch["errors"] = {"object": "list", "data": list(ending.refused)}
