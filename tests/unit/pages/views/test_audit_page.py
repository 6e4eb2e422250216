"""Audit as a script: what it says where nothing can be audited or shown."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, StoredScore, Verdict
from pages.ui.audit.audit_form import AuditState

Open = Callable[..., AppTest]

WAIT_S = 120


def drawn(app: AppTest, words: str) -> str:
    """The captions and texts of the page, once these words are among them; between two looks the work has the processor."""
    until = time.monotonic() + WAIT_S
    while words not in (shown := _words(app.run(timeout=60))):
        assert time.monotonic() < until, shown
        time.sleep(0.2)
    assert not app.exception
    return shown


def _words(app: AppTest) -> str:
    labels = [choice.label for choice in app.multiselect]
    return " ".join([*labels, *(one.value.replace("\\", "") for one in (*app.caption, *app.markdown))])


def test_an_audit_without_metric_or_data_says_what_is_missing(open_page: Open) -> None:
    app = open_page("audit").run()
    for state in (AuditState.metrics, AuditState.datasets):
        app.multiselect(key=state.key).set_value([])
    [button] = [button for button in app.button if button.label == "Audit"]
    button.click().run()
    assert not app.exception
    assert [error.value.replace("\\", "") for error in app.error] == ["Choose at least one metric and one dataset."]
    assert "audit" not in app.query_params


def test_an_address_of_an_audit_that_is_gone_says_where_its_figures_are(open_page: Open) -> None:
    app = open_page("audit")
    app.query_params["audit"] = "gone"
    app.run()
    assert not app.exception
    assert any("The audit of this address is not open any more" in info.value for info in app.info)


@pytest.mark.slow
def test_what_a_judge_costs_is_shown_before_it_is_audited(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "1")
    app = open_page("audit").run()
    app.multiselect(key=AuditState.metrics.key).set_value(["direct-assessment"])
    [button] = [button for button in app.button if button.label == "Audit"]
    button.click().run()
    assert any("what that costs is not known yet" in error.value for error in app.error)
    assert "audit" not in app.query_params
    assert re.search("questions to endpoints.*; about ", drawn(app, "questions to endpoints"))


@pytest.mark.slow
def test_scores_that_data_were_released_with_are_audited_as_they_are(open_page: Open, store: Store) -> None:
    items = [
        Item(
            Example(f"{name}-{number}", f"Ship {number} left at noon.", f"Ship {number} left at {hour}."),
            intended=verdict,
            group=f"ship {number}",
            scores=(StoredScore("their metric", score + number / 100),),
        )
        for number in range(12)
        for name, hour, verdict, score in (
            ("good", "noon", Verdict.CONSISTENT, 0.8),
            ("bad", "night", Verdict.INCONSISTENT, 0.1),
        )
    ]
    store.import_dataset(DatasetSource("ships", "generic", "ships.jsonl", "0" * 64), items, dict)
    app = open_page("audit").run()
    app.multiselect(key=AuditState.metrics.key).set_value([])
    app.multiselect(key=AuditState.datasets.key).set_value(["ships"])
    released = AuditState.released.of("ships").key
    drawn(app, "Scores released with the data")
    app.multiselect(key=released).set_value(["their metric"])
    [button] = [button for button in app.button if button.label == "Audit"]
    button.click().run()
    assert not app.error
    told = "**their metric**: "
    assert f"{told}Sees errors with an AUC of 1.00. Of 5 questions: 4 good, 1 weak." in drawn(app, told)
