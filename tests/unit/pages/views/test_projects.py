"""Projects hold the pairs, runs, campaigns and audits of one question, put there where they are made, each with its picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.management.manage import local_member
from annotations.people.people import Role, add_person
from annotations.store.reports import PersonReports, Work
from annotations.store.store import Store
from core.settings import Settings
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.annotations.pair_samples import PAIR
from tests.unit.core.assessment.pinned.pins import HOSTILE

Open = Callable[..., AppTest]
WAIT_S = 30


@pytest.fixture
def own(store: Store) -> PersonReports:
    return PersonReports(store, local_member(store, Settings.read().user).id)


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run(timeout=60)
    assert not app.exception
    return app


def page(app: AppTest, view: str, **query: str) -> AppTest:
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(f"views/{view}.py").run(timeout=60)
    assert not app.exception
    return app


def links(app: AppTest) -> list[str]:
    return [element.proto.label.replace("\\", "") for element in app.get("page_link")]


def pictures(app: AppTest) -> list[str]:
    return [
        element.proto.body
        for element in app.get("html")
        if "ts-thumbnail" in element.proto.body and 'alt=""' not in element.proto.body
    ]


def test_one_press_puts_a_kept_pair_into_the_project_that_was_changed_last(
    probe: Open, own: PersonReports, store: Store
) -> None:
    id = own.create("Harbour")
    app = probe(example="news-harbour/one-word")
    until = time.monotonic() + WAIT_S
    press(app, "keep")
    [kept] = [row for row in store.saved() if row.kind == "pair"]
    while "project-add-pair" not in {button.key for button in app.button} and time.monotonic() < until:
        app.run(timeout=60)
    press(app, "project-add-pair")
    assert own.report(id).work == (Work("pair", kept.item_id),)
    assert "In “Harbour”" in links(app)


@pytest.mark.slow
def test_a_first_project_is_begun_by_the_same_press_where_there_is_none(probe: Open, own: PersonReports) -> None:
    press(page(probe(), "stress", run="bundled"), "project-add-run")
    [row] = own.own()
    assert row.work == (Work("run", "bundled"),)


@pytest.mark.slow
def test_a_project_shows_its_question_and_opens_its_things_by_their_pictures(
    probe: Open, own: PersonReports, store: Store
) -> None:
    pair = store.save_pair(PAIR).id
    campaign = make_campaign(store, items=2).campaign.id
    work = [Work("pair", pair), Work("run", "bundled"), Work("campaign", campaign), Work("audit", "gone\ndata")]
    id = own.create("Harbour", f"Who saw it? {HOSTILE}", work)
    app = page(probe(), "projects", project=id)
    assert app.header[0].value.startswith(r"Who saw it\? \<script\>")
    assert len(pictures(app)) == 3
    assert any("1 more" in caption.value for caption in app.caption)
    press(app, f"work-{id}-remove-0")
    assert own.report(id).work == tuple(work[1:])


def test_a_shared_project_shows_nothing_that_its_reader_may_not_open(probe: Open, store: Store) -> None:
    campaign = make_campaign(store, items=0).campaign.id
    with store.writing() as session:
        ben = PersonReports(store, add_person(session, "ben", Role.RESEARCHER).id)
    id = ben.create("Ben's", work=[Work("campaign", campaign), Work("campaign", "none")])
    assert "not shared with you" in page(probe(), "projects", project=id).info[0].value
    ben.revise(replace(ben.report(id), shared=True))
    app = page(probe(), "projects", project=id)
    assert not [button for button in app.button if (button.key or "").startswith(f"work-{id}-remove")]
    assert any("1 more" in caption.value for caption in app.caption)
