"""What is typed or chosen last counts when it comes to the server together with the press of a button."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.campaigns.campaign import load_campaigns
from annotations.store.database import read_session
from annotations.store.store import Store

Open = Callable[..., AppTest]


def opened(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


@pytest.mark.slow
def test_a_stress_run_is_of_the_metrics_that_were_chosen_last(probe: Open, store: Store) -> None:
    app = opened(probe().switch_page("views/stress.py"))
    app.session_state["stress-pairs"] = "The pair on Probe"
    app.run()
    app.multiselect(key="stress-metrics").set_value(["coverage"])
    app.text_input(key="stress-name").set_value("Coverage alone")
    app.button(key="stress-go").click().run()
    assert not app.exception
    [row] = store.runs()
    assert row.name == "Coverage alone"
    assert json.loads(store.run_lines(row.id)[0])["metrics"] == ["coverage"]


@pytest.mark.slow
def test_a_campaign_is_called_by_the_name_and_has_the_guidelines_that_were_typed_last(
    open_page: Open, store: Store
) -> None:
    app = opened(open_page("campaigns"))
    app.text_input(key="new-campaign-name").set_value("Harbours")
    [box] = [box for box in app.text_area if box.key and box.key.startswith("new-campaign-guidelines")]
    box.set_value("Read twice.")
    app.button(key="new-campaign-go").click().run()
    assert not app.exception
    with read_session(store.engine) as session:
        [campaign] = load_campaigns(session)
    assert (campaign.name, campaign.guidelines) == ("Harbours", "Read twice.")
