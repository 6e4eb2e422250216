"""The address of a lesson opens what it is done with, also over what was on the page before."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.ui.lessons import read_lessons
from pages.ui.probe.probe_state import ProbeState
from pages.ui.tour import TourState
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]


def test_a_lesson_opens_its_example_over_another_one(probe: Open) -> None:
    app = probe(example="fiction-clock")
    app.query_params["lesson"] = "noise-band"
    app.run(timeout=60)
    assert not app.exception
    assert state_of(app, TourState).lesson == "noise-band"
    pair = state_of(app, ProbeState).pair
    assert pair
    assert pair.source == read_lessons()["noise-band"].steps[0].query["example"]


def test_a_lesson_that_does_not_exist_is_none(probe: Open) -> None:
    app = probe(lesson="nothing")
    assert not app.exception
    assert state_of(app, TourState).lesson == ""
    assert "lesson" not in app.query_params
