"""The first value of a field goes to the browser with the field: one in session state is lost where its run is overtaken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.types import Verdict
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from tests.unit.pages.views.states import fill_record, record_values, state_of

Open = Callable[..., AppTest]
EDIT = {"original_text": "Tuesday", "replace_text": "Friday", "explanation": "The document says Tuesday."}


def first_value(app: AppTest, label: str) -> str:
    """What the browser shows in a field before anybody writes there, whatever else reaches it."""
    [box] = [box for box in [*app.text_input, *app.text_area] if box.label == label]
    default: str = box.proto.default
    return default


def test_the_fields_of_probe_begin_with_the_name_and_the_explanation(
    probe: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_USER", "Ada")
    app = probe()
    app.text_area(key=ProbeState.edit_json.key).set_value(json.dumps(EDIT))
    app.button(key="execute").click().run()
    assert first_value(app, "Recorded as") == "Ada"
    assert first_value(app, "Explanation") == EDIT["explanation"]


def test_a_prompt_begins_as_a_draft_of_ours(open_page: Open) -> None:
    app = open_page("metrics", prompt="all").run()
    assert "-mine\n" in first_value(app, "The file: head, system part, user part")


def test_a_new_endpoint_begins_with_the_first_server(open_page: Open) -> None:
    app = open_page("metrics").run()
    assert first_value(app, "Name") == "vllm"
    assert first_value(app, "Address").startswith("http://localhost")


def test_another_summary_has_fields_of_its_own_in_the_record_form(probe: Open) -> None:
    app = probe()
    fill_record(app, verdict=Verdict.CONSISTENT, note="Sure.")
    assert record_values(app.run(), "verdict", "note") == [Verdict.CONSISTENT, "Sure."]
    before = [field.key for field in app.text_input]
    state_of(app, EditorState, EDITOR_KEY).doc_rev += 1  # as when another summary is opened
    assert record_values(app.run(), "verdict", "note") == [None, ""]
    assert {key for key in before if key and key.startswith("note")}.isdisjoint(field.key for field in app.text_input)
