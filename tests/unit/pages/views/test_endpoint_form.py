"""The form that adds an endpoint takes every setting that the endpoints file has."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from annotations.people.people import Member, Role
from core.models.llm.endpoints.endpoints import configured_endpoint, is_added, remove_endpoint
from pages.ui.metrics import endpoint_list, endpoint_setup
from tests.unit.core.models.llm.scripted import serving, text

Open = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("LLM_BASE_URL", "ENDPOINTS"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}", "")
    yield
    remove_endpoint("vllm")


def added(open_page: Open, further: str) -> AppTest:
    app = open_page("metrics").run()
    app.text_input("new-endpoint-model-vLLM").set_value("small")
    app.multiselect("new-endpoint-leave-out").set_value(["temperature"])
    app.selectbox("new-endpoint-structured").set_value("json_object")
    app.checkbox("new-endpoint-system-role").set_value(False)
    app.text_area("new-endpoint-further").set_value(further)
    return next(button for button in app.button if button.label == "Add").click().run()


def test_what_is_typed_is_asked_and_stands_in_the_table(open_page: Open) -> None:
    app = added(open_page, 'at_once = 3\nheaders = {X-Title = "mine"}')
    endpoint = configured_endpoint("vllm")
    assert (endpoint.at_once, endpoint.headers) == (3, (("X-Title", "mine"),))
    assert endpoint.left_out == {"temperature", "system", "json_schema"}
    [table] = [code.value for code in app.code]
    for line in ('leave_out = ["temperature"]', "system_role = false", 'structured = "json_object"', "at_once = 3"):
        assert line in table


def test_what_cannot_be_read_is_said_and_not_added(open_page: Open) -> None:
    app = added(open_page, "at_twice = 3")
    assert "Extra inputs are not permitted" in app.error[0].value
    assert not is_added("vllm")


@pytest.mark.parametrize("button", ["Test", "Add", "Remove vllm"])
def test_who_is_no_manager_any_more_presses_in_vain(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, button: str
) -> None:
    with serving(lambda _path, _body: text("ready")) as listener:
        app = added(open_page, "at_once = 3") if button.startswith("Remove") else open_page("metrics").run()
        app.text_input("new-endpoint-address-vLLM").set_value(listener.url)
        app.text_input("new-endpoint-model-vLLM").set_value("small")
        before = is_added("vllm")
        for page in (endpoint_setup, endpoint_list):
            monkeypatch.setattr(page, "current_member", lambda: Member("id", "eve", Role.RESEARCHER))
        next(one for one in app.button if one.label == button).click().run()
    assert (listener.asked, is_added("vllm")) == ([], before)


@pytest.mark.parametrize(("query", "unfolded"), [({}, True), ({"metric": "direct-assessment"}, False)])
def test_the_form_of_the_first_endpoint_is_unfolded_but_beside_a_judge(
    open_page: Open, query: dict[str, str], unfolded: bool
) -> None:
    app = open_page("metrics", **query).run()
    assert not app.exception
    [form] = [block for block in app.expander if block.label == "Add an endpoint"]
    assert form.proto.expanded is unfolded
