"""What a table of the endpoints file sends with every question, and how that stands in signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSettingError, MissingEndpointError
from core.models.llm.chat import Sampling, first_question, sampling_signature
from core.models.llm.endpoints.endpoints import configured_endpoint
from core.models.llm.prompts import Messages
from tests.drive import answer
from tests.unit.core.models.llm.scripted import Endpoint, serving, text

SCHEMA = '{"name": "Mark", "schema": {}}'


def configure(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, *fields: str) -> None:
    lines = "\n".join(["[one]", f'base_url = "{url}"', *fields])
    (folder / "endpoints.toml").write_text(f"{lines}\n", encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(folder / "endpoints.toml"))


def asked(monkeypatch: pytest.MonkeyPatch, folder: Path, *fields: str) -> tuple[Endpoint, Any]:
    with serving(lambda _path, _body: text("{}")) as endpoint:
        configure(monkeypatch, folder, endpoint.url, *fields)
        answer(first_question(Messages("Judge.", "Is it?"), Sampling("m", sample=2, endpoint="one"), SCHEMA))
    return endpoint, endpoint.asked[0][1]


def test_body_query_and_seed_of_an_endpoint_are_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    endpoint, body = asked(
        monkeypatch,
        tmp_path,
        "seed = 5",
        "extra_body = {chat_template_kwargs = {enable_thinking = false}}",
        'query = {api-version = "preview"}',
    )
    assert endpoint.asked[0][0] == "/v1/chat/completions?api-version=preview"
    assert (body["seed"], body["chat_template_kwargs"]) == (7, {"enable_thinking": False})


def test_a_key_may_go_in_a_header_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_KEY", "sk-a-secret-of-nobody")
    endpoint, _ = asked(monkeypatch, tmp_path, 'key_from = "A_KEY"', 'key_header = "api-key"')
    assert endpoint.keys == [""]
    assert endpoint.headers[0]["api-key"] == "sk-a-secret-of-nobody"


def test_a_header_may_name_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_TITLE", "secret title")
    fields = 'headers = {X-Title = "$A_TITLE", X-Plain = "yes"}'
    endpoint, _ = asked(monkeypatch, tmp_path, fields)
    assert (endpoint.headers[0]["X-Title"], endpoint.headers[0]["X-Plain"]) == ("secret title", "yes")
    assert "secret title" not in repr(configured_endpoint("one"))
    monkeypatch.delenv("A_TITLE")
    with pytest.raises(MissingEndpointError, match="headers name A_TITLE, which is not set"):
        configured_endpoint("one")


def test_what_is_left_out_is_not_sent_and_the_signature_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, body = asked(monkeypatch, tmp_path, 'leave_out = ["top_p"]', "system_role = false", 'structured = "json_object"')
    assert "top_p" not in body
    assert body["messages"] == [{"role": "user", "content": "Judge.\n\nIs it?"}]
    assert body["response_format"] == {"type": "json_object"}
    assert sampling_signature(Sampling("m", endpoint="one")) == "temperature:0|top_p:its own|max_tokens:2048"


def test_no_form_of_answers_is_asked_for_where_that_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "response_format" not in asked(monkeypatch, tmp_path, 'structured = "none"')[1]


def test_what_changes_answers_changes_the_fingerprint_and_a_budget_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prints = []
    for field in ("", "seed = 1", "extra_body = {a = 1}", 'leave_out = ["temperature"]', 'query = {a = "1"}'):
        configure(monkeypatch, tmp_path, "http://one.example/v1", field)
        prints.append(configured_endpoint("one").fingerprint)
    assert len(set(prints)) == len(prints)
    configure(monkeypatch, tmp_path, "http://one.example/v1", "budget = 5", 'structured = "none"')
    assert configured_endpoint("one").fingerprint == prints[0]


@pytest.mark.parametrize(
    "field", ['leave_out = ["max_tokens"]', 'structured = "xml"', "headers = {a = 1}", "total_s = 0"]
)
def test_a_field_of_no_such_value_is_refused_with_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, field: str
) -> None:
    configure(monkeypatch, tmp_path, "http://one.example/v1", field)
    with pytest.raises(BadSettingError, match=rf"\[one\]: {field.split()[0]}"):
        configured_endpoint("one")
