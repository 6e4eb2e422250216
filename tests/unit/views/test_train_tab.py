"""The Train tab of Evaluate as a script: what it refuses."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, Verdict

Open = Callable[..., AppTest]

READ_S = 60


def test_too_few_documents_are_refused_in_a_sentence(probe: Open, store: Store) -> None:
    items = []
    for number in range(3):
        document = f"A ship left the harbour on day {number}. It carried {number + 2} crates of salt. Nobody was hurt."
        for verdict, carried in ((Verdict.CONSISTENT, "carried"), (Verdict.INCONSISTENT, "never carried")):
            pair = Example(f"d{number}/{verdict}", document, f"A ship left the harbour. It {carried} salt.")
            items.append(Item(pair, intended=verdict, group=f"g{number}"))
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)
    app = probe().switch_page("views/evaluate.py")
    app.query_params["dataset"], app.query_params["tab"] = "ships", "Train"
    until = time.monotonic() + READ_S
    while not app.run().error:
        assert time.monotonic() < until
        assert not app.exception
    [refusal] = [error.value for error in app.error]
    assert refusal.startswith("There are 3 documents to learn from")
    assert "train-go" not in {button.key for button in app.button}
