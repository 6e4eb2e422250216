"""Addresses of Evaluate that were saved: each opens the view that the study of that name is now."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.types import PRECOMPUTED

Open = Callable[..., AppTest]

WAIT_S = 60


@pytest.mark.parametrize(
    ("address", "tab", "study"),
    [
        ({}, "measures", "measures[view=overview]"),
        ({"tab": "overview"}, "measures", "measures[view=overview]"),
        ({"tab": "measures"}, "measures", ""),
        (
            {"tab": "ranks", "study": "ranks[measure=consistency]"},
            "measures",
            "measures[view=ranks,measure=consistency]",
        ),
        ({"tab": "Percentiles"}, "measures", "measures[view=percentiles]"),
        ({"tab": "sensitivity"}, "Corrections and harmless edits", "shifts[view=sensitivity]"),
    ],
)
def test_a_saved_address_opens_the_view_with_its_settings(
    open_page: Open, address: dict[str, str], tab: str, study: str
) -> None:
    app = open_page("evaluate", dataset=PRECOMPUTED, **address)
    until = time.monotonic() + WAIT_S
    while not app.tabs:  # the data are read in the background
        app.run()
        assert time.monotonic() < until
    assert not app.exception
    assert "".join(app.query_params["tab"]) == tab
    assert "".join(app.query_params.get("study", "")) == study
