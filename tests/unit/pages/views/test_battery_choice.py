"""The battery on the pages: what is chosen at first, a file or a kind of one's own, and one that does not exist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.edits.battery import read_battery, standard_battery
from core.edits.perturbation import PERTURBATIONS
from pages.ui.stress.kinds_choice import battery_of_kinds
from tests.doubles.contributing import found_in_folder

Open = Callable[..., AppTest]
LONGER = "touchstone-1+number[most=2]"


def opened_form(open_page: Open, battery: str = "") -> AppTest:
    """The form of a new stress run."""
    app = open_page("stress")
    app.session_state["stress-pairs"] = "The pair on Probe"
    app.session_state["stress-metrics"] = ["rouge2"]
    if battery:  # set before it is drawn: AppTest knows no option that was typed
        app.session_state["stress-battery"] = battery
    app.run()
    assert not app.exception
    return app


def chosen_kinds(app: AppTest) -> list[str]:
    return [kind for pills in app.button_group for kind in pills.value if "by rule" in pills.label]


def test_a_new_run_begins_with_the_kinds_of_the_battery(open_page: Open) -> None:
    app = opened_form(open_page)
    assert app.selectbox(key="stress-battery").value == "touchstone-1"
    assert sorted(chosen_kinds(app)) == sorted(standard_battery().kinds)


def test_a_perturbation_of_ones_own_is_offered_and_chosen_once_it_is_named(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_in_folder("core/edits/perturbations/hedge.py", tmp_path, PERTURBATIONS, monkeypatch)  # type: ignore[arg-type]
    app = opened_form(open_page)
    assert "Hedge" in [label for pills in app.button_group for label in pills.options]
    assert "hedge" not in chosen_kinds(app)
    assert "hedge" in chosen_kinds(opened_form(open_page, "touchstone-1+hedge"))


def test_a_battery_that_does_not_exist_is_said_and_nothing_can_be_run(open_page: Open) -> None:
    app = opened_form(open_page, "touchstone-9")
    assert any("No battery is named 'touchstone-9'" in one.value.replace("\\", "") for one in app.error)
    assert app.button(key="stress-go").disabled


def test_a_run_is_of_the_battery_where_all_its_kinds_and_no_other_are_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streamlit.session_state", {"stress-battery": LONGER})
    kinds = read_battery(LONGER).perturbations()
    assert battery_of_kinds(kinds) == read_battery(LONGER).signature
    assert battery_of_kinds(kinds[::-1]) == read_battery(LONGER).signature
    assert battery_of_kinds(kinds[1:]) == ""
    assert battery_of_kinds([*kinds, PERTURBATIONS.parse("number[most=3]")]) == ""
