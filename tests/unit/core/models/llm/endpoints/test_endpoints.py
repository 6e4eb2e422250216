"""Which endpoints are configured: from variables, from a file, with their keys in neither."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from core.errors import BadSettingError, MissingEndpointError, TouchstoneError, UnknownNameError
from core.model_reference import EndpointModel
from core.models.llm.endpoints.endpoint import Endpoint, Price
from core.models.llm.endpoints.endpoints import (
    configured_endpoint,
    endpoint_of,
    endpoint_problem,
    list_endpoints,
    model_problem,
    pin_address,
    resolve_model,
)
from core.models.llm.endpoints.endpoints_file import EndpointEntry
from core.settings import Settings

KEY = "sk-a-secret-of-nobody"
TWO = """
[mini]
base_url = "https://one.example/v1/"
key_from = "ONE_KEY"
model = "small"
at_once = 3
patience_s = 5
retries = 4
stream = true
reasoning_tokens = 1024
price_read = 0.15
price_written = 0.6
budget = 2

[local]
base_url = "http://localhost:8000/v1"
"""


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the machine and no .env of the working folder."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "endpoints.toml"
    path.write_text(TWO)
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(path))
    monkeypatch.setenv("ONE_KEY", KEY)
    return path


@pytest.mark.usefixtures("file")
def test_a_table_of_the_file_is_an_endpoint() -> None:
    assert configured_endpoint("mini") == Endpoint(
        "https://one.example/v1",
        KEY,
        patience_s=5,
        name="mini",
        model="small",
        at_once=3,
        retries=4,
        stream=True,
        reasoning_tokens=1024,
        price=Price(0.15, 0.6),
        budget=2,
    )
    assert configured_endpoint("local") == Endpoint("http://localhost:8000/v1", "", name="local")


@pytest.mark.parametrize("tokens", ["thoughts = 1024", "thoughts = 5\nreasoning_tokens = 1024"])
def test_the_former_name_of_a_field_counts_with_a_warning_and_the_new_one_overrules_it(
    file: Path, tokens: str, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text(TWO.replace("reasoning_tokens = 1024", tokens))
    endpoint = configured_endpoint("mini")
    assert endpoint.reasoning_tokens == 1024
    configured_endpoint("mini")
    assert [record.getMessage() for record in caplog.records] == [
        f"{file}, [mini]: thoughts is now reasoning_tokens; version 0.2 refuses the former name."
    ]


def test_a_key_is_read_from_the_file_of_variables_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONE_KEY")
    (file.parent / ".env").write_text(f"ONE_KEY={KEY}\n")
    assert configured_endpoint("mini").key == KEY
    assert KEY not in repr(configured_endpoint("mini"))


@pytest.mark.usefixtures("file")
def test_the_default_endpoint_stands_before_those_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://default.example/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "3")
    assert [one.title for one in list_endpoints() if isinstance(one, Endpoint)] == ["default", "mini", "local"]
    assert configured_endpoint().price == Price(3, 0)


def test_one_that_cannot_be_used_says_why_and_leaves_the_others(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONE_KEY")
    told, local = list_endpoints()
    assert told == f"{file}, [mini]: key_from names ONE_KEY, which is not set. Set it in the environment or in .env."
    assert isinstance(local, Endpoint)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[mini", "is no TOML: "),
        ("key = 'sk-a-secret'", ": key is outside of a table. Write [name] above it."),
        ("[mini]\nkey = 'sk-a-secret'", "[mini]: key is not read, as keys do not belong into this file."),
        ("[mini]\nmodel = 'm'", "[mini]: base_url: Field required. Known fields: base_url, key_from, model,"),
        ("[mini]\nbase_url = 'http://a.b/v1'\nprices = 1", "[mini]: prices: Extra inputs are not permitted."),
        ("[mini]\nbase_url = 'http://a.b/v1'\nat_once = 0", "[mini]: at_once: Input should be greater than or equal"),
        ("[mini]\nbase_url = 'http://a.b/v1'\nprice_read = '1'", "[mini]: price_read: Input should be a valid number"),
        ("['a b']\nbase_url = 'http://a.b/v1'", "[a b]: name: String should match pattern"),
        ("[mini]\nbase_url = 'a.b'", "[mini]: base_url is no address of a server. Write it as http://"),
        ("[mini]\nbase_url = 'http://ana:sk-a-secret@a.b'", "[mini]: base_url holds a password or a query"),
    ],
)
def test_what_is_wrong_is_said_with_file_table_and_field(file: Path, text: str, sentence: str) -> None:
    file.write_text(text)
    with pytest.raises(BadSettingError) as raised:
        configured_endpoint("mini")
    assert str(raised.value).startswith(str(file))
    assert sentence in str(raised.value)
    assert "sk-a-secret" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(file: Path) -> None:
    file.unlink()
    with pytest.raises(BadSettingError, match=r"TOUCHSTONE_ENDPOINTS names .*No such file.* unset the variable\."):
        list_endpoints()


@pytest.mark.usefixtures("file")
def test_a_name_that_the_file_does_not_hold_is_told_with_those_that_it_does() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'mini'\? Known: local, mini\."):
        configured_endpoint("minni")


def test_a_name_without_a_file_says_what_to_set() -> None:
    with pytest.raises(
        MissingEndpointError, match=r"TOUCHSTONE_ENDPOINTS names no file\. Set it to a TOML file with \[mini\]"
    ):
        configured_endpoint("mini")


@pytest.mark.usefixtures("file")
def test_each_endpoint_has_its_own_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://default.example/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "of the default one")
    assert [resolve_model("", ""), resolve_model("", "mini"), resolve_model(" named ", "mini")] == [
        "of the default one",
        "small",
        "named",
    ]
    with pytest.raises(MissingEndpointError, match=r"Set model under \[local\] in .* or model=…\."):
        resolve_model("", "local")


@pytest.mark.usefixtures("file")
def test_where_no_variable_names_an_endpoint_the_first_of_the_file_is_asked_under_its_name() -> None:
    assert configured_endpoint() == configured_endpoint("mini")
    assert resolve_model("") == "small"
    assert pin_address(EndpointModel("", "endpoint_chat")) == pin_address(EndpointModel("mini", "endpoint_chat"))


def test_what_was_enqueued_for_one_address_is_not_asked_of_another(file: Path) -> None:
    fixed = pin_address(EndpointModel("local", "endpoint_chat"))
    file.write_text(TWO.replace("localhost", "elsewhere"))
    with pytest.raises(TouchstoneError, match=r"'local' was changed while this question waited for http"):
        endpoint_of(fixed)


@pytest.mark.usefixtures("file")
def test_a_model_that_is_pinned_stays_where_it_was() -> None:
    fixed = EndpointModel("mini", "endpoint_chat", "https://one.example/v1")
    assert pin_address(fixed) == fixed


def test_what_is_missing_is_said_of_the_endpoint_then_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Set TOUCHSTONE_LLM_BASE_URL" in model_problem(EndpointModel("", "endpoint_chat"))
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://default.example/v1")
    assert endpoint_problem() == ""
    assert "Set TOUCHSTONE_LLM_MODEL" in model_problem(EndpointModel("", "endpoint_chat"))
    assert model_problem(EndpointModel("", "endpoint_logprobs")) == ""  # its questions name their model
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    assert model_problem(EndpointModel("", "endpoint_chat")) == ""


def test_an_endpoint_that_a_table_says_nothing_of_is_as_one_of_the_code() -> None:
    in_code = {field.name: field.default for field in fields(Endpoint) if field.default is not MISSING}
    in_table = {name: field.default for name, field in EndpointEntry.model_fields.items() if not field.is_required()}
    shared = in_code.keys() & in_table.keys()
    assert len(shared) > 15
    converted = {"extra_body", "headers", "query", "leave_out"}  # a table in the file, hashable in the code
    assert {name: in_code[name] for name in shared - converted} == {name: in_table[name] for name in shared - converted}
