"""The state of a page and the values of its widgets, as a session keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import streamlit as st

from pages.ui.shared.session_state import WidgetValue, component_message, follow_choices, page_state, state_key


@dataclass(eq=False)
class NotesState:
    """A page that counts notes."""

    count: int = 0
    notes: list[str] = field(default_factory=list)
    title = WidgetValue[str]("notes-title", "none")


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    values: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", values)
    return values


def test_the_state_of_a_page_is_made_once_under_the_name_of_its_class(session: dict[str, object]) -> None:
    page_state(NotesState).notes.append("first")
    assert page_state(NotesState).notes == ["first"]
    assert list(session) == ["NotesState"] == [state_key(NotesState)]


def test_states_of_one_class_are_told_apart_by_name() -> None:
    page_state(NotesState, "left").count = 3
    assert (page_state(NotesState, "left").count, page_state(NotesState, "right").count) == (3, 0)


def test_a_state_of_another_class_under_the_same_name_is_replaced(session: dict[str, object]) -> None:
    session[state_key(NotesState)] = object()
    assert page_state(NotesState).count == 0


def test_a_widget_value_is_read_like_a_field_and_lives_under_the_key_of_the_widget(session: dict[str, object]) -> None:
    assert page_state(NotesState).title == "none"
    page_state(NotesState).title = "Monday"
    assert (session["notes-title"], page_state(NotesState).title) == ("Monday", "Monday")
    del session["notes-title"]  # as Streamlit does after a run that did not draw it
    assert page_state(NotesState).title == "none"


def test_a_widget_of_each_of_many_things_has_a_value_of_its_own(session: dict[str, object]) -> None:
    NotesState.title.of(7).set("seven")
    assert (NotesState.title.of(7).get(), NotesState.title.of(8).get()) == ("seven", "none")
    assert list(session) == ["notes-title-7"]


def test_a_component_that_was_not_mounted_has_sent_nothing(session: dict[str, object]) -> None:
    assert component_message("editor") == {}
    session["editor"] = {"text": "typed"}
    assert component_message("editor") == {"text": "typed"}


def test_choices_in_the_order_of_the_presses_are_not_sent_again(session: dict[str, object]) -> None:
    widget = WidgetValue[list[str]]("chosen", [])
    follow_choices(widget, ["first", "second"])
    pressed = session["chosen"] = ["second", "first"]
    follow_choices(widget, ["first", "second"])
    assert session["chosen"] is pressed
    follow_choices(widget, ["first"])
    assert session["chosen"] == ["first"]
