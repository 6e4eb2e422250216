"""Kind "endpoint_chat": a text from an endpoint, how it ended and what it cost, and a sentence for everything that goes wrong."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSettingError, MissingEndpointError, TouchstoneError, UnscorableError
from core.models.llm.chat import Sampling, answer_text, chat_question, first_question
from core.models.llm.endpoints.endpoints import model_fingerprint, resolve_model
from core.models.llm.prompts import Messages
from core.scoring.engine.cache import AnswerCache, cache_key
from core.types import Answer, Question
from tests.drive import answer
from tests.unit.core.models.llm.scripted import CHAT_MODEL, Reply, refusal, serving, stream, text

KEY = "sk-a-secret-of-nobody"
AT_ONCE = {"retry-after": "0.001"}
SHORTLY = 0.5
MESSAGES = Messages("Rewrite.", "It rained.")


@pytest.fixture(autouse=True)
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", KEY)


def asked(monkeypatch: pytest.MonkeyPatch, url: str, one: Question | None = None) -> Answer:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    return answer(one or first_question(MESSAGES, Sampling("m")))


def reply_to(monkeypatch: pytest.MonkeyPatch, reply: Reply) -> Answer:
    with serving(lambda _path, _body: reply) as endpoint:
        return asked(monkeypatch, endpoint.url)


def test_a_text_comes_with_how_it_ended_and_the_tokens_read_and_written(monkeypatch: pytest.MonkeyPatch) -> None:
    told = reply_to(monkeypatch, text("Rain fell.", read=12, written=4))
    assert told == Answer(values=(4.0,), texts=("Rain fell.", "stop"), tokens=12)
    assert answer_text(told) == "Rain fell."


def test_the_wire_carries_messages_and_sampling_and_the_key_in_its_header_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: text("Rain fell.")) as endpoint:
        asked(monkeypatch, endpoint.url, first_question(MESSAGES, Sampling("m", 0.0, 0.5, 64, sample=3)))
    assert endpoint.asked == [
        (
            "/v1/chat/completions",
            {
                "model": "m",
                "messages": [{"role": "system", "content": "Rewrite."}, {"role": "user", "content": "It rained."}],
                "temperature": 0.0,
                "top_p": 0.5,
                "max_tokens": 64,
            },
        )
    ]
    assert endpoint.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_thinks_gets_no_temperature_and_more_tokens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, streamed: bool
) -> None:
    with serving(lambda _path, _body: stream("Rain fell.") if streamed else text("Rain fell.")) as endpoint:
        file = tmp_path / "endpoints.toml"
        file.write_text(
            f'[deep]\nbase_url = "{endpoint.url}"\nreasoning_tokens = 1000\nstream = {str(streamed).lower()}\n'
        )
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(file))
        assert (
            answer_text(answer(first_question(MESSAGES, Sampling("m", 0.0, 0.5, 64, endpoint="deep")))) == "Rain fell."
        )
    [(_, body)] = endpoint.asked
    assert body["max_completion_tokens"] == 1064
    assert not {"temperature", "top_p", "max_tokens"} & body.keys()


def test_a_model_that_refuses_a_temperature_is_told_with_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    said_no = {"message": "Unsupported value.", "param": "temperature", "code": "unsupported_value"}
    with pytest.raises(
        TouchstoneError, match=r"takes no temperature .*Set TOUCHSTONE_LLM_REASONING_TOKENS to its limit"
    ):
        reply_to(monkeypatch, Reply({"error": said_no}, 400))
    monkeypatch.setenv("TOUCHSTONE_LLM_REASONING_TOKENS", "100")
    with pytest.raises(TouchstoneError, match=r"refused the question: .*Unsupported value"):
        reply_to(monkeypatch, Reply({"error": said_no}, 400))


def test_a_longer_conversation_alternates(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: text("Rain fell.")) as endpoint:
        asked(monkeypatch, endpoint.url, chat_question(("Rewrite.", "It rained.", "No.", "Please."), Sampling("m")))
    roles = [message["role"] for message in endpoint.asked[0][1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_schema_is_asked_for_in_the_way_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = json.dumps({"name": "Mark", "schema": {"type": "object"}})
    with serving(lambda _path, _body: text("{}")) as endpoint:
        asked(monkeypatch, endpoint.url, first_question(MESSAGES, Sampling("m"), schema))
    assert endpoint.asked[0][1]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "Mark", "schema": {"type": "object"}, "strict": True},
    }


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_schemas_is_asked_without_from_then_on(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    def reply(_path: str, body: Any) -> Reply:
        return refusal(status, "unknown field response_format") if "response_format" in body else text("{}")

    schema = '{"name": "Mark", "schema": {}}'
    with serving(reply) as endpoint:
        told = [
            asked(monkeypatch, endpoint.url, first_question(MESSAGES, Sampling("m", sample=draw), schema))
            for draw in (0, 1)
        ]
    assert [answer_text(one) for one in told] == ["{}", "{}"]
    forms = [body.get("response_format", {}).get("type") for _, body in endpoint.asked]
    assert forms == ["json_schema", "json_object", None, None]


def test_what_is_refused_with_and_without_a_schema_is_not_the_schemas_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    one = first_question(MESSAGES, Sampling("m"), '{"name": "Mark", "schema": {}}')
    with serving(lambda _path, _body: refusal(400, "too long")) as endpoint:
        for _ in range(2):
            with pytest.raises(TouchstoneError, match="too long"):
                asked(monkeypatch, endpoint.url, one)
    assert ["response_format" in body for _, body in endpoint.asked] == [True, False, True, False]


@pytest.mark.parametrize(
    ("reply", "ended", "sentence"),
    [
        (
            text("Rain fe", ended="length"),
            "length",
            "cut at its limit of tokens. Set max_tokens= higher, or reasoning_tokens .*.*Rain fe",
        ),
        (text(None, refused="I must not."), "refusal", "The model refused. .*I must not."),
        (text("Rain", ended="content_filter"), "filter", "filter blocked the answer. .*Rain"),
        (text(""), "stop", "The answer is empty. The model said nothing."),
        (text(" \n"), "stop", "The answer is empty."),
        (text(None), "stop", "The answer is empty."),
        (text("<think>Hm.</think>\n"), "stop", "Only reasoning came, and no answer. .*<think>Hm.</think>"),
    ],
    ids=["truncated", "refused", "filtered", "empty", "blank", "none", "thoughts only"],
)
def test_what_is_no_answer_is_a_failure_with_what_was_said(
    monkeypatch: pytest.MonkeyPatch, reply: Reply, ended: str, sentence: str
) -> None:
    told = reply_to(monkeypatch, reply)
    assert told.texts[1] == ended
    with pytest.raises(UnscorableError, match=sentence):
        answer_text(told)


def test_thoughts_before_an_answer_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer_text(reply_to(monkeypatch, text("<think>Rain,\nhm.</think>\nRain fell."))) == "Rain fell."


@pytest.mark.parametrize(
    "first",
    [refusal(429, "later", **AT_ONCE), refusal(500, "boom", **AT_ONCE), Reply(dropped=True)],
    ids=["429", "500", "dropped"],
)
def test_what_fails_for_the_moment_is_tried_again(monkeypatch: pytest.MonkeyPatch, first: Reply) -> None:
    replies = iter([first, text("Rain fell.")])
    with serving(lambda _path, _body: next(replies)) as endpoint:
        assert answer_text(asked(monkeypatch, endpoint.url)) == "Rain fell."
    assert len(endpoint.asked) == 2


@pytest.mark.slow
def test_a_slow_answer_is_waited_for_no_longer_than_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    late = threading.Event()

    def reply(_path: str, _body: Any) -> Reply:
        late.wait(20)
        return text("Rain fell.")

    monkeypatch.setenv("TOUCHSTONE_LLM_PATIENCE_S", str(SHORTLY))
    with serving(reply) as endpoint:
        try:
            with pytest.raises(TouchstoneError, match=r"did not answer within 0\.5 s\. Try again .*LLM_PATIENCE_S\."):
                asked(monkeypatch, endpoint.url)
        finally:
            late.set()
    assert len(endpoint.asked) == 1  # the server still works on the first


@pytest.mark.parametrize(
    "reply",
    [
        refusal(401, f"Incorrect key {KEY}"),
        refusal(400, f"{'x' * 270} {KEY} is wrong"),
        refusal(429, f"{KEY} is over its limit", **AT_ONCE),
        refusal(500, f"{KEY} boom", **AT_ONCE),
        Reply(raw=b'{"choices": [{"ind'),
        Reply({"detail": KEY}),
        Reply({"choices": []}),
        Reply({"choices": KEY}),
        Reply({"choices": [{"index": 0}]}),
        Reply({"choices": [{"index": 0, "message": KEY}]}),
    ],
    ids=["401", "400", "429", "500", "broken", "no completion", "no choice", "a text", "no message", "no object"],
)
def test_a_failure_names_the_endpoint_and_nowhere_the_key(
    monkeypatch: pytest.MonkeyPatch, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TOUCHSTONE_LLM_WAIT_S", "0")
    with serving(lambda _path, _body: reply) as endpoint, pytest.raises(TouchstoneError) as raised:
        asked(monkeypatch, endpoint.url)
    assert str(raised.value).startswith(endpoint.url)
    assert raised.value.__cause__ is None
    assert KEY[:8] not in str(raised.value) + caplog.text


@pytest.mark.parametrize("address", ["http://ana:sesame@one.example/v1", "http://one.example/v1?token=sesame"])
def test_an_address_with_a_password_is_refused_and_not_told(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    with pytest.raises(BadSettingError, match=r"set TOUCHSTONE_LLM_API_KEY") as raised:
        asked(monkeypatch, address)
    assert "sesame" not in str(raised.value)


def keys_at(monkeypatch: pytest.MonkeyPatch, url: str, one: Question) -> bytes:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    return cache_key(one, model_fingerprint(CHAT_MODEL), "cpu")


def test_answers_are_kept_apart_by_server_model_and_sample_but_not_by_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = "http://one.example/v1", "http://two.example/v1"
    plain = keys_at(monkeypatch, one, first_question(MESSAGES, Sampling("m")))
    apart = {
        plain,
        keys_at(monkeypatch, other, first_question(MESSAGES, Sampling("m"))),
        keys_at(monkeypatch, one, first_question(MESSAGES, Sampling("n"))),
        keys_at(monkeypatch, one, first_question(MESSAGES, Sampling("m", sample=1))),
        keys_at(monkeypatch, one, first_question(MESSAGES, Sampling("m", temperature=0.5))),
        keys_at(monkeypatch, one, first_question(Messages("Rewrite!", "It rained."), Sampling("m"))),
    }
    assert len(apart) == 6
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "another")
    assert keys_at(monkeypatch, f"{one}/", first_question(MESSAGES, Sampling("m"))) == plain


def test_the_cache_holds_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = first_question(MESSAGES, Sampling("m"))
    with serving(lambda _path, _body: text("Rain fell.")) as endpoint:
        told = asked(monkeypatch, endpoint.url)
        cache = AnswerCache(tmp_path)
        cache.put({keys_at(monkeypatch, endpoint.url, one): told})
        cache.close()
    [file] = tmp_path.glob("answers*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT rest FROM answer").fetchall()
    assert "Rain fell." in rows[0][0]
    assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_the_model_is_the_one_that_is_named_else_the_one_that_is_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://one.example/v1")
    monkeypatch.delenv("TOUCHSTONE_LLM_MODEL", raising=False)
    with pytest.raises(MissingEndpointError, match=r"Set TOUCHSTONE_LLM_MODEL"):
        resolve_model("")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "set")
    assert (resolve_model(""), resolve_model("named")) == ("set", "named")
