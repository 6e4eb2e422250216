"""Asking an endpoint: what goes over the wire, and a sentence for everything that goes wrong."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest

from core.errors import TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.completions import Completion, FirstToken
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints_file import Api
from tests.unit.core.models.llm.scripted import Body, Reply, completion, listing, refusal, serving, stream, text

KEY = "sk-a-secret-of-nobody"
AT_ONCE = {"retry-after-ms": "1"}


def first_token(url: str, special_tokens: bool = False) -> FirstToken:
    return EndpointClient(Endpoint(url, KEY, wait_s=0.0)).first_token(
        "Judge.", "Is it?", FirstTokens("m", 5, special_tokens=special_tokens)
    )


def test_the_most_likely_first_tokens_are_told_with_their_probabilities() -> None:
    with serving(lambda _path, _body: completion({"Yes": 0.75, "No": 0.25}, read=12)) as endpoint:
        told = first_token(endpoint.url)
    assert told.tokens == ("Yes", "No")
    assert told.probabilities == pytest.approx((0.75, 0.25))
    assert told.prompt_tokens == 12


def test_one_token_is_asked_for_without_sampling() -> None:
    with serving(lambda _path, _body: completion({"Yes": 1.0})) as endpoint:
        first_token(endpoint.url)
    [(path, body)] = endpoint.asked
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Is it?"}],
        "temperature": 0,
        "max_tokens": 1,
        "logprobs": True,
        "top_logprobs": 5,
    }
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_the_first_token_of_a_model_without_temperature_is_asked_for_without_one() -> None:
    with serving(lambda _path, _body: completion({"Yes": 1.0})) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, KEY, leave_out=("temperature",)))
        client.first_token("Judge.", "Is it?", FirstTokens("m", 5))
    assert "temperature" not in endpoint.asked[0][1]


def test_special_tokens_are_asked_for_in_the_way_of_vllm() -> None:
    with serving(lambda _path, _body: completion({"Yes": 1.0})) as endpoint:
        first_token(endpoint.url, special_tokens=True)
    assert endpoint.asked[0][1]["add_special_tokens"] is True


def test_a_key_meant_for_another_server_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(lambda _path, _body: completion({"Yes": 1.0})) as endpoint:
        EndpointClient(Endpoint(endpoint.url, "")).first_token("a", "b", FirstTokens("m", 5))
    assert endpoint.keys == ["Bearer none"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_refusal_for_the_moment_is_repeated(status: int) -> None:
    replies = iter([refusal(status, "later", **AT_ONCE), refusal(status, "later", **AT_ONCE), completion({"Yes": 1.0})])
    with serving(lambda _path, _body: next(replies)) as endpoint:
        assert first_token(endpoint.url).tokens == ("Yes",)
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (refusal(401, f"Incorrect key {KEY}"), "does not accept the key. Set TOUCHSTONE_LLM_API_KEY."),
        (refusal(403, f"Forbidden for {KEY}"), "does not let this key use 'm'. Set TOUCHSTONE_LLM_API_KEY."),
        (refusal(404, "no such model"), "serves no model 'm' or not this path. Set the name that it serves."),
        (refusal(429, "slow down", **AT_ONCE), "has reached its rate limit. Wait and try again."),
        (refusal(400, f"logprobs is too large for {KEY}."), "logprobs is too large for …"),
        (refusal(500, "boom", **AT_ONCE), "failed: Error code: 500 - boom. Ask again later"),
        (Reply(raw=b'{"choices": [{"ind'), "does not answer in the form of OpenAI. Check its address."),
        (Reply(raw=b"<html>", headers={"Content-Type": "text/html"}), "does not answer in the form of OpenAI."),
        (Reply({"choices": []}), "does not answer in the form of OpenAI."),
        (Reply({"detail": "hello"}), "does not answer in the form of OpenAI."),
        (Reply({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes"}}]}), "gives no log-prob"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status),
)
def test_what_goes_wrong_is_said_without_the_key(reply: Reply, sentence: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(lambda _path, _body: reply) as endpoint, pytest.raises(TouchstoneError) as raised:
        first_token(endpoint.url)
    assert str(raised.value).startswith(endpoint.url)
    assert sentence in str(raised.value)
    assert str(raised.value).endswith(".")
    assert raised.value.__cause__ is None
    assert KEY not in str(raised.value) + repr(Endpoint(endpoint.url, KEY)) + caplog.text


def test_a_server_that_is_not_there_is_named() -> None:
    with serving(lambda _path, _body: Reply()) as endpoint:
        url = endpoint.url
    with pytest.raises(TouchstoneError, match=r"cannot be reached. Start the server, or set TOUCHSTONE_LLM_BASE_URL."):
        first_token(url)


def test_tokens_are_counted_by_the_path_of_vllm() -> None:
    with serving(lambda _path, _body: Reply({"count": 3, "max_model_len": 9, "tokens": [1, 2, 3]})) as endpoint:
        assert EndpointClient(Endpoint(endpoint.url, KEY)).count_tokens("m", "It rained.") == 3
    assert endpoint.asked == [("/tokenize", {"model": "m", "prompt": "It rained.", "add_special_tokens": False})]


def test_a_server_that_counts_no_tokens_is_named() -> None:
    said = pytest.raises(TouchstoneError, match=r"/tokenize does not count tokens as vLLM does")
    with serving(lambda _path, _body: Reply({"tokens": [1, 2]})) as endpoint, said:
        EndpointClient(Endpoint(endpoint.url, KEY)).count_tokens("m", "It rained.")


@pytest.mark.parametrize(
    ("api", "pages", "queries"),
    [
        (
            "anthropic",
            [{"data": [{"id": "b"}], "has_more": True, "last_id": "b"}, {"data": [{"id": "a"}], "has_more": False}],
            ["", "after_id=b"],
        ),
        (
            "gemini",
            [
                {"models": [{"name": "models/b", "inputTokenLimit": 8}], "nextPageToken": "b"},
                {"models": [{"name": "models/a"}]},
            ],
            ["", "pageToken=b"],
        ),
        (
            "chat",
            [{"data": [{"id": "b"}], "has_more": True, "last_id": "b"}, {"data": [{"id": "a"}]}],
            ["", "after=b"],
        ),
    ],
)
def test_a_list_of_models_is_read_to_its_end(api: Api, pages: list[object], queries: list[str]) -> None:
    with serving(lambda path, _body: Reply(pages[path.count("=")])) as endpoint:
        assert EndpointClient(Endpoint(endpoint.url, KEY, api=api)).models() == ["a", "b"]
    assert [path.partition("?")[2] for path, _ in endpoint.asked] == queries


def test_a_list_of_models_without_an_end_is_left() -> None:
    endless = {"data": [{"id": "m"}], "has_more": True, "last_id": "m"}
    with serving(lambda _path, _body: Reply(endless)) as endpoint:
        assert EndpointClient(Endpoint(endpoint.url, KEY)).models() == ["m"]
    assert len(endpoint.asked) == 100


def test_the_models_of_an_endpoint_are_listed_sorted() -> None:
    with serving(lambda _path, _body: listing("small", "large")) as endpoint:
        assert EndpointClient(Endpoint(endpoint.url, KEY)).models() == ["large", "small"]
    assert endpoint.asked == [("/v1/models", {})]
    assert endpoint.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (refusal(404, "Not Found"), "lists no models: it does not know this path. Check its address."),
        (refusal(401, f"Incorrect key {KEY}"), "does not accept the key. Set TOUCHSTONE_LLM_API_KEY."),
        (Reply({"data": [{"name": "small"}]}), "does not answer in the form of OpenAI."),
        (Reply({"models": []}), "does not answer in the form of OpenAI."),
        (Reply([1]), "does not answer in the form of OpenAI."),
        (Reply(raw=b"<html>", headers={"Content-Type": "text/html"}), "does not answer in the form of OpenAI."),
    ],
    ids=["no path", "key", "no names", "another list", "no object", "a page"],
)
def test_a_server_that_lists_no_models_is_named(reply: Reply, sentence: str) -> None:
    with serving(lambda _path, _body: reply) as endpoint, pytest.raises(TouchstoneError, match=sentence) as raised:
        EndpointClient(Endpoint(endpoint.url, KEY)).models()
    assert KEY not in str(raised.value)


def streamed(reply: Reply) -> Completion:
    with serving(lambda _path, _body: reply) as endpoint:
        told = EndpointClient(Endpoint(endpoint.url, KEY, stream=True)).chat(
            ("Judge.", "Is it?"), Sampling("m", stop="."), ""
        )
    [(_, body)] = endpoint.asked
    assert (body["stream"], body["stream_options"], body["stop"]) == (True, {"include_usage": True}, ".")
    return told


def test_a_stream_is_joined_with_how_it_ended_and_its_usage() -> None:
    assert streamed(stream("It ", "is", ended="length", read=9, written=2)) == Completion("It is", "length", 9, 2)


def test_stream_options_that_a_server_refuses_are_left_out_from_then_on() -> None:
    def reply(_path: str, body: Any) -> Reply:
        return refusal(400, "stream_options is unknown") if "stream_options" in body else stream("Yes.")

    with serving(reply) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, KEY, stream=True))
        assert [client.chat(("Judge.", "Is it?"), Sampling("m"), "").text for _ in range(2)] == ["Yes.", "Yes."]
    assert ["stream_options" in body for _, body in endpoint.asked] == [True, False, False]
    assert all(body["stream"] for _, body in endpoint.asked)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("Requested sample logprobs of 20, which is greater than max allowed: 5", [20, 5, 5]),
        ("Invalid 'top_logprobs': integer above maximum value. Expected a value <= 8, but got 20 instead.", [20, 8, 8]),
        ("top_logprobs is too large", [20, 10, 5, 5]),
    ],
)
def test_fewer_likely_tokens_are_asked_for_from_then_on_where_a_server_gives_fewer(
    words: str, asked: list[int]
) -> None:
    def reply(_path: str, body: Any) -> Reply:
        return refusal(400, words) if body["top_logprobs"] > asked[-1] else completion({"Yes": 1.0})

    with serving(reply) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, KEY))
        for _ in range(2):
            assert client.first_token("Judge.", "Is it?", FirstTokens("m", 20)).tokens == ("Yes",)
    assert [body["top_logprobs"] for _, body in endpoint.asked] == asked


@pytest.mark.slow
def test_a_stream_that_is_not_ended_is_no_answer() -> None:
    with pytest.raises(TouchstoneError, match=r"broke off in the middle of its answer\. Ask again\."):
        streamed(stream("It ", "is", ended=""))


@pytest.mark.slow
def test_a_connection_that_is_lost_in_a_stream_is_no_answer() -> None:
    half = stream("It ", "is")
    cut = Reply(raw=(half.raw or b"")[:200], headers={**half.headers, "Transfer-Encoding": "chunked"})
    with pytest.raises(TouchstoneError, match=r"^http://127\.0\.0\.1"):
        streamed(cut)


def test_a_server_that_streams_unasked_is_named() -> None:
    with (
        serving(lambda _path, _body: stream("It is")) as endpoint,
        pytest.raises(TouchstoneError, match="form of OpenAI"),
    ):
        EndpointClient(Endpoint(endpoint.url, KEY)).chat(("Judge.", "Is it?"), Sampling("m", max_tokens=64), "")


def test_an_answer_that_may_be_long_is_read_whatever_type_it_says_it_has() -> None:
    forms = [text("Yes."), replace(text("Yes."), headers={"Content-Type": "text/plain"}), stream("Yes.")]
    forms.append(replace(forms[-1], headers={"Content-Type": "text/plain"}))
    with serving(lambda _path, _body: forms.pop()) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, KEY))
        answers = [client.chat(("Judge.", "Is it?"), Sampling("m"), "") for _ in range(4)]
    assert {(answer.text, answer.completion_tokens) for answer in answers} == {("Yes.", 3)}
    assert all(body["stream"] is True for _, body in endpoint.asked)


def test_what_is_streamed_without_its_usage_is_asked_for_as_a_whole_from_then_on() -> None:
    def silent(_path: str, body: Body) -> Reply:
        return stream("Yes.", read=0, written=0) if body.get("stream") else text("Yes.")

    with serving(silent) as endpoint:
        client = EndpointClient(Endpoint(endpoint.url, KEY))
        read = [client.chat(("Judge.", "Is it?"), Sampling("m"), "").prompt_tokens for _ in range(3)]
    assert read == [0, 7, 7]


def test_a_named_endpoint_tells_the_field_to_set() -> None:
    with serving(lambda _path, _body: refusal(401, "who?")) as endpoint, pytest.raises(TouchstoneError) as raised:
        EndpointClient(Endpoint(endpoint.url, KEY, name="mini")).models()
    assert "Set key_from under [mini] in the file of TOUCHSTONE_ENDPOINTS. It says: “who?”." in str(raised.value)
