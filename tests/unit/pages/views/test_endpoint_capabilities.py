"""Capabilities of the model of an endpoint stand on its card, are found by a press, and are entered by a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.models.llm.endpoints.capabilities import capability_store
from core.models.llm.endpoints.endpoints import configured_endpoint
from tests.unit.core.models.llm.endpoints.test_capabilities import strict
from tests.unit.core.models.llm.scripted import Endpoint, serving

Open = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")
    with serving(strict) as running:
        (tmp_path / "endpoints.toml").write_text(
            f'[one]\nbase_url = "{running.url}"\nmodel = "m"\nsystem_role = true\n', encoding="utf-8"
        )
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
        yield running


def opened(open_page: Open) -> AppTest:
    app = open_page("metrics").run()
    assert not app.exception
    return app


def rows(app: AppTest) -> dict[str, tuple[str, str]]:
    [table] = [one.value for one in app.dataframe if "capability" in one.value]
    return {name: (value, by) for name, value, by in table.itertuples(index=False)}


def known() -> dict[str, tuple[object, str]]:
    store = capability_store().get(configured_endpoint("one"), "m")
    return {name: (one.value, one.source) for name, one in store.items()}


def test_a_press_finds_what_the_model_takes(open_page: Open, server: Endpoint) -> None:
    app = opened(open_page)
    assert "Nothing is known yet" in " ".join(one.value for one in app.caption)
    app = app.button("test-one").click().run()
    assert not app.exception
    found = rows(app)
    assert (found["structured answers"][0], found["likely tokens at most"][0], found["top_p"][0]) == ("none", "5", "no")
    assert found["system role"][1].endswith("; its own setting counts")
    assert app.selectbox("capability-one-system_role").disabled
    asked = len(server.asked)
    assert rows(opened(open_page)) == found
    assert len(server.asked) == asked


@pytest.mark.slow
def test_what_a_person_enters_counts_until_it_is_cleared(open_page: Open) -> None:
    app = opened(open_page).button("test-one").click().run()
    app.selectbox("capability-one-structured").set_value("json_object")
    app = next(button for button in app.button if button.label == "Save").click().run()
    assert rows(app)["structured answers"][0] == "json_object"
    assert known()["structured"] == ("json_object", "person")
    app = next(button for button in app.button if button.label == "Forget what was found").click().run()
    assert known() == {"structured": ("json_object", "person")}
    app.selectbox("capability-one-structured").set_value("as found")
    app = next(button for button in app.button if button.label == "Save").click().run()
    assert known() == {}
    assert not app.exception
