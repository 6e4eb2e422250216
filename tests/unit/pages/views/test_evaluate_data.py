"""The view Data of Evaluate as a script: what is scored there is read there."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, Verdict
from pages.server.job_work import dataset_scorings
from pages.ui.evaluate.dataset_choice import EvaluateState
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

WAIT_S = 60


def test_the_first_scores_of_a_dataset_leave_the_view_open_and_say_how_many_were_saved(
    open_page: Open, store: Store
) -> None:
    pairs = [Example("noon", "The ferry left at noon.", "It left."), Example("night", "The ferry left.", "It stayed.")]
    items = [Item(pair, intended=label) for pair, label in zip(pairs, Verdict, strict=False)]
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)
    app = open_page("evaluate", dataset="ships")
    until = time.monotonic() + WAIT_S
    while "evaluate-score" not in {button.key for button in app.run().button}:
        assert time.monotonic() < until
    assert "Which metric?" not in {tab.label for tab in app.tabs}
    app.multiselect("evaluate-score-metrics").set_value(["rouge2"])
    app.button("evaluate-score").click().run()
    assert dataset_scorings()["ships"].wait(WAIT_S)
    while "Which metric?" not in {tab.label for tab in app.run().tabs}:
        assert time.monotonic() < until
    assert "".join(app.query_params["tab"]) == "Data"
    assert "2 scores saved, 0 of them failures with a reason" in [caption.value for caption in app.caption]
    assert not app.exception


def test_an_address_opens_the_import_once_and_begins_the_form_of_scores_with_its_judge(
    open_page: Open, store: Store
) -> None:
    item = Item(Example("noon", "The ferry left at noon.", "It left."), intended=Verdict.CONSISTENT)
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), [item], dict)
    judge = "direct-assessment[endpoint=local]"
    app = open_page("evaluate", dataset="ships", judge=judge, open="import", tab="Data").run()
    assert state_of(app, EvaluateState).import_open
    assert "open" not in app.query_params
    until = time.monotonic() + WAIT_S
    while "evaluate-score" not in {button.key for button in app.run().button}:
        assert time.monotonic() < until
    assert app.multiselect("evaluate-score-metrics").value[:2] == [judge, "bleu"]
