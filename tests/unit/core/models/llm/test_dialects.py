"""The APIs beside Chat Completions: requests in their form, and the answers that their providers document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSettingError, EndpointUnusableError, TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.completions import Completion
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoints.endpoints import configured_endpoint
from tests.unit.core.models.llm import transcripts as said
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving

KEY = "sk-a-secret-of-nobody"
SCHEMA = '{"name": "Mark", "schema": {"type": "object", "properties": {"score": {"type": "number", "maximum": 100}}}}'
MARK_SCHEMA = {"type": "object", "properties": {"score": {"type": "number", "maximum": 100}}}
APIS = ("responses", "anthropic", "gemini")
Ask = Callable[..., tuple[Completion, Endpoint]]


@contextmanager
def speaking(
    api: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *replies: Reply, fields: tuple[str, ...] = ()
) -> Iterator[tuple[EndpointClient, Endpoint]]:
    """A client of a server that speaks an API, and gives these replies in turn, the last one again and again."""
    left = list(replies)
    with serving(lambda _path, _body: left.pop(0) if len(left) > 1 else left[0]) as server:
        lines = ("[one]", f'base_url = "{server.url}"', f'api = "{api}"', 'key_from = "A_KEY"', "retries = 1", *fields)
        (folder / "endpoints.toml").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(folder / "endpoints.toml"))
        monkeypatch.setenv("A_KEY", KEY)
        yield EndpointClient(configured_endpoint("one")), server


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The completion that a client makes of the replies of a server, and what the server was asked."""

    def ask(
        api: str, *replies: object, fields: tuple[str, ...] = (), schema: str = "", **sampling: Any
    ) -> tuple[Completion, Endpoint]:
        ready = [one if isinstance(one, Reply) else Reply(one) for one in replies]
        with speaking(api, tmp_path, monkeypatch, *ready, fields=fields) as (client, server):
            turns = ("Judge.", "Is it?", "Yes.", "As JSON.")
            return client.chat(turns, Sampling("m", **{"max_tokens": 99, **sampling}), schema), server

    return ask


PLAIN = {
    "responses": said.responses(said.responses_message(said.output_text())),
    "anthropic": said.anthropic(said.ANTHROPIC_TEXT),
    "gemini": said.gemini({"text": said.SAID}),
}


@pytest.mark.parametrize(
    ("api", "reply"),
    [
        *PLAIN.items(),
        (
            "responses",
            said.responses(
                said.RESPONSES_REASONING,
                said.responses_message(said.output_text("Let me look."), phase="commentary"),
                said.responses_message(said.output_text(), phase="final_answer"),
            ),
        ),
        ("anthropic", said.anthropic(said.ANTHROPIC_THINKING, said.ANTHROPIC_TEXT)),
        ("anthropic", said.anthropic({"type": "redacted_thinking", "data": "Eo"}, said.ANTHROPIC_TEXT)),
        ("anthropic", said.anthropic(said.ANTHROPIC_TEXT, stop_reason="stop_sequence", stop_sequence="#")),
        ("gemini", said.gemini(said.GEMINI_THOUGHT, {"text": said.SAID, "thoughtSignature": "EjQK"})),
        ("gemini", said.gemini({"text": "It is "}, {"text": "consistent."})),
    ],
)
def test_an_answer_has_its_text_without_reasoning_and_the_usage(ask: Ask, api: str, reply: object) -> None:
    found, _ = ask(api, reply)
    assert (found.text, found.finish_reason) == (said.SAID, "stop")
    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == (36, 87, 12)


@pytest.mark.parametrize(
    ("api", "reply", "ended"),
    [
        (
            "responses",
            said.responses(
                said.responses_message(said.output_text(), status="incomplete"),
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            "length",
        ),
        (
            "responses",
            said.responses(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "filter",
        ),
        ("responses", said.responses(said.RESPONSES_REASONING), "reasoning"),
        ("responses", said.responses(status="cancelled"), "cancelled"),
        ("responses", said.responses(said.responses_message({"type": "refusal", "refusal": "No."})), "refusal"),
        ("anthropic", said.anthropic(said.ANTHROPIC_TEXT, stop_reason="max_tokens"), "length"),
        ("anthropic", said.anthropic(stop_reason="refusal", stop_details=None), "refusal"),
        (
            "anthropic",
            said.anthropic(
                stop_reason="refusal",
                stop_details={"type": "refusal", "category": "bio", "explanation": "It may harm."},
            ),
            "refusal",
        ),
        ("anthropic", said.anthropic(said.ANTHROPIC_TEXT, stop_reason="pause_turn"), "pause_turn"),
        (
            "anthropic",
            said.anthropic(said.ANTHROPIC_TEXT, stop_reason="model_context_window_exceeded"),
            "model_context_window_exceeded",
        ),
        ("gemini", said.gemini({"text": said.SAID}, finishReason="MAX_TOKENS"), "length"),
        ("gemini", said.gemini({"text": said.SAID}, finishReason="SAFETY"), "filter"),
        ("gemini", said.gemini(finishReason="RECITATION"), "filter"),
        ("gemini", said.gemini({"text": said.SAID}, finishReason="OTHER"), "other"),
        ("gemini", said.GEMINI_BLOCKED, "filter"),
    ],
)
def test_an_answer_that_did_not_come_to_its_end_says_how_it_ended(
    ask: Ask, api: str, reply: object, ended: str
) -> None:
    found, _ = ask(api, reply)
    assert found.finish_reason == ended


def test_a_refusal_keeps_the_words_of_the_server(ask: Ask) -> None:
    found, _ = ask(
        "anthropic",
        said.anthropic(stop_reason="refusal", stop_details={"type": "refusal", "explanation": "It may harm."}),
    )
    assert found.text == "It may harm."


@pytest.mark.parametrize(
    ("api", "place", "shares"),
    [
        ("responses", said.responses_place, {"Yes": 0.75, "No": 0.25}),
        ("gemini", lambda shares: said.gemini_logprobs(shares), {"Yes": 0.75, "No": 0.25}),
    ],
)
def test_the_first_tokens_have_their_probabilities(
    api: str,
    place: Callable[[dict[str, float]], dict[str, Any]],
    shares: dict[str, float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = place(shares)
    reply = (
        said.responses(said.responses_message(said.output_text("Yes", [given])))
        if api == "responses"
        else said.gemini({"text": "Yes"}, **given)
    )
    with speaking(api, tmp_path, monkeypatch, Reply(reply)) as (client, server):
        found = client.first_token("Judge.", "Is it?", FirstTokens("m", 20))
    assert dict(zip(found.tokens, found.probabilities, strict=True)) == pytest.approx(shares)
    body = server.asked[0][1]
    if api == "responses":
        assert (body["include"], body["top_logprobs"]) == (["message.output_text.logprobs"], 20)
        assert body["max_output_tokens"] == 16
    else:
        config = body["generationConfig"]
        assert (config["responseLogprobs"], config["logprobs"], config["maxOutputTokens"]) == (True, 20, 1)


def test_anthropic_is_not_asked_for_log_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        speaking("anthropic", tmp_path, monkeypatch, Reply(PLAIN["anthropic"])) as (client, server),
        pytest.raises(TouchstoneError, match="gives no log-probabilities"),
    ):
        client.first_token("Judge.", "Is it?", FirstTokens("m", 20))
    assert not server.asked


def body_of(ask: Ask, api: str, **options: Any) -> tuple[str, Body, Endpoint]:
    _, server = ask(api, PLAIN[api], **options)
    [(path, body)] = server.asked
    return path, body, server


def test_the_responses_api_is_asked_in_its_form_and_stores_nothing(ask: Ask) -> None:
    path, body, server = body_of(ask, "responses", schema=SCHEMA)
    assert path == "/v1/responses"
    assert body == {
        "model": "m",
        "instructions": "Judge.",
        "input": [
            {"role": "user", "content": "Is it?"},
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": "As JSON."},
        ],
        "store": False,
        "temperature": 0,
        "top_p": 1,
        "max_output_tokens": 99,
        "text": {"format": {"type": "json_schema", "name": "Mark", "schema": MARK_SCHEMA, "strict": True}},
    }
    assert server.keys == [f"Bearer {KEY}"]


def test_anthropic_is_asked_in_its_form_with_its_headers(ask: Ask) -> None:
    path, body, server = body_of(ask, "anthropic", schema=SCHEMA, stop="#")
    assert path == "/v1/messages"
    schema = {"type": "object", "properties": {"score": {"type": "number"}}}
    assert body == {
        "model": "m",
        "system": "Judge.",
        "messages": [
            {"role": "user", "content": "Is it?"},
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": "As JSON."},
        ],
        "temperature": 0,
        "top_p": 1,
        "max_tokens": 99,
        "stop_sequences": ["#"],
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }
    assert (server.headers[0]["x-api-key"], server.headers[0]["anthropic-version"]) == (KEY, "2023-06-01")
    assert server.keys == [""]


def test_gemini_is_asked_in_its_form_with_its_header(ask: Ask) -> None:
    path, body, server = body_of(ask, "gemini", schema=SCHEMA, stop="#", fields=("seed = 5",))
    assert path == "/v1/models/m:generateContent"
    assert body == {
        "systemInstruction": {"parts": [{"text": "Judge."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Is it?"}]},
            {"role": "model", "parts": [{"text": "Yes."}]},
            {"role": "user", "parts": [{"text": "As JSON."}]},
        ],
        "generationConfig": {
            "temperature": 0,
            "topP": 1,
            "seed": 5,
            "maxOutputTokens": 99,
            "stopSequences": ["#"],
            "responseMimeType": "application/json",
            "responseJsonSchema": MARK_SCHEMA,
        },
    }
    assert server.headers[0]["x-goog-api-key"] == KEY
    assert server.keys == [""]


@pytest.mark.parametrize(
    ("api", "extra", "place"),
    [
        ("responses", "{text = {verbosity = 'low'}}", ("text", "verbosity")),
        ("anthropic", "{output_config = {effort = 'low'}}", ("output_config", "effort")),
        ("gemini", "{generationConfig = {mediaResolution = 'low'}}", ("generationConfig", "mediaResolution")),
    ],
)
def test_further_fields_of_an_endpoint_join_those_of_the_api(
    ask: Ask, api: str, extra: str, place: tuple[str, str]
) -> None:
    _, body, _ = body_of(ask, api, schema=SCHEMA, fields=(f"extra_body = {extra}",))
    assert body[place[0]][place[1]] == "low"
    assert len(body[place[0]]) > 1


@pytest.mark.parametrize(
    ("api", "reply", "message"),
    [
        (
            "anthropic",
            Reply(said.anthropic_error("authentication_error", "invalid x-api-key"), 401),
            "does not accept the key. Set key_from .* It says: “invalid x-api-key”",
        ),
        (
            "anthropic",
            Reply(said.anthropic_error("not_found_error", "model: m"), 404),
            "serves no model 'm' .* It says: “model: m”",
        ),
        (
            "anthropic",
            Reply(
                said.anthropic_error("invalid_request_error", "Your credit balance is too low to access the API."), 400
            ),
            "wants money.* It says: “Your credit balance is too low",
        ),
        ("gemini", Reply(said.GEMINI_KEY_REFUSED, 400), "does not accept the key.* It says: “API key not valid"),
        (
            "gemini",
            Reply([said.gemini_error(404, "models/m is not found for API version v1beta", "NOT_FOUND")], 404),
            "serves no model 'm' .* It says: “models/m is not found",
        ),
        (
            "responses",
            Reply({"error": {"message": "Incorrect API key provided: sk-…", "type": "invalid_request_error"}}, 401),
            "does not accept the key.* It says: “Incorrect API key provided",
        ),
    ],
)
def test_an_endpoint_that_refuses_everything_is_given_up_with_its_words(
    ask: Ask, api: str, reply: Reply, message: str
) -> None:
    with pytest.raises(EndpointUnusableError, match=message) as error:
        ask(api, reply, schema=SCHEMA)
    assert KEY not in str(error.value)


@pytest.mark.parametrize(
    ("api", "reply"),
    [
        ("anthropic", Reply(said.anthropic_error("overloaded_error", "Overloaded"), 529)),
        ("anthropic", Reply(said.anthropic_error("rate_limit_error", "Slow down."), 429, headers={"retry-after": "0"})),
        ("gemini", Reply(said.gemini_error(503, "The model is overloaded.", "UNAVAILABLE"), 503)),
        ("gemini", Reply(said.GEMINI_RATE_REFUSED, 429)),
    ],
)
def test_a_question_is_asked_again_where_the_server_is_busy(ask: Ask, api: str, reply: Reply) -> None:
    found, server = ask(api, reply, PLAIN[api])
    assert found.text == said.SAID
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("api", "reply", "left_out"),
    [
        (
            "anthropic",
            said.anthropic_error(
                "invalid_request_error",
                "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
            ),
            "top_p",
        ),
        (
            "anthropic",
            said.anthropic_error("invalid_request_error", "output_config: Extra inputs are not permitted"),
            "output_config",
        ),
        (
            "responses",
            {
                "error": {
                    "message": "Unsupported parameter: 'top_p' is not supported with this model.",
                    "type": "invalid_request_error",
                    "param": "top_p",
                    "code": None,
                }
            },
            "top_p",
        ),
    ],
)
def test_a_part_that_is_refused_is_left_out(ask: Ask, api: str, reply: object, left_out: str) -> None:
    found, server = ask(api, Reply(reply, 400), PLAIN[api], schema=SCHEMA)
    assert found.text == said.SAID
    [(_, first), (_, second)] = server.asked
    assert first.keys() - second.keys() == {left_out}


def test_a_failure_inside_of_a_response_is_told_in_the_words_of_the_server(ask: Ask) -> None:
    failed = said.responses(status="failed", error={"code": "server_error", "message": "The model broke down."})
    with pytest.raises(TouchstoneError, match=r"refused the question: The model broke down"):
        ask("responses", failed)


@pytest.mark.parametrize("api", APIS)
def test_an_answer_of_another_api_is_no_answer(ask: Ask, api: str) -> None:
    with pytest.raises(TouchstoneError, match="does not answer in the form of"):
        ask(api, {"answer": "Yes."})


@pytest.mark.parametrize(("api", "header"), [("anthropic", "x-api-key"), ("gemini", "x-goog-api-key")])
def test_a_redirect_to_another_server_takes_no_key_along(
    api: str, header: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda _path, _body: Reply(PLAIN[api])) as other:
        moved = Reply({}, 307, headers={"Location": f"{other.url}/elsewhere"})
        with speaking(api, tmp_path, monkeypatch, moved) as (client, _):
            client.chat(("Judge.", "Is it?"), Sampling("m"), "")
        assert header not in other.headers[0]
        assert other.keys == [""]


@pytest.mark.parametrize(
    ("api", "listed"),
    [
        ("anthropic", {"data": [{"type": "model", "id": "m", "display_name": "M"}], "has_more": False}),
        ("gemini", {"models": [{"name": "models/m", "version": "1", "inputTokenLimit": 1048576}]}),
    ],
)
def test_models_are_listed(api: str, listed: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with speaking(api, tmp_path, monkeypatch, Reply(listed)) as (client, _):
        assert client.models() == ["m"]


@pytest.mark.parametrize(
    ("api", "field", "message"),
    [
        ("anthropic", "stream = true", r"\]: stream is for api"),
        ("anthropic", "seed = 1", "takes no seed"),
        ("responses", "seed = 1", "takes no seed"),
        ("messages", "", "'chat', 'responses', 'anthropic' or 'gemini'"),
    ],
)
def test_a_setting_that_the_api_has_not_is_refused(
    api: str, field: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pytest.raises(BadSettingError, match=message),
        speaking(api, tmp_path, monkeypatch, Reply(), fields=(field,)),
    ):
        pass


def test_the_api_is_part_of_the_address_of_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with speaking("anthropic", tmp_path, monkeypatch, Reply()) as (_, server):
        assert configured_endpoint("one").address == f"{server.url}#api=anthropic"
    with speaking("chat", tmp_path, monkeypatch, Reply()) as (_, server):
        assert configured_endpoint("one").address == server.url
