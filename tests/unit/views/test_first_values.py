"""The first value of a field goes to the browser with the field: one in session state is lost where its run is overtaken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.types import Verdict
from pages.ui.probe.probe_state import ProbeState
from tests.unit.views.states import state_of

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
    app = open_page("prompts").run()
    assert "-mine\n" in first_value(app, "The file: head, system part, user part")


def test_a_new_endpoint_begins_with_the_first_server(open_page: Open) -> None:
    app = open_page("metrics").run()
    assert first_value(app, "Name") == "vllm"
    assert first_value(app, "Address").startswith("http://localhost")


def test_the_record_form_is_emptied_for_another_summary_and_kept_for_this_one(probe: Open) -> None:
    app = probe()
    state = state_of(app, ProbeState)
    app.session_state[ProbeState.verdict.key] = Verdict.CONSISTENT
    assert app.run().session_state[ProbeState.verdict.key] == Verdict.CONSISTENT
    state.labelled_text = None
    assert app.run().session_state[ProbeState.verdict.key] is None
