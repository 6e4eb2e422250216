"""Refusals of unknown forms are collected without keys, and written as text for an issue."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.unknown_refusals import issue_text, read_unknown
from core.models.llm.endpoints.endpoint import Endpoint
from core.settings import VERSION
from tests.unit.core.models.llm.scripted import Reply, refusal, serving

KEY = "my-own-key-of-nobody"


def ask(reply: Reply, times: int = 1) -> None:
    with serving(lambda _path, _body: reply) as server:
        endpoint = Endpoint(server.url, KEY, retries=0, headers=(("X-Team", "secret team"),))
        for _ in range(times):
            with suppress(TouchstoneError):
                EndpointClient(endpoint).chat(("a", "b"), Sampling("m"), "")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_an_unknown_refusal_is_an_issue_without_keys(folder: Path) -> None:
    words = f"The weather is bad for {KEY} of secret team, Bearer abcdef, sk-0123456789abcdef"
    ask(refusal(418, words, **{"Retry-After": "7", "Set-Cookie": "session=x"}), times=2)
    [kept] = read_unknown(folder)
    text = issue_text(kept)
    assert text.splitlines()[0] == "### Unknown refusal: status 418 of 127.0.0.1"
    assert f"Touchstone {VERSION}, api chat, model m, 2 times, last on 2" in text
    assert "retry-after: 7" in text
    assert "The weather is bad for … of …, … …" in text
    written = text + "".join(path.read_bytes().decode("utf-8", "replace") for path in folder.iterdir())
    for secret in (KEY, "secret team", "abcdef", "session=x"):
        assert secret not in written


def test_numbers_make_no_new_form_and_repeated_questions_are_left_out(folder: Path) -> None:
    for number in (1, 22):
        ask(Reply({"error": {"message": f"request {number} failed", "input": "the whole document"}}, 400))
    [kept] = read_unknown(folder)
    assert (kept.requests, "document" in kept.body) == (2, False)


@pytest.mark.parametrize(
    "reply", [refusal(429, "slow"), refusal(401, "no"), refusal(404, "no"), Reply(raw=b"<html>", status=502)]
)
def test_a_refusal_of_a_known_form_is_not_collected(folder: Path, reply: Reply) -> None:
    ask(reply)
    assert read_unknown(folder) == []


def test_a_folder_that_cannot_be_written_loses_no_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "file").write_text("no folder")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(folder / "file" / "cache"))
    ask(refusal(418, "The weather is bad"))
    assert "is not kept" in caplog.text
