"""An endpoint that is typed is tested by a few questions, asked until the process ends, and never written with its key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import BadSettingError, MissingEndpointError, UnknownNameError
from core.models.llm.endpoint_setup import PRESETS, check_endpoint, endpoint_table, probed_fields
from core.models.llm.endpoints.capabilities import capability_store
from core.models.llm.endpoints.endpoints import (
    add_endpoint,
    configured_endpoint,
    is_added,
    list_endpoints,
    remove_endpoint,
    typed_endpoint,
)
from core.models.llm.endpoints.endpoints_file import read_further_fields
from tests.unit.core.models.llm.scripted import Body, Reply, completion, refusal, serving, text

FIELDS = {"name": "mine", "base_url": "http://localhost:8000/v1/", "model": "small"}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "ENDPOINTS"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}", "")
    yield
    remove_endpoint("mine")


def test_an_added_endpoint_is_asked_by_its_name_and_as_the_default_one_until_it_is_removed() -> None:
    typed = typed_endpoint(FIELDS, "sk-typed")
    with pytest.raises(MissingEndpointError):
        configured_endpoint("mine")
    add_endpoint(typed)
    assert configured_endpoint("mine") == configured_endpoint() == typed
    assert list_endpoints() == [typed]
    assert is_added("mine")
    assert (typed.base_url, typed.key) == ("http://localhost:8000/v1", "sk-typed")
    assert "sk-typed" not in repr(typed)
    remove_endpoint("mine")
    with pytest.raises(MissingEndpointError):
        configured_endpoint()


def test_a_name_of_the_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "endpoints.toml"
    file.write_text('[mine]\nbase_url = "http://localhost:1/v1"\n')
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(file))
    with pytest.raises(BadSettingError, match="has an endpoint named mine already"):
        add_endpoint(typed_endpoint(FIELDS, ""))
    with pytest.raises(UnknownNameError):
        configured_endpoint("other")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", "my server", "name: "),
        ("base_url", "localhost:8000", "no address of a server"),
        ("base_url", "https://me:pass@host/v1", "holds a password"),
        ("model", " ", "Name the model"),
    ],
)
def test_what_is_typed_wrong_is_named(field: str, value: str, says: str) -> None:
    with pytest.raises(BadSettingError, match=says) as caught:
        typed_endpoint({**FIELDS, field: value}, "sk-typed")
    assert "sk-typed" not in str(caught.value)


def test_a_key_comes_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingEndpointError, match="names ONE_KEY, which is not set"):
        typed_endpoint({**FIELDS, "key_from": "ONE_KEY"}, "")
    monkeypatch.setenv("ONE_KEY", "sk-variable")
    typed = typed_endpoint({**FIELDS, "key_from": "ONE_KEY"}, "")
    assert typed.key == "sk-variable"
    table = endpoint_table(typed, "ONE_KEY")
    assert "sk-variable" not in table
    assert tomllib.loads(table) == {
        "mine": {"base_url": "http://localhost:8000/v1", "model": "small", "key_from": "ONE_KEY"}
    }


def test_every_setting_of_the_file_may_be_typed_and_is_in_the_table_that_keeps_it() -> None:
    typed_lines = 'at_once = 4\nheaders = {X-Title = "mine"}\n\nprice_cached = 0.1\nseed = 5'
    fields = {**FIELDS, "leave_out": ["temperature"], "system_role": False, "structured": "none"}
    typed = typed_endpoint({**fields, **read_further_fields(typed_lines, fields)}, "sk-typed")
    assert (typed.at_once, typed.headers, typed.seed) == (4, (("X-Title", "mine"),), 5)
    assert typed.left_out == {"temperature", "system", "json_schema", "json_object"}
    table = endpoint_table(typed, "", typed_lines)
    assert "sk-typed" not in table
    assert tomllib.loads(table)["mine"] == {
        **{name: value for name, value in fields.items() if name != "name"},
        "base_url": "http://localhost:8000/v1",
        "key_from": "NAME_OF_THE_VARIABLE",
        "at_once": 4,
        "headers": {"X-Title": "mine"},
        "price_cached": 0.1,
        "seed": 5,
    }


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("at_once 4", "are no TOML"),
        ("[headers]", r"Write no \[table\] here"),
        ('api_key = "sk-typed"', "api_key is not read"),
        ('model = "large"', "model has a field of its own in the form"),
    ],
)
def test_further_settings_that_cannot_be_read_are_named(lines: str, says: str) -> None:
    with pytest.raises(BadSettingError, match=says) as caught:
        read_further_fields(lines, FIELDS)
    assert "sk-typed" not in str(caught.value)


def test_a_further_setting_that_is_unknown_is_named() -> None:
    with pytest.raises(BadSettingError, match="at_twice"):
        typed_endpoint({**FIELDS, **read_further_fields("at_twice = 4", FIELDS)}, "")


def able(_path: str, body: Body) -> Reply:
    if body.get("logprobs"):
        return completion({"Yes": 0.9, "No": 0.1})
    return text('{"ready": true}' if "response_format" in body else "ready")


def unable(_path: str, body: Body) -> Reply:
    return text("Certainly!" if "JSON" in body["messages"][1]["content"] else "ready")


@pytest.mark.parametrize(("answer", "works"), [(able, [True, True, True]), (unable, [True, False, False])])
def test_the_test_says_what_an_endpoint_can_do(answer: Callable[[str, Body], Reply], works: list[bool]) -> None:
    with serving(answer) as endpoint:
        found = check_endpoint(typed_endpoint({**FIELDS, "base_url": endpoint.url}, ""))
    assert [one.what for one in found] == ["Answer", "Structured output", "Log-probabilities"]
    assert [one.works for one in found] == works
    assert found[0].message.startswith("“ready” after 0.")


def enforcing(_path: str, body: Body) -> Reply:
    """A server that answers by the schema alone, as grammar-bound ones do."""
    if not (form := body.get("response_format")):
        return text("ready")
    fields = form["json_schema"]["schema"]["properties"]
    return text(json.dumps({name: field.get("const", True) for name, field in fields.items()}))


@pytest.mark.parametrize(
    ("answer", "state", "says"),
    [(enforcing, "enforced", "^Enforced"), (able, "followed", "^Followed where"), (unable, "none", "no complete JSON")],
)
def test_structured_output_is_enforced_or_followed_or_neither(
    answer: Callable[[str, Body], Reply], state: str, says: str
) -> None:
    with serving(answer) as server:
        endpoint = typed_endpoint({**FIELDS, "base_url": server.url}, "")
        finding = check_endpoint(endpoint)[1]
    assert re.search(says, finding.message)
    assert finding.works is (state != "none")
    assert capability_store().get(endpoint, endpoint.model)["shapes"].value == state
    requests = [body["messages"][1]["content"] for _, body in server.asked if "response_format" in body]
    assert "legs_in_pairs" not in requests[0]  # the prompt does not show the shape


def test_a_test_without_an_answer_says_nothing_of_shapes() -> None:
    def broken(_path: str, body: Body) -> Reply:
        return refusal(500, "out of memory") if "response_format" in body else text("ready")

    with serving(broken) as server:
        endpoint = typed_endpoint({**FIELDS, "base_url": server.url}, "")
        assert [finding.works for finding in check_endpoint(endpoint)] == [True, False, False]
    assert "shapes" not in capability_store().get(endpoint, endpoint.model)


def test_the_test_finds_what_the_server_refuses_and_every_call_goes_without_it_then() -> None:
    def strict(_path: str, body: Body) -> Reply:
        if body["messages"][0]["role"] == "system":
            return refusal(400, "System role not supported")
        if body.get("top_logprobs", 0) > 5:
            return refusal(400, "top_logprobs must be at most 5")
        if "response_format" in body:
            return refusal(400, "response_format is unknown")
        return completion({"Yes": 1.0}) if body.get("logprobs") else text('{"ready": true}')

    with serving(strict) as endpoint:
        typed = typed_endpoint({**FIELDS, "base_url": endpoint.url}, "")
        assert all(one.works for one in check_endpoint(typed))
        fields = probed_fields(typed)
        assert fields == {"system_role": False, "structured": "none", "top_logprobs": 5}
        asked = len(endpoint.asked)
        again = typed_endpoint({**FIELDS, "base_url": endpoint.url, **fields}, "")
        assert all(one.works for one in check_endpoint(again))
        posts = [path for path, _ in endpoint.asked[asked:] if path.endswith("/chat/completions")]
        assert len(posts) == 4  # nothing was refused
        assert probed_fields(again) == {}


def test_the_test_of_an_able_server_changes_nothing() -> None:
    with serving(able) as endpoint:
        typed = typed_endpoint({**FIELDS, "base_url": endpoint.url}, "")
        check_endpoint(typed)
        assert probed_fields(typed) == {}


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (
            refusal(401, "Incorrect API key sk-typed provided."),
            "does not accept the key. Set key_from of mine in the form on the Metrics page",
        ),
        (refusal(404, "The model `small` does not exist."), "small"),
        (text(""), "ended (stop) without text"),
        (Reply(raw=b"<html>a proxy</html>"), ""),
        (Reply(dropped=True), ""),
    ],
)
def test_an_endpoint_that_does_not_answer_is_asked_once_and_says_why_without_the_key(reply: Reply, says: str) -> None:
    with serving(lambda _path, _body: reply) as endpoint:
        [found] = check_endpoint(typed_endpoint({**FIELDS, "base_url": endpoint.url}, "sk-typed"))
    assert not found.works
    assert says in found.message
    assert "sk-typed" not in found.message
    assert len(endpoint.asked) == 1


def test_a_preset_is_an_address_that_can_be_asked() -> None:
    for preset in PRESETS[:-1]:
        assert typed_endpoint({"name": "mine", "base_url": preset.base_url, "model": "m"}, "key").base_url


@pytest.mark.parametrize("mode", ["SHARED", "DEMO"])
@pytest.mark.parametrize(
    "named",
    [
        {"key_from": "AWS_SECRET_ACCESS_KEY"},
        {"key_from": "TOUCHSTONE_DATABASE_URL"},
        {"key_from": "touchstone_database_url"},
        {"headers": {"X-Any": "$AWS_SECRET_ACCESS_KEY"}},
    ],
)
def test_a_variable_of_a_server_that_people_share_is_sent_nowhere(
    monkeypatch: pytest.MonkeyPatch, mode: str, named: dict[str, object]
) -> None:
    monkeypatch.setenv(f"TOUCHSTONE_{mode}", "1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-the-server")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://touchstone:a-secret-of-the-server@db/x")
    with (
        serving(lambda _path, _body: text("ready")) as listener,
        pytest.raises(BadSettingError, match=r"may not be named here.*TOUCHSTONE_KEY_.*TOUCHSTONE_ALLOWED_KEYS"),
    ):
        check_endpoint(typed_endpoint({**FIELDS, **named, "base_url": listener.url}, ""))
    assert listener.asked == []


def test_a_variable_that_nobody_set_is_refused_as_one_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_SHARED", "1")
    monkeypatch.delenv("NEVER_SET", raising=False)
    with pytest.raises(BadSettingError, match="NEVER_SET may not be named here"):
        typed_endpoint({**FIELDS, "key_from": "NEVER_SET"}, "")


def test_people_who_share_a_server_name_the_keys_that_its_operator_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_SHARED", "1")
    monkeypatch.setenv("TOUCHSTONE_ALLOWED_KEYS", "OPENAI_API_KEY, OTHER_KEY")
    for variable in ("TOUCHSTONE_KEY_LAB", "OPENAI_API_KEY", "OTHER_KEY"):
        monkeypatch.setenv(variable, f"value of {variable}")
        assert typed_endpoint({**FIELDS, "key_from": variable}, "").key == f"value of {variable}"


def test_a_table_of_the_operators_file_names_any_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "endpoints.toml"
    file.write_text('[mine]\nbase_url = "http://localhost:1/v1"\nkey_from = "LAB_SECRET"\n')
    monkeypatch.setenv("TOUCHSTONE_SHARED", "1")
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(file))
    monkeypatch.setenv("LAB_SECRET", "sk-lab")
    assert configured_endpoint("mine").key == "sk-lab"
