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
from pages.server.sign_in import SESSION_COOKIE
from tests.unit.pages.views.states import fill_record

Open = Callable[..., AppTest]


def test_a_label_is_recorded_as_whoever_signed_in(probe: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_SHARED", "true")
    with store.writing() as session:
        code = create_invite(session, add_person(session, "Ada *L.*", Role.RESEARCHER).id, "boss")
        cookie = start_session(session, code).id
    monkeypatch.setattr(type(st.context), "cookies", {SESSION_COOKIE: cookie})
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
