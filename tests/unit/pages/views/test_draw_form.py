"""The form below the plan of labels: a campaign is drawn from the dataset, and its progress says how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, StoredScore

Open = Callable[..., AppTest]

WAIT_S = 60


def test_a_campaign_is_drawn_and_its_progress_says_where_it_stops(open_page: Open, store: Store) -> None:
    items = [
        Item(Example(f"s{n}", f"Ship {n} left.", f"Ship {n}."), scores=(StoredScore("align", n / 30),))
        for n in range(30)
    ]
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)
    app, until = open_page("evaluate", dataset="ships", tab="label-plan"), time.monotonic() + WAIT_S
    while "Draw a campaign" not in {heading.value for heading in app.run().subheader}:
        assert not app.exception
        assert time.monotonic() < until, [one.value for one in (*app.info, *app.error)]
    app.text_input(key="evaluate-draw-name-ships").set_value(" ")
    app.button(key="evaluate-draw-go").click().run()
    assert "name of the campaign" in app.error[0].value
    app.text_input(key="evaluate-draw-name-ships").set_value("Ships *drawn*")
    app.button(key="evaluate-draw-go").click().run()
    assert not app.exception
    assert not app.error
    assert "It stops by itself at ± 3 points" in app.success[0].value
    [campaign] = ManagerActions(store, Member("", "Ada", Role.MANAGER)).campaigns()
    assert (campaign.name, campaign.rules.order, campaign.rules.stop_points) == ("Ships *drawn*", "drawn", 3.0)
    page = open_page("campaigns", campaign=campaign.id).run()
    assert "Drawn by uncertainty from 30 summaries of ships" in page.info[0].value
