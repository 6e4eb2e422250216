"""The views of a run on Stress test: which one an address or a link opens, and that it is drawn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shared.grouped_views import FirstView
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

GROUPS = ["Shifts", "Gaming", "Reading", "Compare and export"]


def opened(probe: Open, view: str) -> AppTest:
    """The bundled run at the address that names a view."""
    app = probe()
    app.query_params["run"] = "bundled"
    if view:
        app.query_params["tab"] = view
    app.switch_page("views/stress.py").run()
    assert not app.exception
    return app


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "group"),
    [
        ("", "Shifts"),
        ("Matrix", "Shifts"),
        ("shifts", "Shifts"),
        ("Plots", "Shifts"),
        ("Sensitivity", "Shifts"),
        ("Gaming", "Gaming"),
        ("gaming", "Gaming"),
        ("discovery", "Gaming"),
        ("system-strength", "Gaming"),
        ("Windows", "Reading"),
        ("windows", "Reading"),
        ("Density", "Reading"),
        ("density", "Reading"),
        ("Without document", "Reading"),
        ("document-ablation", "Reading"),
        ("edit-discrimination", "Shifts"),
        ("Compare", "Compare and export"),
        ("Export", "Compare and export"),
    ],
)
def test_a_name_that_addresses_have_opens_its_view_in_the_tab_of_its_group(probe: Open, view: str, group: str) -> None:
    app = opened(probe, view)
    assert [tab.label for tab in app.tabs] == GROUPS
    assert [tab.label for tab in app.tabs if tab.children] == [group]


@pytest.mark.slow
def test_a_link_within_the_session_opens_its_view_whatever_the_session_began_with(probe: Open) -> None:
    app = opened(probe, "Export")
    app.switch_page("views/metrics.py").run()
    state_of(app, FirstView, "stress").name = "Density"
    app.query_params["run"] = "bundled"
    app.switch_page("views/stress.py").run()
    assert [tab.label for tab in app.tabs if tab.children] == ["Reading"]
    assert "".join(app.query_params["tab"]) == "readings"
    assert "".join(app.query_params["study"]) == "readings[view=density]"
