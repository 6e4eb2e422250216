"""On a shared server what is kept bears the name of who signed in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import streamlit as st
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from annotations.people.people import Role, add_person
from annotations.people.sign_in import create_invite, start_session
from annotations.store.people_tables import Person
from annotations.store.response_tables import ScoreView
from annotations.store.store import Store
from core.models import SpendTracker
from core.settings import Settings
from core.types import Result
from pages.server.sign_in import SESSION_COOKIE
from pages.ui.probe.probe_state import ProbeState
from tests.doubles.models import PATIENCE_S
from tests.unit.core.models.llm.scripted import serving, text
from tests.unit.pages.views.conftest import FIRST_EXAMPLE
from tests.unit.pages.views.states import fill_record, state_of

Open = Callable[..., AppTest]


@pytest.fixture
def signed_in(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ada has signed in to a shared server."""
    monkeypatch.setenv("TOUCHSTONE_SHARED", "true")
    with store.writing() as session:
        code = create_invite(session, add_person(session, "Ada *L.*", Role.RESEARCHER).id, "boss")
        cookie = start_session(session, code).id
    monkeypatch.setattr(type(st.context), "cookies", {SESSION_COOKIE: cookie})


@pytest.mark.usefixtures("signed_in")
@pytest.mark.parametrize(("budget", "is_answered"), [("0", False), ("5", True)])
def test_questions_to_an_endpoint_are_paid_by_whoever_signed_in(
    open_page: Open, budget: str, is_answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PERSON_BUDGET", budget)
    with serving(lambda *_: text('{"score": 70}')) as endpoint:
        for name, value in {"BASE_URL": endpoint.url, "MODEL": "m", "PRICE_READ": "0", "PRICE_WRITTEN": "1"}.items():
            monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)
        before = SpendTracker(Settings.read().cache_dir).by_person()  # of other tests at the shared cache
        app = open_page("probe", example=FIRST_EXAMPLE)
        state = state_of(app, ProbeState)
        state.metrics, state.score_all = ["direct-assessment"], True
        app.run()
        assert not app.exception
        request = state_of(app, ProbeState).request
        assert request
        outcomes = [task.done.result(PATIENCE_S) for task in request.tasks.values()]
    assert bool(endpoint.asked) is is_answered
    assert all(isinstance(outcome, Result) is is_answered for outcome in outcomes)
    spent = SpendTracker(Settings.read().cache_dir).by_person()
    if is_answered:
        assert spent["Ada *L.*"].questions == len(endpoint.asked)
    else:
        assert spent == before
        assert "Ada *L.* has spent 0.0000 at endpoints, a person of this server may spend 0" in outcomes[0].error


@pytest.mark.usefixtures("signed_in")
def test_a_label_is_recorded_as_whoever_signed_in(probe: Open, store: Store) -> None:
    app = probe()
    assert not app.exception
    assert "Recorded as Ada \\*L\\.\\*" in [element.value for element in app.caption]
    assert "annotator" not in [element.key for element in app.text_input]
    with store.writing() as session:  # the scene that opened, and its original, were seen with their scores
        [ada] = set(session.exec(select(ScoreView.person_id)))
        assert session.get_one(Person, ada).name == "Ada *L.*"
        seen = set(session.exec(select(ScoreView.item_id)))
    fill_record(app, verdict="borderline")
    app.run()
    app.session_state["annotator"] = "somebody else"
    app.run()
    app.button(key="save").click().run()
    app.button(key="keep").click().run()
    assert {row.item_id for row in store.saved()} <= seen
    assert [(row.kind, row.by) for row in store.saved()] == [("pair", "Ada *L.*"), ("label", "Ada *L.*")]
