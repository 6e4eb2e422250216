"""Versions of datasets on the pages: named in the choice, compared under Data, and a result of an older one is run again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.results import Plan, Source, StressRun, run_from_lines, run_lines, to_json_line
from core.types import Example, Item, Verdict
from pages.server import services

Open = Callable[..., AppTest]

WAIT_S = 60
FILE = DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local")


@pytest.fixture
def two_versions(store: Store) -> None:
    noon = Item(Example("noon", "The ferry left at noon.", "It left."), intended=Verdict.CONSISTENT)
    night = Item(Example("night", "The ferry left.", "It stayed."), intended=Verdict.INCONSISTENT)
    store.import_dataset(FILE, [noon, night], dict)
    store.import_dataset(replace(FILE, sha256="1" * 64), [noon, replace(night, intended=Verdict.CONSISTENT)], dict)


def wait_for(app: AppTest, text: str) -> str:
    until = time.monotonic() + WAIT_S
    while text not in (drawn := words(app.run())):
        assert time.monotonic() < until, drawn
    return drawn


def words(app: AppTest) -> str:
    drawn = "\n".join(element.value for element in [*app.caption, *app.markdown, *app.subheader])
    return drawn.replace("\\", "")


@pytest.mark.usefixtures("two_versions")
def test_evaluate_opens_a_name_as_the_newest_version_and_offers_it_for_an_older_one(open_page: Open) -> None:
    app = open_page("evaluate", dataset="ships", tab="Data").run()
    assert "".join(app.query_params["dataset"]) == "ships@2"
    assert "Run again" not in str([button.label for button in app.button])
    app = open_page("evaluate", dataset="ships@1", tab="Data")
    wait_for(app, "This is of ships, version 1; there is ships, version 2.")
    app.button(key="run-again-evaluate").click().run()
    assert "".join(app.query_params["dataset"]) == "ships@2"
    assert not app.exception


@pytest.mark.usefixtures("two_versions")
def test_a_version_is_tagged_under_data(open_page: Open, store: Store) -> None:
    app = open_page("evaluate", dataset="ships", tab="Data").run()
    until = time.monotonic() + WAIT_S
    while "tag-ships" not in {button.key for button in app.run().button}:
        assert time.monotonic() < until
    app.selectbox(key="tag-version-ships").set_value(1)
    app.text_input(key="version-tag-ships-0").set_value("draft")
    app.button(key="tag-ships").click().run()
    assert store.version("ships@draft").number == 1
    assert not app.exception


@pytest.mark.usefixtures("two_versions")
def test_a_stress_run_of_an_older_version_is_run_again_on_the_newest(open_page: Open, store: Store) -> None:
    plan = replace(Plan.of("First", (), ()), metrics=("rouge2",), kinds=("negated",), dataset="ships@1")
    source = Source(Example("noon", "The ferry left at noon.", "It left."), "noon")
    first = store.begin_run("First", "local", to_json_line(plan))
    store.append_run(first, list(run_lines(StressRun(plan, {"noon": source})))[1:])
    app = open_page("stress", run=first).run()
    assert "This is of ships, version 1; there is ships, version 2." in words(app)
    app.button(key=f"run-again-run-{first}").click().run()
    [id] = [row.id for row in store.runs() if row.name == "First, version 2"]
    assert "".join(app.query_params["run"]) == id
    until = time.monotonic() + WAIT_S
    while (progress := services.stress_runner().progress(id)) and progress.running:
        assert time.monotonic() < until
        time.sleep(0.02)
    run = run_from_lines(store.run_lines(id))
    assert run.plan.dataset == "ships@2"
    assert run.sources.keys() == {"noon", "night"}
    assert run_from_lines(store.run_lines(first)).plan == plan
    assert not app.exception
