"""Capabilities of the models of an endpoint are found once, kept for every process, and give way to what a person wrote."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.errors import TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.client.requests import FirstTokens
from core.models.llm.endpoint_setup import check_endpoint, probed_fields
from core.models.llm.endpoints.capabilities import CapabilityStore, capability_store, format_capabilities, parts_without
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints import typed_endpoint
from tests.unit.core.models.llm.scripted import Body, Reply, completion, refusal, serving, text

SCHEMA = '{"name": "Mark", "schema": {}}'
HERE = Endpoint("http://localhost:8000/v1", "")


def strict(path: str, body: Body) -> Reply:
    """A server that has no system role, gives 5 likely tokens, and takes no schema and no top_p."""
    if path.endswith("/models"):
        return Reply({"data": [{"id": "m", "max_model_len": 4096}, {"id": "other"}]})
    if body["messages"][0]["role"] == "system":
        return refusal(400, "System role not supported")
    for name in ("top_p", "response_format"):
        if name in body:
            return refusal(400, f"{name} is not supported")
    if body.get("top_logprobs", 0) > 5:
        return refusal(400, "top_logprobs must be at most 5")
    return completion({"Yes": 1.0}) if body.get("logprobs") else text('{"ready": true}')


def values(store: CapabilityStore, endpoint: Endpoint, model: str = "m") -> dict[str, object]:
    return {name: one.value for name, one in store.get(endpoint, model).items()}


def chat(client: EndpointClient, **sampling: Any) -> str:
    return client.chat(("Judge.", "Is it?"), Sampling("m", **sampling), SCHEMA).text


def test_what_a_call_finds_is_not_asked_again_by_another_process(tmp_path: Path) -> None:
    file = tmp_path / "capabilities.sqlite"
    with serving(strict) as server:
        chat(EndpointClient(Endpoint(server.url, ""), CapabilityStore(file)))
        asked = len(server.asked)
        store = CapabilityStore(file)
        chat(EndpointClient(Endpoint(server.url, ""), store))
        assert (asked, len(server.asked)) == (5, 6)
        assert values(store, Endpoint(server.url, "")) == {"system_role": False, "top_p": False, "structured": "none"}
        assert {one.source for one in store.get(Endpoint(server.url, ""), "m").values()} == {"call"}


def test_a_form_that_is_left_out_without_being_named_is_tried_again_by_another_process(tmp_path: Path) -> None:
    def nameless(_path: str, body: Body) -> Reply:
        return refusal(400, "Provider returned error") if "response_format" in body else text('{"ready": true}')

    file = tmp_path / "capabilities.sqlite"
    with serving(nameless) as server:
        client = EndpointClient(Endpoint(server.url, ""), CapabilityStore(file))
        chat(client)
        assert (client.left_out("m"), client.left_out("m", SCHEMA)) == (frozenset(), {"json_object"})
        assert values(CapabilityStore(file), Endpoint(server.url, "")) == {}


def limited(_path: str, body: Body) -> Reply:
    """A server that takes schemas without limits of numbers."""
    if "maximum" in json.dumps(body.get("response_format", {})):
        return refusal(400, "Invalid schema for response_format 'Mark': 'maximum' is not permitted.")
    return text('{"ready": true}')


def test_one_refused_schema_is_relaxed_and_said_once_and_others_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, bounded = tmp_path / "capabilities.sqlite", '{"name": "Mark", "schema": {"maximum": 100, "title": "Mark"}}'
    with serving(limited) as server:
        endpoint = Endpoint(server.url, "")
        for _ in range(2):  # as two processes
            client = EndpointClient(endpoint, CapabilityStore(file))
            for schema in (bounded, bounded, SCHEMA):
                client.chat(("Judge.", "Is it?"), Sampling("m"), schema)
        store = CapabilityStore(file)
        assert values(store, endpoint) == {}
        [(title, form)] = store.forms(endpoint, "m").items()
        assert (title.partition("#")[0], form.value, form.source) == ("Mark", "relaxed", "call")
        assert format_capabilities({}, store.forms(endpoint, "m")) == f"structured answers {title}: relaxed"
        schemas = [body["response_format"]["json_schema"]["schema"] for _, body in server.asked]
        assert schemas[0] == {"maximum": 100, "title": "Mark"}
        assert schemas[1:] == [{"title": "Mark"}, {"title": "Mark"}, {}, {"title": "Mark"}, {"title": "Mark"}, {}]
        assert [record.message.partition(": “")[0] for record in caplog.records] == [
            f"{server.url}: m refuses the limits of {title}, and is asked without"
        ]
        store.forget(endpoint, "m", ["structured"])
        assert (store.forms(endpoint, "m"), CapabilityStore(file).forms(endpoint, "m")) == ({}, {})


def test_a_schema_that_is_refused_relaxed_too_is_asked_for_as_json(tmp_path: Path) -> None:
    def picky(_path: str, body: Body) -> Reply:
        form = body.get("response_format", {})
        if form.get("type") == "json_schema" and form["json_schema"]["name"] == "Mark":
            return refusal(400, "Invalid schema for response_format 'Mark': too complex")
        return text('{"ready": true}')

    file = tmp_path / "capabilities.sqlite"
    with serving(picky) as server:
        client = EndpointClient(Endpoint(server.url, ""), CapabilityStore(file))
        for name in ("Mark", "Other", "Mark"):
            schema = json.dumps({"name": name, "schema": {"maximum": 100}})
            client.chat(("Judge.", "Is it?"), Sampling("m"), schema)
        forms = CapabilityStore(file).forms(Endpoint(server.url, ""), "m")
    assert [body["response_format"]["type"] for _, body in server.asked] == [
        *("json_schema", "json_schema", "json_object", "json_schema", "json_object")
    ]
    assert [form.value for form in forms.values()] == ["json_object"]


def test_a_temperature_that_a_model_takes_no_more_is_left_out_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def deprecating(_path: str, body: Body) -> Reply:
        if "temperature" in body:
            return refusal(400, "`temperature` is deprecated for this model.")
        return text('{"ready": true}')

    file = tmp_path / "capabilities.sqlite"
    with serving(deprecating) as server:
        endpoint = Endpoint(server.url, "")
        for _ in range(2):
            chat(EndpointClient(endpoint, CapabilityStore(file)))
        assert len(server.asked) == 3
        assert server.asked[1][1]["max_tokens"] == 2048
        assert values(CapabilityStore(file), endpoint) == {"temperature": False}
    assert len(caplog.records) == 1
    assert "m refuses temperature, and is asked without" in caplog.text


def test_a_gateway_that_names_no_parameter_is_asked_with_fewer(tmp_path: Path) -> None:
    def routing(_path: str, body: Body) -> Reply:
        if body.keys() & {"seed", "response_format"}:
            return refusal(404, "No endpoints found that support the requested parameters. To learn more, visit: …")
        return text('{"ready": true}')

    file = tmp_path / "capabilities.sqlite"
    with serving(routing) as server:
        endpoint = Endpoint(server.url, "", seed=7)
        for _ in range(2):
            chat(EndpointClient(endpoint, CapabilityStore(file)))
        assert len(server.asked) == 6
        found = values(CapabilityStore(file), endpoint)
    assert found == {"top_p": False, "seed": False, "structured": "none"}


def test_another_address_model_or_api_is_another_one(tmp_path: Path) -> None:
    store = CapabilityStore(tmp_path / "capabilities.sqlite")
    store.enter(HERE, "m", {"system_role": False}, "test")
    assert values(store, HERE, "other") == {}
    assert values(store, Endpoint("http://localhost:8001/v1", "")) == {}
    assert values(store, Endpoint(HERE.base_url, "", api="responses")) == {}


@pytest.mark.parametrize("setting", [{"system_role": True}, {"structured": "json_schema"}, {"top_logprobs": 20}])
def test_what_a_person_set_of_an_endpoint_wins_over_what_was_found(setting: dict[str, object]) -> None:
    fields = {"name": "mine", "base_url": HERE.base_url, "model": "m"}
    store = CapabilityStore()
    store.enter(HERE, "m", {"system_role": False, "structured": "none", "top_logprobs": 5}, "test")
    known = store.get(HERE, "m")
    everything = {"system", "json_schema", "json_object", "top_logprobs<=5"}
    parts = {
        "system_role": {"system"},
        "structured": {"json_schema", "json_object"},
        "top_logprobs": {"top_logprobs<=5"},
    }
    [name] = setting
    assert parts_without(known, typed_endpoint(fields, "")) == everything
    assert parts_without(known, typed_endpoint({**fields, **setting}, "")) == everything - parts[name]


def test_an_entry_of_a_person_is_replaced_by_a_person_only() -> None:
    store = CapabilityStore()
    store.enter(HERE, "m", {"structured": "json_object"}, "person")
    store.enter(HERE, "m", {"structured": "none", "system_role": False}, "call")
    store.enter(HERE, "m", {"structured": "none"}, "test")
    assert values(store, HERE) == {"structured": "json_object", "system_role": False}
    store.enter(HERE, "m", {"structured": "none"}, "person")
    assert values(store, HERE)["structured"] == "none"


def test_a_client_goes_by_what_a_person_enters_while_it_runs() -> None:
    store = CapabilityStore()
    with serving(strict) as server:
        endpoint = Endpoint(server.url, "")
        client = EndpointClient(endpoint, store)
        chat(client)
        store.forget(endpoint, "m", ["structured"])
        assert "json_object" not in client.left_out("m")
        store.enter(endpoint, "m", {"structured": "json_object"}, "person")
        assert client.left_out("m") == {"system", "top_p", "json_schema"}


def test_what_was_found_is_found_again_after_a_month_and_what_a_person_entered_stays(tmp_path: Path) -> None:
    file = tmp_path / "capabilities.sqlite"
    store = CapabilityStore(file)
    store.enter(HERE, "m", {"system_role": False, "top_p": False}, "call")
    store.enter(HERE, "m", {"structured": "none"}, "person")
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE capability SET found = ? WHERE name != 'top_p'", (old,))
    assert values(CapabilityStore(file), HERE) == {"top_p": False, "structured": "none"}


def test_a_test_finds_the_limits_and_the_window_and_keeps_them() -> None:
    with serving(strict) as server:
        endpoint = typed_endpoint({"name": "mine", "base_url": server.url, "model": "m"}, "")
        assert all(one.works for one in check_endpoint(endpoint))
        assert values(capability_store(), endpoint) == {
            "system_role": False,
            "structured": "none",
            "shapes": "followed",
            "top_logprobs": 5,
            "temperature": True,
            "top_p": False,
            "max_tokens": True,
            "reasoning": False,
            "usage": True,
            "context": 4096,
        }
        asked = len(server.asked)
        EndpointClient(endpoint).first_token("Judge.", "Is it?", FirstTokens("m", 20))
        assert len(server.asked) == asked + 1


def test_a_test_finds_again_what_was_refused_before() -> None:
    with serving(
        lambda _path, body: completion({"Yes": 1.0}) if body.get("logprobs") else text('{"ready": true}')
    ) as server:
        endpoint = typed_endpoint({"name": "mine", "base_url": server.url, "model": "m"}, "")
        capability_store().enter(endpoint, "m", {"structured": "none", "system_role": False, "top_logprobs": 5}, "call")
        check_endpoint(endpoint)
        found = values(capability_store(), endpoint)
    assert (found["structured"], found["system_role"], found["top_logprobs"]) == ("json_schema", True, 20)


def test_a_test_of_a_model_without_temperature_goes_on_and_proposes_to_leave_it_out() -> None:
    def reasoning(_path: str, body: Body) -> Reply:
        if "temperature" in body:
            return refusal(400, "Unsupported parameter: 'temperature' is not supported with this model.")
        if body.get("logprobs"):
            return refusal(403, "You are not allowed to request logprobs from this model")
        answer = text('{"ready": true}').content
        assert isinstance(answer, dict)
        answer["usage"]["completion_tokens_details"] = {"reasoning_tokens": 12}
        return Reply(answer)

    with serving(reasoning) as server:
        endpoint = typed_endpoint({"name": "mine", "base_url": server.url, "model": "m"}, "")
        findings = check_endpoint(endpoint)
        fields = probed_fields(endpoint)
    assert [one.works for one in findings] == [True, True, False]
    found = values(capability_store(), endpoint)
    assert (found["temperature"], found["reasoning"], found["top_logprobs"]) == (False, True, 0)
    assert fields == {"leave_out": ["temperature", "top_p"]}


def test_a_top_p_that_changes_the_answers_is_not_left_out_for_what_was_found() -> None:
    store = CapabilityStore()
    with serving(strict) as server:
        client = EndpointClient(Endpoint(server.url, "", retries=0), store)
        chat(client)
        with pytest.raises(TouchstoneError, match="top_p"):
            chat(client, temperature=1.0, top_p=0.5)
        assert server.asked[-1][1]["top_p"] == 0.5


def test_a_file_that_cannot_be_read_is_begun_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "capabilities.sqlite"
    file.write_bytes(b"no database" * 200)
    store = CapabilityStore(file)
    assert values(store, HERE) == {}
    assert "is damaged" in caplog.text
    store.enter(HERE, "m", {"top_p": False}, "call")
    assert values(CapabilityStore(file), HERE) == {"top_p": False}


def test_a_folder_that_cannot_be_written_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("no folder")
    with serving(strict) as server:
        client = EndpointClient(Endpoint(server.url, ""), CapabilityStore(tmp_path / "file" / "capabilities.sqlite"))
        assert json.loads(chat(client)) == {"ready": True}
        assert client.left_out("m") == {"system", "top_p", "json_schema", "json_object"}
    assert "is not kept" in caplog.text


def test_what_is_known_is_told_in_words() -> None:
    store = CapabilityStore()
    store.enter(
        HERE, "m", {"usage": True, "context": 131072, "structured": "json_object", "system_role": False}, "test"
    )
    assert format_capabilities(store.get(HERE, "m")) == (
        "structured answers: json_object; system role: no; window, in tokens: 131,072; usage in the answer: yes"
    )
